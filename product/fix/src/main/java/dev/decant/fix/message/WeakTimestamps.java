package dev.decant.fix.message;

import java.nio.ByteBuffer;

/**
 * Timestamps, dates and times of counterparties that do not use the formats of FIX. Besides the formats of
 * {@link Timestamps}, these are read:
 *
 * <pre>
 *   2024-02-29   2024/02/29             a date with hyphens or slashes
 *   20240229 12:30:45                   a space, T or t between date and time
 *   20240229-12:30   20240229-123045    a time without seconds, or without colons
 *   20240229-9:30:45                    an hour of one digit
 *   20240229-12:30:45,123               a comma before the fraction; digits beyond 12 are cut off
 *   20240229-12:30:45.                  a point without digits
 *   20240229-12:30:45.123Z              UTC's Z, z or +00:00
 *   20240229                            a timestamp that is a date: midnight
 * </pre>
 *
 * <p>Spaces around them are ignored. Another zone than UTC is refused. Any thread; nothing allocates.
 */
public final class WeakTimestamps {
  private static final int NANO_DIGITS = 9;
  private static final long NANOS_PER_SECOND = 1_000_000_000L;
  private static final long NANOS_PER_DAY = Timestamps.SECONDS_PER_DAY * NANOS_PER_SECOND;
  private static final int DATE_CHARACTERS = 8;
  private static final int SEPARATED_DATE_CHARACTERS = 10;
  private static final int NONE = -1;

  private WeakTimestamps() {}

  /**
   * Reads a UTCTimestamp of the years 1678 to 2261.
   *
   * @param bytes the buffer
   * @param from index of the first character
   * @param to index after the last one
   * @return nanoseconds since the epoch; {@link Timestamps#NO_TIMESTAMP} if it is none
   */
  public static long parse(ByteBuffer bytes, int from, int to) {
    int first = firstOf(bytes, from, to);
    int end = endOf(bytes, first, to);
    int dateEnd = dateEnd(bytes, first, end);
    long day = dateEnd == NONE ? Timestamps.NO_TIMESTAMP : date(bytes, first, dateEnd);
    if (day < Timestamps.FIRST_DAY || day > Timestamps.LAST_DAY) {
      return Timestamps.NO_TIMESTAMP;
    }
    if (dateEnd == end) {
      return day * NANOS_PER_DAY;
    }
    byte between = bytes.get(dateEnd);
    if (between != '-' && between != ' ' && between != 'T' && between != 't') {
      return Timestamps.NO_TIMESTAMP;
    }
    long time = time(bytes, dateEnd + 1, end);
    return time == Timestamps.NO_TIMESTAMP ? time : day * NANOS_PER_DAY + time;
  }

  /**
   * Reads a UTCDateOnly or LocalMktDate.
   *
   * @param bytes the buffer
   * @param from index of the first character
   * @param to index after the last one
   * @return days since the epoch; {@link Timestamps#NO_TIMESTAMP} if it is no date
   */
  public static long parseDate(ByteBuffer bytes, int from, int to) {
    int first = firstOf(bytes, from, to);
    int end = endOf(bytes, first, to);
    return dateEnd(bytes, first, end) == end ? date(bytes, first, end) : Timestamps.NO_TIMESTAMP;
  }

  /**
   * Reads a UTCTimeOnly.
   *
   * @param bytes the buffer
   * @param from index of the first character
   * @param to index after the last one
   * @return nanoseconds since midnight; {@link Timestamps#NO_TIMESTAMP} if it is no time
   */
  public static long parseTime(ByteBuffer bytes, int from, int to) {
    int first = firstOf(bytes, from, to);
    return time(bytes, first, endOf(bytes, first, to));
  }

  private static int firstOf(ByteBuffer bytes, int from, int to) {
    int first = from;
    while (first < to && bytes.get(first) == ' ') {
      first++;
    }
    return first;
  }

  private static int endOf(ByteBuffer bytes, int from, int to) {
    int end = to;
    while (end > from && bytes.get(end - 1) == ' ') {
      end--;
    }
    return end;
  }

  /** Returns where the date at this index ends; {@link #NONE} if there is none. */
  private static int dateEnd(ByteBuffer bytes, int from, int end) {
    if (end - from < DATE_CHARACTERS) {
      return NONE;
    }
    boolean isSeparated = isSeparator(bytes.get(from + 4));
    int dateEnd = from + (isSeparated ? SEPARATED_DATE_CHARACTERS : DATE_CHARACTERS);
    return dateEnd > end ? NONE : dateEnd;
  }

  private static boolean isSeparator(byte c) {
    return c == '-' || c == '/';
  }

  private static long date(ByteBuffer bytes, int from, int end) {
    if (end - from == DATE_CHARACTERS) {
      return Timestamps.parseDate(bytes, from, end);
    }
    if (!isSeparator(bytes.get(from + 4)) || bytes.get(from + 7) != bytes.get(from + 4)) {
      return Timestamps.NO_TIMESTAMP;
    }
    int century = digits(bytes, from, end);
    int year = digits(bytes, from + 2, end);
    int month = digits(bytes, from + 5, end);
    int day = digits(bytes, from + 8, end);
    return century < 0 || year < 0 ? Timestamps.NO_TIMESTAMP : Timestamps.dayOf(century * 100 + year, month, day);
  }

  /** Returns the number of the two digits at this index; negative if there are none. */
  private static int digits(ByteBuffer bytes, int at, int end) {
    return at + 2 > end ? NONE : Ascii.parseDigits(bytes, at, 2);
  }

  private static long time(ByteBuffer bytes, int from, int to) {
    int end = endOfTime(bytes, from, to);
    int at = from;
    int hour = digits(bytes, at, end);
    if (hour < 0 && at + 2 <= end && bytes.get(at + 1) == ':') {
      hour = Ascii.parseDigits(bytes, at, 1);
      at--;
    }
    at += 2;
    boolean hasColons = at < end && bytes.get(at) == ':';
    at += hasColons ? 1 : 0;
    int minute = digits(bytes, at, end);
    at += 2;
    int second = 0;
    if (at < end && !isPoint(bytes.get(at))) {
      if (hasColons != (bytes.get(at) == ':')) {
        return Timestamps.NO_TIMESTAMP;
      }
      at += hasColons ? 1 : 0;
      second = digits(bytes, at, end);
      at += 2;
    }
    if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60) {
      return Timestamps.NO_TIMESTAMP;
    }
    long fraction = fraction(bytes, at, end);
    return fraction < 0
        ? Timestamps.NO_TIMESTAMP
        : ((hour * 60L + minute) * 60 + second) * NANOS_PER_SECOND + fraction;
  }

  /** Returns where a time ends, without the zone UTC that may be behind it. */
  private static int endOfTime(ByteBuffer bytes, int from, int to) {
    if (to > from && (bytes.get(to - 1) == 'Z' || bytes.get(to - 1) == 'z')) {
      return to - 1;
    }
    boolean isZero = to - from > 6 && (bytes.get(to - 6) == '+' || bytes.get(to - 6) == '-')
        && Ascii.parseDigits(bytes, to - 5, 2) == 0 && bytes.get(to - 3) == ':'
        && Ascii.parseDigits(bytes, to - 2, 2) == 0;
    return isZero ? to - 6 : to;
  }

  private static boolean isPoint(byte c) {
    return c == '.' || c == ',';
  }

  private static long fraction(ByteBuffer bytes, int from, int end) {
    if (from == end) {
      return 0;
    }
    if (!isPoint(bytes.get(from))) {
      return NONE;
    }
    long nanos = 0;
    for (int p = from + 1; p < end; p++) {
      int digit = bytes.get(p) - '0';
      if (digit < 0 || digit > 9) {
        return NONE;
      }
      if (p - from <= NANO_DIGITS) {
        nanos = nanos * 10 + digit;
      }
    }
    return nanos * Ascii.power(NANO_DIGITS - Math.min(NANO_DIGITS, end - from - 1));
  }
}
