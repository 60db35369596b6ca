package dev.decant.fix.message;

import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/**
 * UTCTimestamp in the format of FIX: {@code YYYYMMDD-HH:MM:SS}, with a fraction of 3, 6 or 9 digits or none. A leap
 * second (second 60) counts as the first second of the next minute. Any thread; allocates exceptions only.
 */
public final class Timestamps {
  /** The parsing methods return this if the bytes are no timestamp. */
  public static final long NO_TIMESTAMP = Long.MIN_VALUE;

  static final int DATE_CHARACTERS = 8;
  static final int SECONDS_CHARACTERS = 17;
  private static final int TIME_CHARACTERS = 8;
  static final long SECONDS_PER_DAY = TimeUnit.DAYS.toSeconds(1);
  private static final long NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final long NANOS_PER_DAY = TimeUnit.DAYS.toNanos(1);
  private static final int MAX_FRACTION_DIGITS = 12;
  private static final int NANO_DIGITS = 9;
  /** The first and last day of 1678 to 2261, the years whose nanoseconds all fit in a long. */
  static final long FIRST_DAY = daysOf(1678, 1, 1);
  static final long LAST_DAY = daysOf(2261, 12, 31);
  /** The first and last day of the years 0 to 9999. */
  private static final long FIRST_DATE = daysOf(0, 1, 1);
  private static final long LAST_DATE = daysOf(9999, 12, 31);
  private static final int[] DAYS_OF_MONTH = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  private static final long COLONS = 0x0000_3A00_003A_0000L;
  private static final long COLON_BYTES = 0x0000_FF00_00FF_0000L;
  /** Two zeros before the six digits of a time. */
  private static final long TWO_ZEROS = 0x3030L << 48;

  private Timestamps() {}

  /**
   * Reads a UTCTimestamp of the years 1678 to 2261; picoseconds are cut off.
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
    if (day < FIRST_DAY || day > LAST_DAY || time == NO_TIMESTAMP) {
      return NO_TIMESTAMP; // A missing date is before the first day, too.
    }
    return day * NANOS_PER_DAY + time;
  }

  /**
   * Reads a UTCDateOnly or LocalMktDate, {@code YYYYMMDD}, of the years 0 to 9999.
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
    long pairs = Ascii.pairs(Ascii.word(bytes, from));
    int year = (int) (pairs >>> 48) * 100 + (int) (pairs >>> 32 & 0xFF);
    int month = (int) (pairs >>> 16 & 0xFF);
    int day = (int) (pairs & 0xFF);
    return pairs < 0 ? NO_TIMESTAMP : dayOf(year, month, day);
  }

  /** Returns days since the epoch; {@link #NO_TIMESTAMP} if the year has no such day. */
  static long dayOf(int year, int month, int day) {
    if (month < 1 || month > 12 || day < 1 || day > DAYS_OF_MONTH[month - 1]
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
    if (to - from < TIME_CHARACTERS) {
      return NO_TIMESTAMP;
    }
    long word = Ascii.word(bytes, from);
    long pairs = Ascii.pairs(TWO_ZEROS | word >>> 48 << 32 | (word >>> 24 & 0xFFFF) << 16 | (word & 0xFFFF));
    int hour = (int) (pairs >>> 32 & 0xFF);
    int minute = (int) (pairs >>> 16 & 0xFF);
    int second = (int) (pairs & 0xFF);
    if (pairs < 0 || (word & COLON_BYTES) != COLONS || hour > 23 || minute > 59 || second > 60) {
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
    int kept = Math.min(digits, NANO_DIGITS);
    int value = Ascii.parseDigits(bytes, from + 1, kept);
    if (value < 0 || (digits > kept && Ascii.parseDigits(bytes, from + 1 + kept, digits - kept) < 0)) {
      return -1;
    }
    return value * Ascii.power(NANO_DIGITS - kept);
  }

  /**
   * Returns how many characters a timestamp has.
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
    long day = Math.floorDiv(epochNanos, NANOS_PER_DAY);
    putDate(bytes, at, day);
    bytes.put(at + DATE_CHARACTERS, (byte) '-');
    // On the first day, both the product and the difference overflow, so the result is right.
    putTime(bytes, at + DATE_CHARACTERS + 1, epochNanos - day * NANOS_PER_DAY, fractionDigits);
  }

  /** Returns the second of a time in nanoseconds since the epoch. */
  static long epochSecond(long epochNanos) {
    return Math.floorDiv(epochNanos, NANOS_PER_SECOND);
  }

  /** Returns the nanoseconds beyond a second. In the first second both overflow, and their difference is right. */
  static long nanosOfSecond(long nanos, long second) {
    return nanos - second * NANOS_PER_SECOND;
  }

  /**
   * Writes a UTCTimeOnly.
   *
   * @param bytes the buffer
   * @param at index of the first character
   * @param nanosOfDay nanoseconds since midnight
   * @param fractionDigits 0, 3, 6 or 9; the rest is cut off
   * @throws IllegalArgumentException if that is not within a day
   */
  public static void putTime(ByteBuffer bytes, int at, long nanosOfDay, int fractionDigits) {
    if (nanosOfDay < 0 || nanosOfDay >= NANOS_PER_DAY) {
      throw new IllegalArgumentException(nanosOfDay + " ns is not within a day");
    }
    int second = (int) (nanosOfDay / NANOS_PER_SECOND);
    Ascii.putWord(bytes, at, timeCharacters(second));
    putFraction(bytes, at + TIME_CHARACTERS, nanosOfSecond(nanosOfDay, second), fractionDigits);
  }

  /** Returns the eight characters of a time; the first one is the highest byte. */
  static long timeCharacters(int secondOfDay) {
    int minutes = secondOfDay / 60;
    return COLONS | (long) Ascii.pair(minutes / 60) << 48 | (long) Ascii.pair(minutes % 60) << 24
        | Ascii.pair(secondOfDay % 60);
  }

  /** Writes the point and the fraction digits, or nothing for no digits. */
  static void putFraction(ByteBuffer bytes, int at, long nanosOfSecond, int digits) {
    if (digits > 0) {
      bytes.put(at, (byte) '.');
      Ascii.put(bytes, at + 1, nanosOfSecond / Ascii.power(NANO_DIGITS - digits), digits);
    }
  }

  /**
   * Writes a UTCDateOnly.
   *
   * @param bytes the buffer
   * @param at index of the first character
   * @param epochDay days since the epoch
   * @throws IllegalArgumentException if that is not in the years 0 to 9999
   */
  public static void putDate(ByteBuffer bytes, int at, long epochDay) {
    Ascii.putWord(bytes, at, dateCharacters(epochDay));
  }

  /** Returns the eight characters of a date; the first one is the highest byte. */
  static long dateCharacters(long epochDay) {
    if (epochDay < FIRST_DATE || epochDay > LAST_DATE) {
      throw new IllegalArgumentException("day " + epochDay + " is not in the years 0 to 9999");
    }
    // Counts days in eras of 400 years that begin with March, so that the leap day is the last day of a year.
    long shifted = epochDay + 719_468;
    int era = (int) Math.floorDiv(shifted, 146_097);
    int dayOfEra = (int) (shifted - era * 146_097L);
    int yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365;
    int dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
    int marchMonth = (5 * dayOfYear + 2) / 153;
    int day = dayOfYear - (153 * marchMonth + 2) / 5 + 1;
    int month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
    int year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
    return (long) Ascii.pair(year / 100) << 48 | (long) Ascii.pair(year % 100) << 32 | (long) Ascii.pair(month) << 16
        | Ascii.pair(day);
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
