package dev.decant.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests addresses of a cluster at which no cluster listens. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class BootstrapAddressTest {
  @TempDir
  private Path directory = Path.of("");

  private final CommandLines lines = new CommandLines();

  @ParameterizedTest
  @ValueSource(strings = {"garbage", "localhost", "localhost:0", "localhost:65536", "localhost:port", "host:1,",
      "http://localhost:9092", ":9092", "[::1:9092", "two words:9092", "a:1;b:2"})
  void anAddressThatIsNoneIsRefusedBeforeAnythingIsStarted(String bootstrap) {
    assertThat(lines.run("wait", "--bootstrap", bootstrap)).isEqualTo(Decant.USAGE);

    assertThat(lines.err().strip()).startsWith("decant: --bootstrap must be HOST:PORT")
        .contains("\"" + bootstrap + "\"")
        .hasLineCount(1);
  }

  @Test
  void aHostThatNobodyKnowsIsOneLine() {
    assertThat(lines.run("gc", "--bootstrap", "no-such-host.invalid:9092", "--out", directory.toString()))
        .isEqualTo(Decant.USAGE);

    assertThat(lines.err().lines().filter(line -> line.startsWith("decant: "))).singleElement().asString()
        .contains("no cluster at no-such-host.invalid:9092", "no such host");
  }
}
