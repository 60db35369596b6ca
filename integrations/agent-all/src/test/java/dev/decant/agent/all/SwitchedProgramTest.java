package dev.decant.agent.all;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.testkit.KafkaCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A program under the agent, with the kafka-clients of this test, on a real broker. With kafka-clients 3.9 its producer
 * worked, and its consumer died in its first poll that had records.
 */
@Tag("full")
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class SwitchedProgramTest {
  private static final List<String> COPIED = List.of("producer KafkaProducerOnDecant", "consumer KafkaConsumerOnDecant",
      "stored until 200", "read 201, committed 201");
  private static KafkaCluster cluster;

  @TempDir
  private Path directory = Path.of("");

  @BeforeAll
  static void start() {
    cluster = KafkaCluster.start();
  }

  @AfterAll
  static void close() {
    cluster.close();
  }

  private String copied(Path java, String compression) throws IOException, InterruptedException {
    ProgramJvm jvm = new ProgramJvm(directory, java);
    assertThat(ProgramJvm.kafka()).as("with the kafka-clients of this test")
        .contains(ProgramJvm.locationOf(KafkaProducer.class).toString());
    String topic = "copied-" + compression + "-" + java.hashCode();
    cluster.createTopic(topic, 1);
    return jvm.run("",
        List.of("-cp", jvm.classPath(jvm.application), "app.Copying", cluster.bootstrap(), topic, compression));
  }

  private static List<String> saidByTheProgram(String output) {
    return output.lines().filter(line -> line.matches("(producer|consumer|stored|read) .*")).toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"lz4", "snappy", "zstd", "gzip"})
  void recordsGoThroughBothClientsOnDecant(String compression) throws IOException, InterruptedException {
    String output = copied(Path.of(System.getProperty("java.home"), "bin", "java"), compression);

    assertThat(saidByTheProgram(output)).as(output).isEqualTo(COPIED);
    assertThat(output).contains("app.Copying constructs DecantProducer", "app.Copying constructs DecantConsumer")
        .doesNotContain("keeps Apache's clients");
  }

  @Test
  void programRunsOnDecantOnJava21() throws IOException, InterruptedException {
    String named = System.getenv("DECANT_JAVA21");
    Assumptions.assumeTrue(named != null, "DECANT_JAVA21 names no Java 21 to run on");
    Path path = Path.of(String.valueOf(named));
    Path java = path.toFile().isDirectory() ? path.resolve("bin").resolve("java") : path;

    assertThat(saidByTheProgram(copied(java, "lz4"))).isEqualTo(COPIED);
  }
}
