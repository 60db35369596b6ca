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

/**
 * The jars of a broker's JVM. They are files within the jar of the test kit, not dependencies. Kafka's server needs 45
 * of them. On the class path of a test they would meet other versions of the same libraries. A build would settle on
 * one version for both. Either the test or the broker would then run with libraries that do not fit it. As files, they
 * are those that Apache has released the broker with, whatever else a test uses.
 */
final class BrokerJars {
  private static final String LIST = "broker.classpath";

  private BrokerJars() {}

  /**
   * Arguments of {@code java} for a main class of the test kit that uses the broker's jars.
   *
   * @param directory takes the jars, unless the test kit's own classes are in a directory and the jars beside them
   * @return class path, and a logger that writes warnings to standard error
   * @throws ClusterException when the jars cannot be written there
   */
  static List<String> arguments(Path directory) {
    List<Path> jars = new ArrayList<>();
    for (String name : RepositoryJars.read(BrokerJars.class, LIST).strip().split(":", -1)) {
      jars.add(locate(name, directory));
    }
    return arguments(jars);
  }

  /**
   * The same with jars of another release.
   *
   * @param jars the server's and all that it needs
   * @return class path, and a logger that writes warnings to standard error
   */
  static List<String> arguments(List<Path> jars) {
    List<String> path = new ArrayList<>();
    path.add(RepositoryJars.locationOf(BrokerJars.class));
    jars.forEach(jar -> path.add(jar.toString()));
    return List.of("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-Dorg.slf4j.simpleLogger.showDateTime=true", "-cp",
        String.join(File.pathSeparator, path));
  }

  private static Path locate(String name, Path directory) {
    URL url = BrokerJars.class.getResource(name);
    if (url == null) {
      throw new ClusterException("the jar of the test kit lacks " + name + "; build it with Maven");
    }
    try {
      return url.getProtocol().equals("file") ? Path.of(url.toURI()) : extract(url, directory.resolve(name));
    } catch (IOException | URISyntaxException e) {
      throw new ClusterException("the broker's jars cannot be written to " + directory + ": " + e.getMessage()
          + "; they take 45 MB, and -Djava.io.tmpdir=PATH names another place", e);
    }
  }

  private static Path extract(URL url, Path jar) throws IOException {
    if (!Files.exists(jar)) {
      Files.createDirectories(jar.getParent());
      try (InputStream in = url.openStream()) {
        Files.copy(in, jar);
      }
    }
    return jar;
  }
}
