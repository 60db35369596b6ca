package dev.decant.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.producer.Ack;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.serialization.Serdes;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** Tests the fake cluster that a user starts for a program in another language. */
@Timeout(60)
class FakeCommandTest {
  /** Completes with the first line of the output. */
  private static final class FirstLine extends StringWriter {
    private final CompletableFuture<String> line = new CompletableFuture<>();

    @Override
    public void flush() {
      toString().lines().findFirst().ifPresent(line::complete);
    }
  }

  @SuppressWarnings("try") // the end of the try block closes the cluster, which is what the test checks
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

  /** Sends SIGTERM, or SIGINT where the tests' own process does not ignore it. */
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
      "--topic|orders=100001|decant: topic orders cannot have 100001 partitions; 1 to 100000 are possible",
      "--topic|orders=99999999999|decant: topic 'orders=99999999999': 99999999999 is not a number of partitions",
      "--release|1.0|decant: release 1.0 is not one of 2.1 to 2.8, 3.0 to 3.9 and 4.0 to 4.4",
      "--release|3.42|decant: release 3.42 is not one of 2.1 to 2.8, 3.0 to 3.9 and 4.0 to 4.4",
      "--setting|no.such=1|decant: Unknown setting no.such",
      "--setting|num.partitions|decant: --setting must be like num.partitions=3, not num.partitions",
      "--setting|num.partitions=x|decant: Invalid value x for configuration num.partitions: Not a number",
      "--fault|Produce every nth=2 close-after|decant: fault 'Produce every nth=2 close-after': nth=2 contradicts "
          + "every",
      "--fault|Produce broker=2 close-after|decant: fault 'Produce broker=2 close-after': broker=2 is no broker",
      "--brokers|0|decant: --brokers must be 1 to 1000, not 0",
      "--brokers|1001|decant: --brokers must be 1 to 1000, not 1001",
      "--brokers|100000|decant: --brokers must be 1 to 1000, not 100000",
      "--brokers|2147483647|decant: --brokers must be 1 to 1000, not 2147483647",
      "--brokers|many|decant: Invalid value for option '--brokers': 'many' is not an int",
      "--port|-1|decant: --port must be 1 to 65535, or 0 for free ports, not -1",
      "--port|2147483647|decant: --port must be 1 to 65535, or 0 for free ports, not 2147483647",
      "--port|70000|decant: --port must be 1 to 65535, or 0 for free ports, not 70000"})
  void wrongUsageIsOneLineThatNamesTheInput(String option, String value, String message) {
    CommandLines lines = new CommandLines();
    assertThat(lines.run("fake", option, value)).isEqualTo(Decant.USAGE);
    assertThat(lines.err()).startsWith(message).hasLineCount(1);
  }

  /** Settings that were given twice, or had no name, were accepted without an error. */
  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"--topic orders=6 --topic orders=1|topic orders is given twice; remove one",
      "--setting num.partitions=1 --setting num.partitions=2|--setting num.partitions is given twice; remove one",
      "--topic orders=6 --fault Produce_topic=ordres_close-after|topic=ordres is no topic of this cluster; create it",
      "--brokers 2 --port 65535|--port must be 1 to 65534, or 0 for free ports, not 65535"})
  void contradictionsAreOneLineThatNamesTheWord(String arguments, String message) {
    CommandLines lines = new CommandLines();
    String[] words = ("fake " + arguments).split(" ", -1);
    for (int i = 0; i < words.length; i++) {
      words[i] = words[i].replace('_', ' ');
    }
    assertThat(lines.run(words)).isEqualTo(Decant.USAGE);
    assertThat(lines.err()).contains(message).hasLineCount(1);
  }

  /** The command filled its heap, and then responded to no request. */
  @Test
  void aFullHeapIsOneLineAndTheEnd(@TempDir Path directory) throws Exception {
    try (CommandInAJvm command = new CommandInAJvm(directory, "fake", "--topic", "load")) {
      command.await("serving until Ctrl-C");
      String bootstrap = Files.readString(directory.resolve("out")).strip();
      try (KafkaClient client = KafkaClient.connect(bootstrap);
          Producer<byte[], byte[]> load = client.producer(Serdes.bytes(), Serdes.bytes()).topic("load").open()) {
        for (int i = 0; i < 100; i++) { // the heap has 128 MiB
          var unused = load.sendAsync(null, new byte[900_000], null);
        }
        assertThat(command.end()).isEqualTo(Decant.FAILURE);
        load.close(Duration.ZERO); // rejected records are lost with the cluster
      }
      assertThat(command.outputSoFar().lines().filter(line -> line.startsWith("decant: "))).singleElement().asString()
          .contains("the logs are full", "DECANT_HEAP=4g", "log.retention.bytes=BYTES");
    }
  }

  /** Every failure of a start suggested another port. */
  @Test
  void onlyAPortThatIsTakenAsksForAnother() {
    assertThat(FakeCommand.isOfTakenPort(
        new IllegalStateException(new IOException(new BindException("Address already in use"))))).isTrue();
    assertThat(FakeCommand.isOfTakenPort(
        new IllegalStateException(new IOException(new BindException("Permission denied"))))).isFalse();
    assertThat(FakeCommand.isOfTakenPort(new IllegalStateException(new IOException("Too many open files")))).isFalse();
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
