package dev.decant.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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

      import dev.decant.kafka.client.KafkaClient;
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

  private static String paths() {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .filter(entry -> OURS.stream().anyMatch(module -> entry.contains("decant-" + module + "-0.")
            || entry.endsWith(Path.of(module, "target", "classes").toString())))
        .collect(Collectors.joining(File.pathSeparator));
  }

  private void compile(String pathOption, String... sources) throws IOException {
    List<String> arguments = new ArrayList<>(
        List.of("-proc:none", "-d", directory.resolve("classes").toString(), pathOption, paths()));
    for (String source : sources) {
      Path file = directory.resolve(source.startsWith("module") ? "module-info.java" : "Main.java");
      Files.writeString(file, source);
      arguments.add(file.toString());
    }
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    int result = ToolProvider.getSystemJavaCompiler().run(null, null, said, arguments.toArray(String[]::new));
    assertThat(result).as(said.toString(StandardCharsets.UTF_8)).isZero();
  }

  private String run(Path temporary, String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-Xmx64m", "-XX:+UseSerialGC", "-Duser.home=" + directory, "-Djava.io.tmpdir=" + temporary));
    command.addAll(List.of(arguments));
    Path output = directory.resolve("output");
    Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
    try {
      assertThat(process.waitFor(200, TimeUnit.SECONDS)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    return Files.readString(output, StandardCharsets.UTF_8);
  }

  @Test
  void startsABrokerWithAnEmptyRepositoryAndLeavesNoFiles() throws IOException, InterruptedException {
    compile("-cp", MAIN);
    Path temporary = Files.createDirectory(directory.resolve("temporary"));

    assertThat(run(temporary, "-cp", directory.resolve("classes") + File.pathSeparator + paths(), "app.Main"))
        .contains("stored at 0");

    assertThat(temporary).isEmptyDirectory();
  }

  @Test
  void startsABrokerFromTheModulePath() throws IOException, InterruptedException {
    compile("--module-path", MAIN, "module app { requires dev.decant.kafka; requires dev.decant.testkit; }");
    Path temporary = Files.createDirectory(directory.resolve("temporary"));

    assertThat(run(temporary, "--module-path", directory.resolve("classes") + File.pathSeparator + paths(), "-m",
        "app/app.Main")).contains("stored at 0");
  }
}
