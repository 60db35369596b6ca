package dev.decant.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.producer.Ack;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.serialization.Serdes;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** A fake cluster that somebody starts for a program of another language. */
@Timeout(60)
class FakeCommandTest {
  /** Completes with the first line. */
  private static final class FirstLine extends StringWriter {
    private final CompletableFuture<String> line = new CompletableFuture<>();

    @Override
    public void flush() {
      toString().lines().findFirst().ifPresent(line::complete);
    }
  }

  @SuppressWarnings("try") // closing it is what the test is about
  @Test
  void servesWithTheFaultsThatWereAskedForUntilItsInputCloses() throws Exception {
    FirstLine out = new FirstLine();
    String bootstrap;
    CompletableFuture<Integer> code;
    try (PipedOutputStream keyboard = new PipedOutputStream();
        PipedInputStream input = new PipedInputStream(keyboard)) {
      FakeCommand fake = new FakeCommand();
      CommandLine command = new CommandLine(fake);
      command.setOut(new PrintWriter(out, false));
      command.setErr(new PrintWriter(new StringWriter()));
      var unused = command.parseArgs("--end-with-stdin", "--brokers", "2", "--topic", "orders=6", "--release", "3.9",
          "--setting", "num.partitions=3", "--fault", "Produce topic=orders nth=1 close-after", "--fault",
          "Metadata every delay=1ms");
      code = CompletableFuture.supplyAsync(() -> run(fake, input));
      bootstrap = out.line.get(30, TimeUnit.SECONDS);
      assertThat(bootstrap.split(",")).hasSize(2);
      try (KafkaClient client = KafkaClient.connect(bootstrap);
          Producer<String, String> orders = client.producer(Serdes.string(), Serdes.string()).topic("orders").open()) {
        Ack ack = orders.sendAndWait("key", "value");
        assertThat(ack.offset()).isZero();
      }
      assertThat(code).isNotDone();
      keyboard.close();
      assertThat(code.get(30, TimeUnit.SECONDS)).isZero();
    }
    assertNobodyListens(bootstrap.split(",", -1)[0]);
  }

  /** SIGTERM, or Ctrl-C where the tests' own process takes it. */
  @Test
  void aSignalEndsItAndFreesThePort(@TempDir Path directory) throws Exception {
    try (CommandInAJvm command = new CommandInAJvm(directory, "fake")) {
      command.await("serving until Ctrl-C");
      String bootstrap = Files.readString(directory.resolve("out")).strip();
      new Socket(InetAddress.getLoopbackAddress(), portOf(bootstrap)).close();
      assertThat(command.interrupt()).isIn(130, 143);
      assertNobodyListens(bootstrap);
    }
  }

  private static int run(FakeCommand fake, PipedInputStream input) {
    try {
      return fake.run(input);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static int portOf(String address) {
    return Integer.parseInt(address.substring(address.indexOf(':') + 1));
  }

  private static void assertNobodyListens(String address) {
    assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), portOf(address)))
        .isInstanceOf(ConnectException.class);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "--fault|Prodce close-after|decant: fault 'Prodce close-after': Prodce is not an API of Kafka; begin with one",
      "--fault|Produce answer=OOPS|decant: fault 'Produce answer=OOPS': answer=OOPS is not an error of Kafka's brokers",
      "--topic|orders=many|decant: topic 'orders=many': many is not a number of partitions; write it as orders=6",
      "--topic|orders=0|decant: topic orders cannot have 0 partitions",
      "--release|new|decant: --release must be like 3.9, not new",
      "--release|1.0|decant: release 1.0 is not one of 2.1 to 4.4",
      "--setting|no.such=1|decant: Unknown setting no.such",
      "--brokers|0|decant: brokers: 0 is not in 1..1000",
      "--port|70000|decant: --port must be at most 65535, not 70000"})
  void wrongUsageIsOneLineThatNamesTheInput(String option, String value, String message) {
    CommandLines lines = new CommandLines();
    assertThat(lines.run("fake", option, value)).isEqualTo(Decant.USAGE);
    assertThat(lines.err()).startsWith(message).hasLineCount(1);
  }

  @Test
  void aPortThatIsTakenIsAnErrorThatNamesIt() throws Exception {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      CommandLines lines = new CommandLines();
      String port = Integer.toString(socket.getLocalPort());
      assertThat(lines.run("fake", "--port", port)).isEqualTo(Decant.USAGE);
      assertThat(lines.err()).contains("cannot listen on port " + port, "give another --port").hasLineCount(1);
    }
  }
}
