package dev.decant.fix.log;

import static dev.decant.fix.log.LogFolder.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Credentials never reach a line, whatever the bytes around them. */
class MaskingTest {
  private static final String SECRET = "hunter2";

  private final LineFormatter formatter = new LineFormatter(
      new Masking(new TreeMap<>(Map.of(554, 0, 925, 0, 96, 95, 1402, 1401))), false);

  /** What becomes of a message, with | for SOH on both sides. */
  private String masked(String message) {
    String bytes = message.replace('|', '\1');
    String line = LineFormatterTest.line(formatter, NOW, bytes, bytes.length());
    return line.substring(line.indexOf(" in ") + 4, line.length() - 1);
  }

  @ParameterizedTest
  @CsvSource(quoteCharacter = '"', delimiter = ';', value = {
      "35=A|553=me|554=hunter2|925=hunter3|10=000|; 35=A|553=me|554=***|925=***|10=000|",
      "554=hunter2; 554=***",
      "554=hunter2|; 554=***|",
      "554=|10=000|; 554=***|10=000|",
      "35=A|554=; 35=A|554=***",
      "35=A|554=a=b=c|58=x|; 35=A|554=***|58=x|",
      "55=MSFT|5540=open|1554=open|; 55=MSFT|5540=open|1554=open|",
      "35=A|553=554|58=554|; 35=A|553=554|58=554|"
  })
  void passwordsAreMasked(String message, String line) {
    assertThat(masked(message)).isEqualTo(line);
  }

  @Test
  void passwordMayHoldAnyByteButSoh() {
    assertThat(masked("554=\0\r\n\\\u00ff|58=x|")).isEqualTo("554=***|58=x|");
  }

  @ParameterizedTest
  @CsvSource(quoteCharacter = '"', delimiter = ';', value = {
      "95=7|96=hunter2|98=0|; 95=7|96=***|98=0|",
      "95=12|96=a|b=c|554=hu|98=0|; 95=12|96=***|98=0|",
      "95=0|96=|98=0|; 95=0|96=***|98=0|",
      "95=7|96=hunter2; 95=7|96=***",
      "95=7|96=hunter2|; 95=7|96=***|",
      "1401=9|1402=abc|12=de|98=0|; 1401=9|1402=***|98=0|"
  })
  void dataIsMaskedOverItsLength(String message, String line) {
    assertThat(masked(message)).isEqualTo(line);
  }

  @ParameterizedTest
  @ValueSource(strings = {
      // too short, too long, beyond the end, absurd, negative, no number, empty
      "95=3|96=abc|hunter2|98=0|", "95=6|96=hunter2|98=0|", "95=8|96=hunter2|98=0|", "95=500|96=hunter2|98=0|",
      "95=2147483655|96=hunter2|98=0|", "95=4294967303|96=hunter2|98=0|", "95=99999999999999999999|96=hunter2|98=0|",
      "95=-7|96=hunter2|98=0|", "95=7x|96=hunter2|98=0|", "95= 7|96=hunter2|98=0|", "95=|96=hunter2|98=0|",
      // missing, elsewhere, of another field
      "96=hunter2|98=0|", "95=3|98=0|96=abc|hunter2|", "96=abc|95=3|hunter2|", "1401=3|96=abc|hunter2|",
      // nothing follows that a field could be
      "95=3|96=abc||hunter2|", "95=3|96=abc|=hunter2|", "95=3|96=abc|98 hunter2|", "95=3|96=abc|98"})
  void restIsMaskedIfALengthLies(String message) {
    String line = masked(message);

    assertThat(line).doesNotContain(SECRET).endsWith("96=***");
  }

  @ParameterizedTest
  @ValueSource(strings = {
      "554=hunter2", "\r\n554=hunter2", "garbage 554=hunter2 more", "x554=hunter2", "98=0554=hunter2|10=000|",
      "00554=hunter2|", "8=FIX.4.4^A554=hunter2^A10=000^A", "8=FIX.4.4;554=hunter2;", "||554=hunter2||",
      "=554=hunter2|", "554==hunter2|", "58=see 554=hunter2|", "58=see 96=abc|hunter2|", "108=3096=abc|hunter2|",
      "95=7|98=096=hunter2|", "99999999999999999999554=hunter2"})
  void garbledMessagesAreMasked(String message) {
    assertThat(masked(message)).doesNotContain(SECRET).contains("=***");
  }

  @Test
  void eachCutOfALogonHidesItsSecrets() {
    String logon = "8=FIX.4.4|9=99|35=A|95=18|96=hunter2|54=hunter2|98=0|553=me|554=hunter2|925=hunter2|10=000|";
    assertThat(masked(logon)).isEqualTo("8=FIX.4.4|9=99|35=A|95=18|96=***|98=0|553=me|554=***|925=***|10=000|");
    for (int from = 0; from <= logon.indexOf("96="); from++) {
      for (int to = from; to <= logon.length(); to++) {
        assertThat(masked(logon.substring(from, to))).doesNotContain("hunter");
      }
    }
  }

  /** Any bytes with passwords among them: none shows, and nothing is read beyond the message. */
  @Test
  void randomBytesHideTheirPasswords() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    String[] pieces = {"|", "=", "554=", "|554=" + SECRET, "|925=" + SECRET, "95=", "|96=", "|95=7", "7", "98=0", "\n",
        "x", "|1401=3", "|1402=", "\\", "0", "\0"};
    for (int i = 0; i < 20_000; i++) {
      StringBuilder message = new StringBuilder();
      for (int n = random.nextInt(12); n >= 0; n--) {
        message.append(pieces[random.nextInt(pieces.length)]);
      }
      assertThat(masked(message.toString())).as("seed %d, message %s", seed, message).doesNotContain(SECRET);
    }
  }
}
