package dev.decant.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.testkit.ExternalCluster;
import dev.decant.testkit.TestCluster;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Tests the brokers that a user starts for other programs. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class BrokerCommandTest {
  private static final Duration REACH = Duration.ofSeconds(30);

  /** Completes with the first lines of the output. */
  private static final class Lines extends StringWriter {
    private final int count;
    private final CompletableFuture<List<String>> lines = new CompletableFuture<>();

    Lines(int count) {
      this.count = count;
    }

    @Override
    public void flush() {
      List<String> written = toString().lines().limit(count).toList();
      if (written.size() == count) {
        lines.complete(written);
      }
    }
  }

  @Tag("full")
  @Test
  void aClusterServesUntilStandardInputCloses() throws Exception {
    InputStream stdin = System.in;
    try {
      assertThat(codeAfterUse().get(60, TimeUnit.SECONDS)).isZero();
    } finally {
      System.setIn(stdin);
    }
  }

  /** Runs the command until its brokers were used; standard input is closed when this method returns. */
  private static CompletableFuture<Integer> codeAfterUse() throws Exception {
    Lines out = new Lines(1);
    try (PipedOutputStream keyboard = new PipedOutputStream()) {
      System.setIn(new PipedInputStream(keyboard));
      CommandLine command = Decant.commandLine();
      command.setOut(new PrintWriter(out, false));
      command.setErr(new PrintWriter(new StringWriter()));
      CompletableFuture<Integer> code = CompletableFuture
          .supplyAsync(() -> command.execute("broker", "--topic", "orders=3", "--setting", "num.io.threads=2"));

      String bootstrap = out.lines.get(200, TimeUnit.SECONDS).getFirst();
      assertThat(endOffsets(bootstrap)).containsExactly(0, 0, 0);
      assertThat(code).isNotDone();
      return code;
    }
  }

  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"scram", "oauth"})
  void securedClusterTakesAClientByThePropertiesFileThatItNames(String mechanism, @TempDir Path directory)
      throws Exception {
    Lines out = new Lines(2);
    CompletableFuture<Integer> code;
    try (PipedOutputStream keyboard = new PipedOutputStream(); InputStream input = new PipedInputStream(keyboard)) {
      BrokerCommand broker = new BrokerCommand();
      CommandLine command = new CommandLine(broker);
      command.setOut(new PrintWriter(out, false));
      command.setErr(new PrintWriter(new StringWriter()));
      var unused = command.parseArgs("--tls", "--sasl", mechanism, "--client-files", directory.toString(), "--topic",
          "orders=1");
      code = CompletableFuture.supplyAsync(() -> {
        try {
          return broker.run(input);
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      });
      List<String> lines = out.lines.get(200, TimeUnit.SECONDS);
      Path file = Path.of(lines.get(1));
      assertThat(file).isEqualTo(directory.resolve("client.properties"));
      Properties properties = new Properties();
      try (var reader = Files.newBufferedReader(file)) {
        properties.load(reader);
      }
      assertThat(properties).containsEntry("bootstrap.servers", lines.getFirst()).containsEntry("security.protocol",
          "SASL_SSL");
      try (KafkaClient client = KafkaClient.fromProperties(properties);
          Producer<String, String> producer = client.producer(Serdes.string(), Serdes.string()).topic("orders")
              .open()) {
        assertThat(producer.sendAndWait("k", "v").offset()).isZero();
      }
      if (mechanism.equals("scram")) {
        try (Admin apache = Admin.create(properties)) {
          assertThat(apache.listTopics().names().get()).contains("orders");
        }
      }
    }
    assertThat(code.get(60, TimeUnit.SECONDS)).isZero();
    assertThat(directory.resolve("client.properties")).exists();
  }

  @Test
  void mechanismsThatThereAreNotAndFilesForNobodyAreWrongUsage() {
    CommandLines lines = new CommandLines();
    assertThat(lines.run("broker", "--sasl", "kerberos")).isEqualTo(2);
    assertThat(lines.err()).contains("--sasl must be plain, scram, oauth or none, not kerberos");
    CommandLines files = new CommandLines();
    assertThat(files.run("broker", "--client-files", "somewhere")).isEqualTo(2);
    assertThat(files.err()).contains("--client-files needs --tls or --sasl");
  }

  private static long[] endOffsets(String bootstrap) throws IOException {
    try (TestCluster cluster = ExternalCluster.connect(bootstrap, REACH)) {
      return cluster.endOffsets("orders");
    }
  }
}
