package dev.decant.agent.all;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.testkit.KafkaCluster;
import dev.decant.testkit.Listener;
import dev.decant.testkit.TestAuthority;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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
  private static final TestAuthority AUTHORITY = TestAuthority.create();
  private static final String PASSWORD = "planted-heron-77";
  private static final Listener SECURED = Listener.builder("SECURED").tls(AUTHORITY.server("localhost", "127.0.0.1"))
      .plain("carol", PASSWORD).build();
  private static KafkaCluster cluster;

  @TempDir
  private Path directory = Path.of("");

  @BeforeAll
  static void start() {
    cluster = KafkaCluster.builder().listener(SECURED).start();
  }

  @AfterAll
  static void close() {
    cluster.close();
  }

  private String copied(Path java, String compression) throws IOException, InterruptedException {
    return copied(java, compression, cluster.bootstrap());
  }

  private String copied(Path java, String compression, String bootstrap, String... settings)
      throws IOException, InterruptedException {
    ProgramJvm jvm = new ProgramJvm(directory, java);
    assertThat(ProgramJvm.kafka()).as("with the kafka-clients of this test")
        .contains(ProgramJvm.locationOf(KafkaProducer.class).toString());
    String topic = cluster.createTopic(1);
    List<String> arguments = new ArrayList<>(
        List.of("-cp", jvm.classPath(jvm.application), "app.Copying", bootstrap, topic, compression));
    arguments.addAll(List.of(settings));
    return jvm.run("", arguments);
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

  /** They are the program's, so the agent's class loader does not have them. */
  @Test
  void securityClassesOfTheProgramRun() throws IOException, InterruptedException {
    Path trust = Files.writeString(directory.resolve("ca.pem"), AUTHORITY.pem());

    String output = copied(Path.of(System.getProperty("java.home"), "bin", "java"), "lz4", cluster.bootstrap(SECURED),
        "security.protocol=SASL_SSL", "sasl.mechanism=PLAIN",
        "sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required;",
        "sasl.client.callback.handler.class=app.OwnSecurity$Handler", "app.user=carol", "app.password=" + PASSWORD,
        "ssl.engine.factory.class=app.OwnSecurity$Engines", "ssl.truststore.type=PEM",
        "ssl.truststore.location=" + trust);

    assertThat(saidByTheProgram(output)).as(output).isEqualTo(COPIED);
    assertThat(output.lines().filter(line -> line.startsWith("handler ")).toList())
        .containsExactly("handler for PLAIN", "handler for PLAIN", "handler closed", "handler closed");
    assertThat(output).contains("engine with https").doesNotContain(PASSWORD);
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
