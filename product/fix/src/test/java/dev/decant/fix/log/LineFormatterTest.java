package dev.decant.fix.log;

import static dev.decant.fix.log.LogFolder.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The text of a line: time, escapes, and the note of a cut. */
class LineFormatterTest {
  private final LineFormatter formatter = new LineFormatter(new Masking(new TreeMap<>(Map.of(554, 0, 96, 95))), false);

  /** The line of a message whose bytes are these characters. */
  static String line(LineFormatter formatter, long epochNanos, String message, int messageLength) {
    LogRing ring = new LogRing(1 << 16);
    byte[] name = EventText.name(LogFolder.SESSION, 100);
    byte[] bytes = message.getBytes(StandardCharsets.ISO_8859_1);
    int index = ring.claim(name.length + bytes.length);
    ring.describe(index, LogRing.INBOUND, name.length, epochNanos);
    ring.lengths(index, messageLength, bytes.length);
    ring.memory().put(index + LogRing.HEADER_BYTES, name);
    ring.memory().put(index + LogRing.HEADER_BYTES + name.length, bytes);
    ByteBuffer out = ByteBuffer.allocateDirect(LineFormatter.FRAME_BYTES + name.length
        + bytes.length * LineFormatter.GROWTH);
    int end = formatter.record(ring, index, out, 0);
    byte[] line = new byte[end];
    out.get(0, line);
    return new String(line, StandardCharsets.ISO_8859_1);
  }

  private String message(String message) {
    String line = line(formatter, NOW, message, message.length());
    String start = "20260314-09:26:53.589793 FIX.4.4:SELLER->BUYER in ";
    assertThat(line).startsWith(start).endsWith("\n");
    return line.substring(start.length(), line.length() - 1);
  }

  @Test
  void lineHasTimeSessionDirectionAndMessage() {
    assertThat(line(formatter, NOW, "8=FIX.4.4\1" + "9=5\1", 13))
        .isEqualTo("20260314-09:26:53.589793 FIX.4.4:SELLER->BUYER in 8=FIX.4.4|9=5|\n");
  }

  @Test
  void timesBeforeTheEpochAndAtTheEdgesOfDaysAreRight() {
    assertThat(line(formatter, -1, "", 0)).startsWith("19691231-23:59:59.999999 ");
    assertThat(line(formatter, 0, "", 0)).startsWith("19700101-00:00:00.000000 ");
    assertThat(line(formatter, LogFolder.epochNanos("2028-02-29T23:59:59.999999999Z"), "", 0))
        .startsWith("20280229-23:59:59.999999 ");
    assertThat(line(formatter, LogFolder.epochNanos("2028-03-01T00:00:00Z"), "", 0))
        .startsWith("20280301-00:00:00.000000 ");
  }

  @Test
  void bytesThatAreNotPrintableNeverBreakALine() {
    assertThat(message("58=a\r\nb\0c\u007f\u0080\u00ff\t")).isEqualTo("58=a\\x0D\\x0Ab\\x00c\\x7F\\x80\\xFF\\x09");
  }

  @Test
  void escapesCanBeUndone() {
    assertThat(message("58=a|b\\x0A\1")).isEqualTo("58=a\\x7Cb\\\\x0A|");
  }

  @Test
  void sohIsKeptIfThatIsSet() {
    LineFormatter raw = new LineFormatter(new Masking(new TreeMap<>()), true);

    assertThat(line(raw, NOW, "58=a|b\1\n", 8)).endsWith(" 58=a|b\1\\x0A\n");
  }

  @Test
  void cutMessageSaysHowMuchIsMissing() {
    assertThat(line(formatter, NOW, "8=FIX", 12_345)).endsWith(" 8=FIX \\(12340 bytes more)\n");
  }

  @Test
  void everyByteIsEscapedWithinTheRoomThatIsKeptForIt() {
    String worst = "\0".repeat(1000);

    assertThat(message(worst)).isEqualTo("\\x00".repeat(1000));
    assertThat(message("554=\1".repeat(1000))).isEqualTo("554=***|".repeat(1000));
  }

  @Test
  void linesOfLossHaveNoSession() {
    ByteBuffer out = ByteBuffer.allocateDirect(LineFormatter.FRAME_BYTES);
    byte[] line = new byte[formatter.lost(Long.MAX_VALUE, NOW, out, 0)];
    out.get(0, line);

    assertThat(new String(line, StandardCharsets.US_ASCII))
        .isEqualTo("20260314-09:26:53.589793 - event 9223372036854775807 messages were not logged\n");
  }
}
