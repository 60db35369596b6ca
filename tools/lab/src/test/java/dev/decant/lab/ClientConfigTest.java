package dev.decant.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fake.FakeCluster;
import dev.decant.testkit.TestAuthority;
import dev.decant.testkit.TestCertificate;
import dev.decant.tls.KeySource;
import dev.decant.tls.TlsSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests client configs. Before them, a cluster with TLS and credentials could not be measured. */
@Tag("full")
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class ClientConfigTest {
  private static final String PASSWORD = "planted-47-in-the-file";
  private static final String SENDING = """
      title = A few records, each waited for
      clients = decant, kafka-clients
      work = send-and-wait
      turns = 1
      partitions = 1
      producer.linger.ms = 0
      records = 20
      warm-up = 4
      """;

  private static final TestAuthority AUTHORITY = TestAuthority.create();
  private static FakeCluster cluster;

  @TempDir
  private Path directory = Path.of("");

  private final CommandLines lines = new CommandLines();

  @BeforeAll
  static void start() {
    TestCertificate server = AUTHORITY.server("localhost", "127.0.0.1");
    TlsSettings tls = TlsSettings.builder().keys(KeySource.pemText(server.chainPem(), server.keyPem(), new char[0]))
        .build();
    cluster = FakeCluster.builder().tls(tls).sasl("PLAIN").user("alice", PASSWORD).start();
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  /** Writes a config as Kafka's own tools take it: with settings for producers, consumers and tools, too. */
  private Path config(String password, String... more) throws IOException {
    Path trusted = AUTHORITY.writePem(directory.resolve("ca.pem"));
    String text = """
        bootstrap.servers=nowhere.invalid:9092
        security.protocol=SASL_SSL
        sasl.mechanism=PLAIN
        sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required \\
          username="alice" password="%s";
        ssl.truststore.type=PEM
        ssl.truststore.location=%s
        group.id=mine
        key.serializer=org.apache.kafka.common.serialization.StringSerializer
        """.formatted(password, trusted);
    return Files.writeString(directory.resolve("client.properties"), text + String.join("\n", more));
  }

  private String[] stress(String scenario, Path config) throws IOException {
    Path file = Files.writeString(directory.resolve("mine.scenario"), scenario);
    return new String[] {"stress", "--bootstrap", cluster.bootstrap(), "--client-config", config.toString(),
        "--scenario-file", file.toString(), "--jvm-arg", "-XX:TieredStopAtLevel=1", "--out",
        directory.resolve("result").toString()};
  }

  private static String commandLines() {
    return ProcessHandle.current().descendants().map(process -> process.info().commandLine().orElse(""))
        .collect(Collectors.joining("\n"));
  }

  @Test
  void everyClientOfARunUsesTheFileAndItsPasswordIsNowhereElse() throws Exception {
    String[] command = stress(SENDING, config(PASSWORD));
    AtomicInteger code = new AtomicInteger(-1);
    Set<String> seen = new TreeSet<>();
    Thread running = Thread.ofPlatform().start(() -> code.set(lines.run(command)));
    while (!running.join(Duration.ofMillis(100))) {
      seen.add(commandLines());
    }

    assertThat(code).as(lines.err()).hasValue(0);
    assertThat(lines.out()).contains("all 20");
    assertThat(lines.err()).contains("not used, since each run sets them: bootstrap.servers, group.id, key.serializer");
    assertThat(seen).anySatisfy(line -> assertThat(line).contains("DriverMain", "client.properties"))
        .allSatisfy(line -> assertThat(line).doesNotContain(PASSWORD));
    assertThat(lines.out() + lines.err()).doesNotContain(PASSWORD);
    try (Stream<Path> files = Files.walk(directory.resolve("result"))) {
      List<Path> written = files.filter(Files::isRegularFile).toList();
      assertThat(written).hasSizeGreaterThan(1)
          .allSatisfy(file -> assertThat(file).content(StandardCharsets.ISO_8859_1).doesNotContain(PASSWORD));
    }
    assertThat(directory.resolve("result").resolve("result.json")).content().contains("client.properties");
  }

  @Test
  void aNameThatDecantDoesNotKnowIsOneLineWithTheNameOfTheFile() throws Exception {
    Path config = config(PASSWORD, "linger.seconds=5", "batch.size=many");

    assertThat(lines.run(stress(SENDING, config))).isEqualTo(Decant.USAGE);

    assertThat(lines.err().strip()).startsWith("decant: --client-config " + config + ": ")
        .contains("linger.seconds", "batch.size").doesNotContain(PASSWORD).hasLineCount(1);
  }

  @Test
  void aWrongPasswordIsOneLineThatNamesTheCluster() throws Exception {
    assertThat(lines.run(stress(SENDING, config("wrong-password")))).isEqualTo(Decant.USAGE);

    assertThat(lines.err().lines().filter(line -> line.startsWith("decant: "))).singleElement().asString()
        .contains(cluster.bootstrap(), "Authentication failed", "check the client config");
    assertThat(lines.err()).doesNotContain("wrong-password");
  }

  @Test
  void aLoopWithoutAClientRefusesCredentials() throws Exception {
    String scenario = """
        title = A bare loop
        clients = bare-socket
        work = round-trip
        partitions = 1
        records = 20
        """;

    assertThat(lines.run(stress(scenario, config(PASSWORD)))).isEqualTo(Decant.FAILURE);

    assertThat(lines.err())
        .contains("client.properties: security.protocol=SASL_SSL: a loop without a client has no credentials")
        .doesNotContain(PASSWORD);
  }
}
