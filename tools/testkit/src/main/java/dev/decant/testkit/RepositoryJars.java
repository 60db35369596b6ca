package dev.decant.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds jars for the class path of a child JVM that must not be on this JVM's class path, such as those of another
 * client. The build writes their paths relative to a local Maven repository, where this class looks them up.
 */
public final class RepositoryJars {
  /** System property that names the local Maven repository, if it is not in the default place. */
  static final String REPOSITORY_PROPERTY = "decant.repository";

  private static final String REPOSITORY_MARK = "@repository@";

  private RepositoryJars() {}

  /**
   * Reads a list that the build has written, and finds its jars.
   *
   * @param owner class whose resource is read
   * @param resource name of the list, beside the class
   * @param artifact the artifact to fetch when a jar is missing, {@code group:artifact:version}
   * @return paths of all jars
   * @throws ClusterException when one is missing; the message says how to fetch it
   */
  public static List<String> locate(Class<?> owner, String resource, String artifact) {
    List<String> jars = new ArrayList<>();
    for (String entry : read(owner, resource).strip().split(":", -1)) {
      jars.add(existing(Path.of(entry.replace(REPOSITORY_MARK, repository().toString())), artifact));
    }
    return jars;
  }

  /**
   * Returns the jar of another version beside one that was found.
   *
   * @param jar path of the jar that was found
   * @param version of that jar
   * @param other the wanted version
   * @param artifact the artifact to fetch when the jar is missing, {@code group:artifact:version}
   * @return its path
   * @throws ClusterException when it is missing; the message says how to fetch it
   */
  public static String otherVersion(String jar, String version, String other, String artifact) {
    Path path = Path.of(jar);
    String name = String.valueOf(path.getFileName()).replace(version, other);
    return existing(path.resolve("../../" + other + "/" + name).normalize(), artifact);
  }

  /**
   * Returns the jar of a build that was installed in the local Maven repository.
   *
   * @param group of the artifact
   * @param name of the artifact
   * @param version of the build
   * @return its path
   * @throws ClusterException when it is missing; the message says how to install it
   */
  public static String installed(String group, String name, String version) {
    Path jar = repository().resolve(group.replace('.', '/')).resolve(name).resolve(version)
        .resolve(name + "-" + version + ".jar");
    if (!Files.isRegularFile(jar)) {
      throw new ClusterException(jar.getFileName() + " is not in the local Maven repository " + repository()
          + "; check that build out, set its version with: mvn versions:set -DnewVersion=" + version
          + ", and install it with: mvn install -DskipTests");
    }
    return jar.toString();
  }

  private static String existing(Path jar, String artifact) {
    if (!Files.isRegularFile(jar)) {
      throw new ClusterException(jar.getFileName() + " is not in the local Maven repository " + repository()
          + "; fetch it once with: mvn dependency:get -Dartifact=" + artifact + ", or name another repository with -D"
          + REPOSITORY_PROPERTY + "=PATH");
    }
    return jar.toString();
  }

  private static Path repository() {
    String named = System.getProperty(REPOSITORY_PROPERTY, System.getProperty("maven.repo.local", ""));
    return named.isEmpty() ? Path.of(System.getProperty("user.home"), ".m2", "repository") : Path.of(named);
  }

  static String read(Class<?> owner, String resource) {
    try (InputStream in = owner.getResourceAsStream(resource)) {
      if (in == null) {
        throw new ClusterException("the list of jars " + resource + " is missing; build with Maven");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new ClusterException("the list of jars " + resource + " cannot be read", e);
    }
  }

  /**
   * Returns the place that a class was loaded from.
   *
   * @param type any class of the class path
   * @return its jar or directory
   */
  public static String locationOf(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
    } catch (java.net.URISyntaxException e) {
      throw new ClusterException("no path to the classes of " + type.getName(), e);
    }
  }
}
