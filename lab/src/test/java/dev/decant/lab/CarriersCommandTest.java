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

@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CarriersCommandTest {
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
      value = {"--servers tomcat | tomcat", "--load heavy | heavy", "--connections 0 | --connections",
          "--connections 5001 | --connections", "--parallelism 0 | --parallelism", "--poller-modes 3 | --poller-modes",
          "--read-pollers 3 | --read-pollers", "--nice 20 | --nice", "--nice -1 | --nice", "--duration 0 | --duration",
          "--duration NaN | --duration", "--duration long | long", "--rounds 0 | --rounds", "--colour red | --colour"})
  void wrongUsageIsOneLineThatNamesItAndStartsNothing(String arguments, String named) {
    String[] words = ("carriers " + arguments).split(" ", -1);

    assertThat(run(words)).isEqualTo(Decant.USAGE);

    assertThat(err.toString().strip()).contains(named).startsWith("decant: ").hasLineCount(1);
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void aServerThatDoesNotStartIsOneLineAndTheResultIsWritten(@TempDir Path directory) {
    int code = run("carriers", "--servers", "selector", "--load", "plain", "--parallelism", "1", "--connections", "1",
        "--quick", "--jvm-arg", "-XX:NoSuchFlag=1", "--out", directory.toString());

    assertThat(code).isEqualTo(Decant.FAILURE);
    assertThat(err.toString().lines().filter(line -> line.startsWith("decant: "))).singleElement().asString()
        .contains("selector");
    assertThat(directory.resolve("result.json")).content().contains("\"failures\"", "NoSuchFlag");
    assertThat(directory.resolve("report.html")).exists();
  }

  @Test
  void helpNamesEveryOption() {
    assertThat(run("carriers", "--help")).isZero();
    assertThat(out.toString()).contains("--servers", "--connections", "--load", "--duration", "--parallelism",
        "--poller-modes", "--read-pollers", "--nice", "--rounds", "--quick", "--jvm-arg", "--out", "--json");
  }
}
