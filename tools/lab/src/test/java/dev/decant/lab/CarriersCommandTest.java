package dev.decant.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CarriersCommandTest {
  private final CommandLines lines = new CommandLines();

  @ParameterizedTest
  @CsvSource(delimiter = '|',
      value = {"--servers tomcat | tomcat", "--load heavy | heavy", "--connections 0 | --connections",
          "--connections 5001 | --connections", "--parallelism 0 | --parallelism", "--poller-modes 3 | --poller-modes",
          "--read-pollers 3 | --read-pollers", "--nice 20 | --nice", "--nice -1 | --nice", "--duration 0 | --duration",
          "--duration NaN | --duration", "--duration long | long", "--rounds 0 | --rounds", "--colour red | --colour"})
  void wrongUsageIsOneLineThatNamesItAndStartsNothing(String arguments, String named) {
    String[] words = ("carriers " + arguments).split(" ", -1);

    assertThat(lines.run(words)).isEqualTo(Decant.USAGE);

    assertThat(lines.err().strip()).contains(named).startsWith("decant: ").hasLineCount(1);
    assertThat(lines.out()).isEmpty();
  }

  @Test
  void aServerThatDoesNotStartIsOneLineAndTheResultIsWritten(@TempDir Path directory) {
    int code = lines.run("carriers", "--servers", "selector", "--load", "plain", "--parallelism", "1", "--connections",
        "1",
        "--quick", "--jvm-arg", "-XX:NoSuchFlag=1", "--out", directory.toString());

    assertThat(code).isEqualTo(Decant.FAILURE);
    assertThat(lines.err().lines().filter(line -> line.startsWith("decant: "))).singleElement().asString()
        .contains("selector");
    assertThat(directory.resolve("result.json")).content().contains("\"failures\"", "NoSuchFlag");
    assertThat(directory.resolve("report.html")).exists();
  }

  @Test
  void helpNamesEveryOption() {
    assertThat(lines.run("carriers", "--help")).isZero();
    assertThat(lines.out()).contains("--servers", "--connections", "--load", "--duration", "--parallelism",
        "--poller-modes", "--read-pollers", "--nice", "--rounds", "--quick", "--jvm-arg", "--out", "--json");
  }
}
