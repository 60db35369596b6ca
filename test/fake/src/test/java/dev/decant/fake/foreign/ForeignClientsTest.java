package dev.decant.fake.foreign;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fake.FakeCluster;
import dev.decant.fake.junit.FakeKafka;
import dev.decant.kafka.protocol.ApiKey;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The clients that others use do on a fake cluster what they do on a real one; docs/testing.md has the table. */
@Tag("long")
@Timeout(600)
@FakeKafka(brokers = 3)
class ForeignClientsTest {
  private static final String[] STEPS = {"done admin", "done produce", "done groups classic", "done transactions",
      "done admin of groups"};
  private static final int PATIENCE_MINUTES = 5;

  @TempDir
  Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"3.9.1", "4.3.1", "4.4.0"})
  void apachesClient(String version, FakeCluster kafka) throws Exception {
    String output = apache(version, ApacheMain.class, kafka);
    assertThat(output.lines()).contains("version kafka-clients " + version).contains(STEPS);
    assertBothProtocols(output.lines(), kafka);
  }

  @ParameterizedTest
  @ValueSource(strings = {"4.2.2", "4.3.1", "4.4.0"})
  void apachesShareConsumer(String version, FakeCluster kafka) throws Exception {
    assertThat(apache(version, ApacheShareMain.class, kafka).lines()).contains("done share acknowledgements",
        "done share members");
    assertThat(kafka.requests(ApiKey.SHARE_ACKNOWLEDGE)).isNotEmpty();
  }

  /** Runs a program with the jar of one version; returns what it prints. */
  private String apache(String version, Class<?> program, FakeCluster kafka) throws Exception {
    Path jars = Path.of(System.getProperty("decant.repository", System.getProperty("user.home") + "/.m2/repository"));
    Path client = jars.resolve("org/apache/kafka/kafka-clients/" + version + "/kafka-clients-" + version + ".jar");
    Assumptions.assumeTrue(Files.exists(client),
        "kafka-clients " + version + " is not in " + jars + "; fetch it with mvn dependency:get");
    String path = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    List<String> others = Stream.of(path.split(System.getProperty("path.separator"), -1))
        .filter(entry -> !entry.contains("kafka-clients") && !entry.contains("testkit")).toList();
    String classes = client + System.getProperty("path.separator")
        + String.join(System.getProperty("path.separator"), others);
    return run(directory, Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx256m",
        "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", classes, program.getName(), kafka.bootstrap());
  }

  @Test
  void librdkafka(FakeCluster kafka) throws Exception {
    List<String> lines = python("confluent-kafka", "librdkafka.py", kafka);
    assertThat(lines).contains(STEPS);
    assertBothProtocols(lines.stream(), kafka);
  }

  @Test
  void kafkaPython(FakeCluster kafka) throws Exception {
    assertThat(python("kafka-python", "kafkapython.py", kafka)).contains(STEPS);
  }

  private List<String> python(String packageName, String script, FakeCluster kafka) throws Exception {
    assumeThatItRuns("python3", "--version");
    Path python = directory.resolve("venv/bin/python");
    assumeThatItRuns("python3", "-m", "venv", directory.resolve("venv").toString());
    assumeThatItRuns(python.toString(), "-m", "pip", "install", "-q", packageName);
    return run(directory, python.toString(), copy(script, script).toString(), kafka.bootstrap()).lines().toList();
  }

  @Test
  void franzGo(FakeCluster kafka) throws Exception {
    assumeThatItRuns("go", "version");
    Files.writeString(directory.resolve("go.mod"), "module foreign\n\ngo 1.24\n");
    var unused = copy("franz.go.txt", "main.go");
    assumeThatItRuns("go", "get", "github.com/twmb/franz-go@latest", "github.com/twmb/franz-go/pkg/kadm@latest");
    run(directory, "go", "build", "-o", "franz", ".");
    String output = run(directory, directory.resolve("franz").toString(), kafka.bootstrap());
    assertThat(output.lines()).contains(STEPS);
    assertBothProtocols(output.lines(), kafka);
  }

  private static void assertBothProtocols(Stream<String> lines, FakeCluster kafka) {
    assertThat(lines).contains("done groups consumer");
    assertThat(kafka.requests(ApiKey.JOIN_GROUP)).isNotEmpty();
    assertThat(kafka.requests(ApiKey.CONSUMER_GROUP_HEARTBEAT)).isNotEmpty();
  }

  private Path copy(String resource, String name) throws IOException {
    Path file = directory.resolve(name);
    try (InputStream in = ForeignClientsTest.class.getResourceAsStream(resource)) {
      Files.write(file, in.readAllBytes());
    }
    return file;
  }

  /** Without the language, or without a registry, there is nothing to try. */
  private void assumeThatItRuns(String... command) throws InterruptedException {
    try {
      assertThat(run(directory, command)).isNotNull();
    } catch (IOException | AssertionError e) {
      Assumptions.abort("skipped, because this does not run here: " + String.join(" ", command) + "\n"
          + e.getMessage());
    }
  }

  private static String run(Path directory, String... command) throws IOException, InterruptedException {
    Path output = Files.createTempFile(directory, "output", ".txt");
    Process process = new ProcessBuilder(new ArrayList<>(List.of(command))).directory(directory.toFile())
        .redirectErrorStream(true).redirectOutput(output.toFile()).start();
    try {
      assertThat(process.waitFor(PATIENCE_MINUTES, TimeUnit.MINUTES)).as("ends in time: " + List.of(command)).isTrue();
      String text = Files.readString(output);
      assertThat(process.exitValue()).as(String.join(" ", command) + "\n" + text).isZero();
      return text;
    } finally {
      process.destroyForcibly();
    }
  }
}
