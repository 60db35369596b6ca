package dev.decant.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class StressCommandTest {
  private final CommandLines lines = new CommandLines();

  @ParameterizedTest
  @CsvSource(delimiter = '|',
      value = {"--scenario juggle | juggle", "--clients librdkafka | librdkafka",
          "--clients bare-socket | beside bare-socket", "--clients decant,bare-socket --acks 0 | --acks 1",
          "--clients decant,bare-socket --record-size 1000 | records of 100 bytes", "--record-size 0 | --record-size",
          "--partitions 0 | --partitions", "--acks 2 | --acks", "--linger -1 | --linger",
          "--batch-size 0 | --batch-size", "--brokers 2 | --brokers", "--rounds 0 | --rounds",
          "--records -1 | --records", "--records 5 --duration 5 | exclude", "--colour red | --colour",
          "--records many | many", "--assert --clients decant | --assert", "--scenario poll-5,juggle | juggle",
          "--scenario poll-5,produce | alone", "--scenario poll-5 --acks 1 | --acks",
          "--scenario poll-5 --brokers 2 | --brokers", "--scenario poll-5 --rounds 0 | --rounds",
          "--scenario-file no/such.scenario | no/such.scenario", "--assert colour<=1 | colour",
          "--assert librdkafka.p50_us<=1 | librdkafka", "--assert p50_us<=1/0 | divides",
          "--scenario poll-5 --assert kafka-clients.p50_us<=1 | kafka-clients-classic",
          "--assert decant.p50_us<=kafka-clients.p99_us | two metrics"})
  void wrongUsageIsOneLineThatNamesItAndStartsNothing(String arguments, String named) {
    String[] words = ("stress " + arguments).split(" ", -1);

    assertThat(lines.run(words)).isEqualTo(Decant.USAGE);

    assertThat(lines.err().strip()).contains(named).startsWith("decant: ").hasLineCount(1);
    assertThat(lines.out()).isEmpty();
  }

  @Test
  void nobodyAssertsWhatNoRunFailsFor() {
    assertThat(lines.run("stress", "--assert", "informational p50_us <= 1")).isEqualTo(Decant.USAGE);

    assertThat(lines.err().strip()).startsWith("decant: --assert: \"informational p50_us <= 1\"").hasLineCount(1);
    assertThat(lines.out()).isEmpty();
  }

  @Tag("full")
  @Test
  void aClusterThatDoesNotAnswerIsOneLineThatNamesIt(@TempDir Path directory) {
    int code = lines.run("stress", "--bootstrap", "127.0.0.1:1", "--out", directory.toString());

    assertThat(code).isEqualTo(Decant.USAGE);
    assertThat(lines.err().lines().filter(line -> line.startsWith("decant: "))).singleElement().asString()
        .contains("127.0.0.1:1");
  }

  @Test
  void aWrongScenarioFileIsOneLineThatNamesTheLine(@TempDir Path directory) throws IOException {
    Path file = Files.writeString(directory.resolve("mine.scenario"), "title = T\nclients = decant\ncolour = red\n");

    assertThat(lines.run("stress", "--scenario-file", file.toString())).isEqualTo(Decant.USAGE);

    assertThat(lines.err().strip()).startsWith("decant: mine.scenario, line 3: ").contains("colour").hasLineCount(1);
    assertThat(lines.out()).isEmpty();
  }

  @Test
  void helpNamesEveryOption() {
    assertThat(lines.run("stress", "--help")).isZero();
    assertThat(lines.out()).contains("--scenario", "--scenario-file", "--clients", "--records", "--duration",
        "--record-size",
        "--partitions", "--acks", "--linger", "--batch-size", "--bootstrap", "--brokers", "--jvm-arg", "--rounds",
        "--seed", "--quick", "--json", "--out", "--assert");
  }
}
