package dev.decant.fix.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Times against those of java.time. */
class TimestampsTest {
  private static final long NANOS_PER_DAY = 86_400_000_000_000L;
  private static final int[] FRACTIONS = {0, 3, 6, 9};
  private static final DateTimeFormatter[] FORMATS = {DateTimeFormatter.ofPattern("uuuuMMdd-HH:mm:ss"),
      DateTimeFormatter.ofPattern("uuuuMMdd-HH:mm:ss.SSS"), DateTimeFormatter.ofPattern("uuuuMMdd-HH:mm:ss.SSSSSS"),
      DateTimeFormatter.ofPattern("uuuuMMdd-HH:mm:ss.SSSSSSSSS")};

  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);
  private final ByteBuffer big = ByteBuffer.allocateDirect(64);
  private final ByteBuffer little = ByteBuffer.allocateDirect(64).order(ByteOrder.LITTLE_ENDIAN);

  private static LocalDateTime dateTime(long epochNanos) {
    return LocalDateTime.ofInstant(Instant.EPOCH.plusNanos(epochNanos), ZoneOffset.UTC);
  }

  private static String text(ByteBuffer buffer, int from, int length) {
    byte[] bytes = new byte[length];
    buffer.get(from, bytes);
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  private static long parse(String text) {
    return Timestamps.parse(TestMessages.buffer(text), 0, text.length());
  }

  private static long parseDate(String text) {
    return Timestamps.parseDate(TestMessages.buffer(text), 0, text.length());
  }

  private static long parseTime(String text) {
    return Timestamps.parseTime(TestMessages.buffer(text), 0, text.length());
  }

  private void assertWrittenAndRead(long epochNanos) {
    for (int i = 0; i < FRACTIONS.length; i++) {
      String expected = FORMATS[i].format(dateTime(epochNanos));
      int length = Timestamps.length(FRACTIONS[i]);
      for (ByteBuffer buffer : new ByteBuffer[] {big, little}) {
        buffer.put(3 + length, (byte) '!');
        Timestamps.put(buffer, 3, epochNanos, FRACTIONS[i]);
        assertThat(text(buffer, 3, length + 1)).as("seed %d", seed).isEqualTo(expected + "!");
        LocalDateTime read = dateTime(Timestamps.parse(buffer, 3, 3 + length));
        assertThat(FORMATS[i].format(read)).as("seed %d", seed).isEqualTo(expected);
      }
    }
  }

  @Test
  void randomInstantsAreWrittenAndRead() {
    long first = parse("16780101-00:00:00");
    long last = parse("22611231-23:59:59.999999999");
    for (int i = 0; i < 20_000; i++) {
      assertWrittenAndRead(random.nextLong(first, last + 1));
    }
    assertWrittenAndRead(first);
    assertWrittenAndRead(last);
    assertWrittenAndRead(0);
    assertWrittenAndRead(-1);
  }

  @Test
  void daysAroundEachTurnOfAYearAreWrittenAndRead() {
    for (int year = 1678; year <= 2261; year++) {
      for (String day : new String[] {"-01-01", "-02-28", "-03-01", "-12-31"}) {
        assertWrittenAndRead(LocalDate.parse(year + day).toEpochDay() * NANOS_PER_DAY + random.nextLong(NANOS_PER_DAY));
      }
    }
  }

  /** Every long has a date; those outside of whole years cannot be read. */
  @Test
  void endsOfTheRangeAreWritten() {
    for (long epochNanos : new long[] {Long.MIN_VALUE, Long.MAX_VALUE}) {
      Timestamps.put(big, 0, epochNanos, 9);
      assertThat(text(big, 0, 27)).isEqualTo(FORMATS[3].format(dateTime(epochNanos)));
      assertThat(Timestamps.parse(big, 0, 27)).isEqualTo(Timestamps.NO_TIMESTAMP);
    }
    assertThat(parse("16771231-23:59:59.999999999")).isEqualTo(Timestamps.NO_TIMESTAMP);
    assertThat(parse("22620101-00:00:00")).isEqualTo(Timestamps.NO_TIMESTAMP);
    assertThat(parse("00010101-00:00:00")).isEqualTo(Timestamps.NO_TIMESTAMP);
    assertThat(parse("99991231-23:59:59")).isEqualTo(Timestamps.NO_TIMESTAMP);
  }

  @Test
  void everyDateOfTenThousandYearsIsWrittenAndReadOrRefused() {
    for (int i = 0; i < 60_000; i++) {
      int year = random.nextInt(10_000);
      int month = random.nextInt(14);
      int day = random.nextInt(33);
      String text = "%04d%02d%02d".formatted(year, month, day);
      boolean exists = month >= 1 && month <= 12 && day >= 1 && day <= LocalDate.of(year, month, 1).lengthOfMonth();
      long expected = exists ? LocalDate.of(year, month, day).toEpochDay() : Timestamps.NO_TIMESTAMP;
      assertThat(parseDate(text)).as("seed %d, %s", seed, text).isEqualTo(expected);
      if (exists) {
        Timestamps.putDate(little, 5, expected);
        assertThat(text(little, 5, 8)).as("seed %d", seed).isEqualTo(text);
      }
    }
  }

  @Test
  void datesBeyondFourDigitsAreRefused() {
    long first = LocalDate.of(0, 1, 1).toEpochDay();
    long last = LocalDate.of(9999, 12, 31).toEpochDay();
    Timestamps.putDate(big, 0, first);
    assertThat(text(big, 0, 8)).isEqualTo("00000101");
    Timestamps.putDate(big, 0, last);
    assertThat(text(big, 0, 8)).isEqualTo("99991231");
    for (long day : new long[] {first - 1, last + 1, Long.MIN_VALUE, Long.MAX_VALUE}) {
      assertThatThrownBy(() -> Timestamps.putDate(big, 0, day)).isInstanceOf(IllegalArgumentException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "2026112", "202611240", "2026-1-1", "2026 124", "abcdefgh", "20261301", "20260001", "20261100",
          "20261131", "20260229", "21000229", "+2026112", "-2026112", "2026112\u00b2",
          "\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff1"})
  void otherDatesAreRefused(String text) {
    assertThat(parseDate(text)).isEqualTo(Timestamps.NO_TIMESTAMP);
  }

  @Test
  void leapDaysAreRead() {
    assertThat(parseDate("20240229")).isEqualTo(LocalDate.of(2024, 2, 29).toEpochDay());
    assertThat(parseDate("20000229")).isEqualTo(LocalDate.of(2000, 2, 29).toEpochDay());
  }

  @Test
  void leapSecondIsTheFirstOfTheNextMinute() {
    assertThat(parse("20161231-23:59:60.500")).isEqualTo(parse("20170101-00:00:00.500"));
    assertThat(parseTime("23:59:60")).isEqualTo(NANOS_PER_DAY);
    assertThat(parse("22611231-23:59:60.999999999")).isEqualTo(parse("22611231-23:59:59.999999999") + 1_000_000_000);
  }

  @Test
  void everySecondOfADayIsWrittenAndRead() {
    for (int second = 0; second < 86_400; second++) {
      long nanos = second * 1_000_000_000L + random.nextInt(1_000_000_000);
      int fraction = FRACTIONS[random.nextInt(FRACTIONS.length)];
      int length = fraction == 0 ? 8 : 9 + fraction;
      Timestamps.putTime(big, 7, nanos, fraction);
      String expected = LocalTime.ofNanoOfDay(nanos).format(DateTimeFormatter.ofPattern("HH:mm:ss.SSSSSSSSS"))
          .substring(0, length);
      assertThat(text(big, 7, length)).as("seed %d", seed).isEqualTo(expected);
      long unit = (long) Math.pow(10, 9 - fraction);
      assertThat(Timestamps.parseTime(big, 7, 7 + length)).as("seed %d", seed).isEqualTo(nanos / unit * unit);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "1:00:00", "24:00:00", "00:60:00", "00:00:61", "00.00:00", "00:00.00", "0a:00:00", "00:0 :00",
          "00:00:-1", "00:00:00.", "00:00:00,5", "00:00:00.x", "00:00:00.1x", "00:00:00.1234567891x",
          "00:00:00.1234567891234",
          "00:00:00Z", "00:00:000", "::::::::", "00000000", "0000:00:"})
  void otherTimesAreRefused(String text) {
    assertThat(parseTime(text)).isEqualTo(Timestamps.NO_TIMESTAMP);
    assertThat(parse("20261124-" + text)).isEqualTo(Timestamps.NO_TIMESTAMP);
  }

  @ParameterizedTest
  @ValueSource(strings = {"20261124 00:00:00", "20261124", "20261124-", "20261124T00:00:00", "20261324-00:00:00",
      "2026112-00:00:000", "99999999-00:00:00", "-20261124-00:00:00"})
  void otherTimestampsAreRefused(String text) {
    assertThat(parse(text)).isEqualTo(Timestamps.NO_TIMESTAMP);
  }

  @Test
  void fractionsOfOneToTwelveDigitsAreRead() {
    String digits = "123456789987";
    for (int length = 1; length <= 12; length++) {
      long expected = Long
          .parseLong("123456789".substring(0, Math.min(length, 9)) + "0".repeat(Math.max(0, 9 - length)));
      assertThat(parseTime("00:00:00." + digits.substring(0, length))).isEqualTo(expected);
    }
  }

  @Test
  void timeThatIsNotWithinADayIsRefused() {
    for (long nanos : new long[] {-1, NANOS_PER_DAY, Long.MIN_VALUE, Long.MAX_VALUE}) {
      assertThatThrownBy(() -> Timestamps.putTime(big, 0, nanos, 9)).isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void lengthIsThatOfTheText() {
    for (int fraction : FRACTIONS) {
      LocalDateTime time = LocalDateTime.now(ZoneOffset.UTC).truncatedTo(ChronoUnit.SECONDS);
      assertThat(Timestamps.length(fraction)).isEqualTo(FORMATS[fraction / 3].format(time).length());
    }
  }
}
