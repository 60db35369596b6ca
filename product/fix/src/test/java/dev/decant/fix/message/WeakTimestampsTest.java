package dev.decant.fix.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Formats of times that counterparties use instead of those of FIX. */
class WeakTimestampsTest {
  private static final long NONE = Timestamps.NO_TIMESTAMP;
  /** 2024-02-29, 12:30:45. */
  private static final long TIME = 1_709_209_845_000_000_000L;
  private static final long NOON = (12 * 60 + 30) * 60_000_000_000L;

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(("x" + text + "0000000").getBytes(StandardCharsets.ISO_8859_1));
  }

  private static long timestamp(String text) {
    return WeakTimestamps.parse(bytes(text), 1, 1 + text.length());
  }

  private static long date(String text) {
    return WeakTimestamps.parseDate(bytes(text), 1, 1 + text.length());
  }

  private static long time(String text) {
    return WeakTimestamps.parseTime(bytes(text), 1, 1 + text.length());
  }

  @Test
  void readsWhatFixWrites() {
    for (String text : new String[] {"20240229-12:30:45", "20240229-12:30:45.000", "20240229-12:30:45.000000000000"}) {
      assertThat(timestamp(text)).as(text).isEqualTo(TIME);
    }
    assertThat(timestamp("20240229-12:30:45.123456789123")).isEqualTo(TIME + 123_456_789);
    assertThat(date("20240229")).isEqualTo(19_782);
    assertThat(time("12:30:00.5")).isEqualTo(NOON + 500_000_000);
  }

  @Test
  void readsOtherShapes() {
    for (String text : new String[] {"2024-02-29-12:30:45", "2024/02/29 12:30:45", "20240229T12:30:45",
        "2024-02-29T12:30:45Z", "20240229-123045", "20240229-12:30:45,000", "20240229-12:30:45.",
        "20240229-12:30:45.0000000000000000000Z", "2024-02-29T12:30:45+00:00", "2024-02-29T12:30:45-00:00",
        " 20240229-12:30:45 "}) {
      assertThat(timestamp(text)).as(text).isEqualTo(TIME);
    }
    assertThat(timestamp("20240229-12:30")).isEqualTo(TIME - 45_000_000_000L);
    assertThat(timestamp("20240229-1230")).isEqualTo(TIME - 45_000_000_000L);
    assertThat(timestamp("20240229-9:30:45")).isEqualTo(TIME - 3 * 3_600_000_000_000L);
    assertThat(timestamp("20240229")).isEqualTo(19_782 * 86_400_000_000_000L);
    assertThat(date("2024-02-29")).isEqualTo(19_782);
    assertThat(time("12:30")).isEqualTo(NOON);
    assertThat(time("1230Z")).isEqualTo(NOON);
  }

  @Test
  void refusesWhatIsNoTime() {
    for (String text : new String[] {"", " ", "x", "20240230-12:30:45", "2024-02/29 12:30:45", "20240229-",
        "20240229-1",
        "20240229-24:00:00", "20240229-12:60:00", "20240229-12:30:61", "20240229-12:30:45+01:00", "20240229_12:30:45",
        "20240229-12:3045", "20240229-1230:45", "20240229-12:30:45.1x", "20240229-12:30:45 PM", "0001-01-01",
        "29.02.2024 12:30:45", "9999-12-31T00:00:00Z", "20240229-::", "2024-2-29 12:30:45"}) {
      assertThat(timestamp(text)).as(text).isEqualTo(NONE);
    }
    assertThat(date("2024-02-29T")).isEqualTo(NONE);
    assertThat(time("noon")).isEqualTo(NONE);
    assertThat(time("")).isEqualTo(NONE);
  }

  /** Bytes of a counterparty must not lead beyond the value. */
  @Test
  void readsNothingBeyondTheValue() {
    Random random = new Random(47);
    byte[] letters = "0123456789-:/TZ .,+".getBytes(StandardCharsets.ISO_8859_1);
    for (int i = 0; i < 50_000; i++) {
      int length = random.nextInt(30);
      ByteBuffer exact = ByteBuffer.allocate(length + 8);
      for (int p = 0; p < length; p++) {
        exact.put(p, letters[random.nextInt(letters.length)]);
      }
      ByteBuffer other = ByteBuffer.allocate(length + 8);
      for (int p = 0; p < length; p++) {
        other.put(p, exact.get(p));
      }
      for (int p = length; p < length + 8; p++) {
        exact.put(p, (byte) '1');
        other.put(p, (byte) ':');
      }
      assertThat(WeakTimestamps.parse(exact, 0, length)).isEqualTo(WeakTimestamps.parse(other, 0, length));
      assertThat(WeakTimestamps.parseDate(exact, 0, length)).isEqualTo(WeakTimestamps.parseDate(other, 0, length));
      assertThat(WeakTimestamps.parseTime(exact, 0, length)).isEqualTo(WeakTimestamps.parseTime(other, 0, length));
    }
  }

  @Test
  void viewsAndTheirGroupsReadThemOnlyIfTold() {
    byte[] message = TestMessages.message("35=D|60=2024-02-29T12:30:45Z|453=1|448=A|272=2024-02-29|273=12:30|");
    MessageView strict = TestMessages.view(message);
    MessageView weak = new MessageView(DataFields.standard(), true);
    assertThat(weak.parse(ByteBuffer.wrap(message), 0, message.length, true)).isEqualTo(MessageView.OK);

    assertThat(weak.timestamp(60)).isEqualTo(TIME);
    GroupView parties = weak.group(453, new GroupView());
    assertThat(parties.next()).isTrue();
    assertThat(parties.date(272)).isEqualTo(19_782);
    assertThat(parties.time(273)).isEqualTo(NOON);
    assertThat(weak.weakTimestampTag()).isEqualTo(273);
    assertThat(strict.takesWeakTimestamps()).isFalse();
    assertThatThrownBy(() -> strict.timestamp(60)).isInstanceOf(FieldException.class);
    assertThatThrownBy(() -> strict.date(272)).isInstanceOf(FieldException.class);
    assertThatThrownBy(() -> strict.time(273)).isInstanceOf(FieldException.class);
  }
}
