package dev.decant.testkit;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The jars of a broker's JVM: files within the jar of the test kit, not dependencies. Kafka's server needs 45 of them.
 * On the class path of a test they would meet other versions of the same libraries, and a build would choose one
 * version for both. Either the test or the broker would then run with libraries that do not fit it. As files, they are
 * the ones that Apache has released the broker with, in any test.
 */
final class BrokerJars {
  private static final String LIST = "broker.classpath";

  private BrokerJars() {}

  /**
   * Returns arguments of {@code java} for a main class of the test kit that uses the broker's jars.
   *
   * @param cache has the jars; null without a cache
   * @param directory takes the jars if there is no cache and the test kit is in a jar
   * @return class path, and a logger that writes warnings to standard error
   * @throws ClusterException when the jars cannot be written there
   */
  static List<String> arguments(@Nullable BrokerCache cache, Path directory) {
    if (cache != null) {
      List<String> arguments = new ArrayList<>(cache.flags());
      arguments.addAll(argumentsWith(cache.classPath()));
      return arguments;
    }
    List<Path> jars = new ArrayList<>();
    for (String name : names()) {
      jars.add(locate(name, directory));
    }
    return arguments(jars);
  }

  /** Returns the names of the jars, in the order of the class path. */
  static List<String> names() {
    return List.of(RepositoryJars.read(BrokerJars.class, LIST).strip().split(":", -1));
  }

  /**
   * Returns arguments of {@code java} with jars of another release.
   *
   * @param jars the server's and all that it needs
   * @return class path, and a logger that writes warnings to standard error
   */
  static List<String> arguments(List<Path> jars) {
    List<Path> path = new ArrayList<>();
    path.add(Path.of(RepositoryJars.locationOf(BrokerJars.class)));
    path.addAll(jars);
    return argumentsWith(path);
  }

  private static List<String> argumentsWith(List<Path> path) {
    return List.of("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-Dorg.slf4j.simpleLogger.showDateTime=true", "-cp",
        path.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator)));
  }

  private static Path locate(String name, Path directory) {
    URL url = find(name);
    try {
      if (url.getProtocol().equals("file")) {
        return Path.of(url.toURI());
      }
      Path jar = directory.resolve(name);
      if (!Files.exists(jar)) {
        copy(name, jar);
      }
      return jar;
    } catch (IOException | URISyntaxException e) {
      throw new ClusterException("the broker's jars cannot be written to " + directory + ": " + e.getMessage()
          + "; they take 45 MB, and -Djava.io.tmpdir=PATH names another place", e);
    }
  }

  private static URL find(String name) {
    URL url = BrokerJars.class.getResource(name);
    if (url == null) {
      throw new ClusterException("the jar of the test kit lacks " + name + "; build it with Maven");
    }
    return url;
  }

  /** Copies a jar from the test kit to a file. */
  static void copy(String name, Path jar) throws IOException {
    Files.createDirectories(jar.getParent());
    try (InputStream in = find(name).openStream()) {
      Files.copy(in, jar);
    }
  }
}
