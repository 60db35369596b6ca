package dev.decant.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class StressCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    CommandLine command = Decant.commandLine();
    command.setOut(new PrintWriter(out, true));
    command.setErr(new PrintWriter(err, true));
    return command.execute(arguments);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|',
      value = {"--scenario juggle | juggle", "--clients librdkafka | librdkafka", "--record-size 0 | --record-size",
          "--partitions 0 | --partitions", "--acks 2 | --acks", "--linger -1 | --linger",
          "--batch-size 0 | --batch-size", "--brokers 2 | --brokers", "--rounds 0 | --rounds",
          "--records -1 | --records", "--records 5 --duration 5 | exclude", "--colour red | --colour",
          "--records many | many", "--assert --clients decant | --assert"})
  void wrongUsageIsOneLineThatNamesItAndStartsNothing(String arguments, String named) {
    String[] words = ("stress " + arguments).split(" ", -1);

    assertThat(run(words)).isEqualTo(Decant.USAGE);

    assertThat(err.toString().strip()).contains(named).startsWith("decant: ").hasLineCount(1);
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void aClusterThatDoesNotAnswerIsOneLineThatNamesIt(@TempDir Path directory) {
    int code = run("stress", "--bootstrap", "127.0.0.1:1", "--out", directory.toString());

    assertThat(code).isEqualTo(Decant.FAILURE);
    assertThat(err.toString().lines().filter(line -> line.startsWith("decant: "))).singleElement().asString()
        .contains("127.0.0.1:1");
  }

  @Test
  void helpNamesEveryOption() {
    assertThat(run("stress", "--help")).isZero();
    assertThat(out.toString()).contains("--scenario", "--clients", "--records", "--duration", "--record-size",
        "--partitions", "--acks", "--linger", "--batch-size", "--bootstrap", "--brokers", "--jvm-arg", "--rounds",
        "--seed", "--quick", "--json", "--out", "--assert");
  }
}
