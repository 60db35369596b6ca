package dev.decant.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Finds the jars of the broker. They never lie on the class path of who uses the test kit, whose own version of
 * kafka-clients may be another one: the build writes down which jars the broker needs, relative to a local Maven
 * repository, and here they are looked up there.
 */
final class BrokerClassPath {
  /** System property that names the local Maven repository, where it is not the usual one. */
  static final String REPOSITORY_PROPERTY = "decant.repository";

  private static final String RESOURCE = "broker.classpath";
  private static final String REPOSITORY_MARK = "@repository@";

  private BrokerClassPath() {}

  /**
   * Arguments of {@code java} for a main class of the test kit that uses the broker's jars.
   *
   * @return class path, and a logger that writes warnings to standard error
   */
  static List<String> arguments() {
    return List.of("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-Dorg.slf4j.simpleLogger.showDateTime=true", "-cp",
        find());
  }

  /**
   * The class path of a broker's JVM: the test kit itself and the broker's jars.
   *
   * @return paths joined as {@code java -cp} wants them
   * @throws ClusterException when a jar is missing; the message says how to fetch it
   */
  private static String find() {
    StringBuilder path = new StringBuilder(ownLocation());
    for (String entry : read().strip().split(":", -1)) {
      Path jar = Path.of(entry.replace(REPOSITORY_MARK, repository().toString()));
      if (!Files.isRegularFile(jar)) {
        throw new ClusterException(
            "the broker needs " + jar.getFileName() + ", which is not in the local Maven repository " + repository()
                + "; fetch it once with: mvn dependency:get -Dartifact=org.apache.kafka:kafka_2.13:4.3.1, or name"
                + " another repository with -D" + REPOSITORY_PROPERTY + "=PATH");
      }
      path.append(java.io.File.pathSeparatorChar).append(jar);
    }
    return path.toString();
  }

  private static Path repository() {
    String named = System.getProperty(REPOSITORY_PROPERTY, System.getProperty("maven.repo.local", ""));
    return named.isEmpty() ? Path.of(System.getProperty("user.home"), ".m2", "repository") : Path.of(named);
  }

  private static String read() {
    try (InputStream in = BrokerClassPath.class.getResourceAsStream(RESOURCE)) {
      if (in == null) {
        throw new ClusterException("the test kit was built without its list of broker jars (" + RESOURCE
            + "); build it with Maven");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new ClusterException("the list of broker jars cannot be read", e);
    }
  }

  private static String ownLocation() {
    try {
      return Path.of(BrokerClassPath.class.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
    } catch (java.net.URISyntaxException e) {
      throw new ClusterException("the test kit does not know where its own classes lie", e);
    }
  }
}
