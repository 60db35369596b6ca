package dev.decant.testkit;

import java.io.File;
import java.util.ArrayList;
import java.util.List;

/** The class path of a broker's JVM. It never mixes with that of who uses the test kit. */
final class BrokerClassPath {
  private BrokerClassPath() {}

  /**
   * Arguments of {@code java} for a main class of the test kit that uses the broker's jars.
   *
   * @return class path, and a logger that writes warnings to standard error
   */
  static List<String> arguments() {
    List<String> path = new ArrayList<>();
    path.add(RepositoryJars.locationOf(BrokerClassPath.class));
    path.addAll(
        RepositoryJars.locate(BrokerClassPath.class, "broker.classpath", "org.apache.kafka:kafka_2.13:4.3.1"));
    return List.of("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-Dorg.slf4j.simpleLogger.showDateTime=true", "-cp",
        String.join(File.pathSeparator, path));
  }
}
