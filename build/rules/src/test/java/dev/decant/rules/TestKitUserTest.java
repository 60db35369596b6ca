package dev.decant.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A test of somebody else's that depends on the test kit alone. The broker's jars used to be looked up in the local
 * Maven repository, where only our own build had put them.
 */
@Timeout(value = 240, unit = TimeUnit.SECONDS)
class TestKitUserTest {
  private static final String MAIN = """
      package app;

      import dev.decant.kafka.KafkaClient;
      import dev.decant.kafka.producer.Producer;
      import dev.decant.kafka.serialization.Serdes;
      import dev.decant.testkit.KafkaCluster;

      public final class Main {
        public static void main(String[] arguments) throws Exception {
          try (KafkaCluster cluster = KafkaCluster.start()) {
            cluster.createTopic("orders", 1);
            try (KafkaClient client = KafkaClient.connect(cluster.bootstrap());
                Producer<String, String> orders =
                    client.producer(Serdes.string(), Serdes.string()).topic("orders").open()) {
              System.out.println("stored at " + orders.sendAndWait("key", "value").offset());
            }
          }
        }
      }
      """;
  private static final List<String> OURS = List.of("core", "kafka-protocol", "kafka", "testkit");

  @TempDir
  Path directory;

  @Test
  void startsABrokerWithAnEmptyRepositoryAndLeavesNoFiles() throws IOException, InterruptedException {
    String paths = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .filter(entry -> OURS.stream().anyMatch(module -> entry.contains("decant-" + module + "-0.")
            || entry.endsWith(Path.of(module, "target", "classes").toString())))
        .collect(Collectors.joining(File.pathSeparator));
    Path source = directory.resolve("Main.java");
    Files.writeString(source, MAIN);
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    int result = ToolProvider.getSystemJavaCompiler().run(null, null, said, "-proc:none", "-d",
        directory.resolve("classes").toString(), "-cp", paths, source.toString());
    assertThat(result).as(said.toString(StandardCharsets.UTF_8)).isZero();
    Path temporary = Files.createDirectory(directory.resolve("temporary"));

    Path output = directory.resolve("output");
    Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx64m",
        "-XX:+UseSerialGC", "-Duser.home=" + directory, "-Djava.io.tmpdir=" + temporary, "-cp",
        directory.resolve("classes") + File.pathSeparator + paths, "app.Main").redirectErrorStream(true)
        .redirectOutput(output.toFile()).start();
    try {
      assertThat(process.waitFor(200, TimeUnit.SECONDS)).isTrue();
    } finally {
      process.destroyForcibly();
    }

    assertThat(Files.readString(output, StandardCharsets.UTF_8)).contains("stored at 0");
    assertThat(temporary).isEmptyDirectory();
  }
}
