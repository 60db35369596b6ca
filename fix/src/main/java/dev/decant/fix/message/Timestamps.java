package dev.decant.fix.message;

import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/**
 * UTCTimestamp as FIX writes it: {@code YYYYMMDD-HH:MM:SS}, with a fraction of 3, 6 or 9 digits or none. Leap seconds
 * (second 60) count as the first second of the next minute.
 */
public final class Timestamps {
  /** Of the parsing methods: the bytes are no timestamp. */
  public static final long NO_TIMESTAMP = Long.MIN_VALUE;

  static final int DATE_CHARACTERS = 8;
  static final int SECONDS_CHARACTERS = 17;
  private static final int TIME_CHARACTERS = 8;
  private static final long NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final long NANOS_PER_DAY = TimeUnit.DAYS.toNanos(1);
  private static final int MAX_FRACTION_DIGITS = 12;
  /** Dates whose nanoseconds fit in a long. */
  private static final int FIRST_YEAR = 1678;
  private static final int LAST_YEAR = 2261;
  private static final int[] DAYS_OF_MONTH = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  private static final long[] POWERS = {1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000,
      1_000_000_000};

  private Timestamps() {}

  /**
   * Reads a UTCTimestamp; picoseconds are cut off.
   *
   * @param bytes the buffer
   * @param from index of the first character
   * @param to index after the last one
   * @return nanoseconds since the epoch; {@link #NO_TIMESTAMP} if it is none
   */
  public static long parse(ByteBuffer bytes, int from, int to) {
    if (to - from < SECONDS_CHARACTERS || bytes.get(from + DATE_CHARACTERS) != '-') {
      return NO_TIMESTAMP;
    }
    long day = parseDate(bytes, from, from + DATE_CHARACTERS);
    long time = parseTime(bytes, from + DATE_CHARACTERS + 1, to);
    return day == NO_TIMESTAMP || time == NO_TIMESTAMP ? NO_TIMESTAMP : day * NANOS_PER_DAY + time;
  }

  /**
   * Reads a UTCDateOnly or LocalMktDate, {@code YYYYMMDD}.
   *
   * @param bytes the buffer
   * @param from index of the first character
   * @param to index after the last one
   * @return days since the epoch; {@link #NO_TIMESTAMP} if it is no date
   */
  public static long parseDate(ByteBuffer bytes, int from, int to) {
    if (to - from != DATE_CHARACTERS) {
      return NO_TIMESTAMP;
    }
    int year = Ascii.parseDigits(bytes, from, 4);
    int month = Ascii.parseDigits(bytes, from + 4, 2);
    int day = Ascii.parseDigits(bytes, from + 6, 2);
    if (year < FIRST_YEAR || year > LAST_YEAR || month < 1 || month > 12 || day < 1 || day > DAYS_OF_MONTH[month - 1]
        || (month == 2 && day == 29 && !isLeap(year))) {
      return NO_TIMESTAMP;
    }
    return daysOf(year, month, day);
  }

  /**
   * Reads a UTCTimeOnly, {@code HH:MM:SS} with or without a fraction.
   *
   * @param bytes the buffer
   * @param from index of the first character
   * @param to index after the last one
   * @return nanoseconds since midnight; {@link #NO_TIMESTAMP} if it is no time
   */
  public static long parseTime(ByteBuffer bytes, int from, int to) {
    if (to - from < TIME_CHARACTERS || bytes.get(from + 2) != ':' || bytes.get(from + 5) != ':') {
      return NO_TIMESTAMP;
    }
    int hour = Ascii.parseDigits(bytes, from, 2);
    int minute = Ascii.parseDigits(bytes, from + 3, 2);
    int second = Ascii.parseDigits(bytes, from + 6, 2);
    if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60) {
      return NO_TIMESTAMP;
    }
    long fraction = parseFraction(bytes, from + TIME_CHARACTERS, to);
    return fraction < 0 ? NO_TIMESTAMP : ((hour * 60L + minute) * 60 + second) * NANOS_PER_SECOND + fraction;
  }

  private static long parseFraction(ByteBuffer bytes, int from, int to) {
    if (from == to) {
      return 0;
    }
    int digits = to - from - 1;
    if (bytes.get(from) != '.' || digits < 1 || digits > MAX_FRACTION_DIGITS) {
      return -1;
    }
    int kept = Math.min(digits, 9);
    int value = Ascii.parseDigits(bytes, from + 1, kept);
    if (value < 0 || (digits > kept && Ascii.parseDigits(bytes, from + 1 + kept, digits - kept) < 0)) {
      return -1;
    }
    return value * POWERS[9 - kept];
  }

  /**
   * How many characters a timestamp takes.
   *
   * @param fractionDigits 0, 3, 6 or 9
   * @return 17 to 27
   */
  public static int length(int fractionDigits) {
    return fractionDigits == 0 ? SECONDS_CHARACTERS : SECONDS_CHARACTERS + 1 + fractionDigits;
  }

  /**
   * Writes a UTCTimestamp.
   *
   * @param bytes the buffer
   * @param at index of the first character
   * @param epochNanos nanoseconds since the epoch
   * @param fractionDigits 0, 3, 6 or 9; the rest is cut off
   */
  public static void put(ByteBuffer bytes, int at, long epochNanos, int fractionDigits) {
    putDate(bytes, at, Math.floorDiv(epochNanos, NANOS_PER_DAY));
    bytes.put(at + DATE_CHARACTERS, (byte) '-');
    putTime(bytes, at + DATE_CHARACTERS + 1, Math.floorMod(epochNanos, NANOS_PER_DAY), fractionDigits);
  }

  /**
   * Writes a UTCTimeOnly.
   *
   * @param bytes the buffer
   * @param at index of the first character
   * @param nanosOfDay nanoseconds since midnight
   * @param fractionDigits 0, 3, 6 or 9; the rest is cut off
   */
  public static void putTime(ByteBuffer bytes, int at, long nanosOfDay, int fractionDigits) {
    int seconds = (int) (nanosOfDay / NANOS_PER_SECOND);
    putTwoDigits(bytes, at, seconds / 3_600);
    bytes.put(at + 2, (byte) ':');
    putTwoDigits(bytes, at + 3, seconds / 60 % 60);
    bytes.put(at + 5, (byte) ':');
    putTwoDigits(bytes, at + 6, seconds % 60);
    if (fractionDigits > 0) {
      bytes.put(at + TIME_CHARACTERS, (byte) '.');
      int nanos = (int) (nanosOfDay % NANOS_PER_SECOND);
      Ascii.put(bytes, at + TIME_CHARACTERS + 1, nanos / POWERS[9 - fractionDigits], fractionDigits);
    }
  }

  private static void putTwoDigits(ByteBuffer bytes, int at, int value) {
    bytes.put(at, (byte) ('0' + value / 10));
    bytes.put(at + 1, (byte) ('0' + value % 10));
  }

  /**
   * Writes a UTCDateOnly.
   *
   * @param bytes the buffer
   * @param at index of the first character
   * @param epochDay days since the epoch
   */
  public static void putDate(ByteBuffer bytes, int at, long epochDay) {
    // Days of eras of 400 years that begin with March: the leap day is the last one of a year.
    long shifted = epochDay + 719_468;
    long era = Math.floorDiv(shifted, 146_097);
    int dayOfEra = (int) (shifted - era * 146_097);
    int yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365;
    int dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
    int marchMonth = (5 * dayOfYear + 2) / 153;
    int day = dayOfYear - (153 * marchMonth + 2) / 5 + 1;
    int month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
    long year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
    Ascii.put(bytes, at, year, 4);
    Ascii.put(bytes, at + 4, month, 2);
    Ascii.put(bytes, at + 6, day, 2);
  }

  private static long daysOf(int year, int month, int day) {
    int y = month <= 2 ? year - 1 : year;
    int era = Math.floorDiv(y, 400);
    int yearOfEra = y - era * 400;
    int dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    int dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear;
    return era * 146_097L + dayOfEra - 719_468;
  }

  private static boolean isLeap(int year) {
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  }
}
