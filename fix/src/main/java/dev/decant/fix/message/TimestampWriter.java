package dev.decant.fix.message;

import java.nio.ByteBuffer;

/** Writes timestamps, and keeps the date of the last one: most are of one day. Not thread-safe. */
final class TimestampWriter {
  /** The last day that a timestamp was written of, and the characters of its date. */
  private long day;
  private long dateCharacters = Timestamps.dateCharacters(0);

  TimestampWriter() {}

  /** Writes as {@link Timestamps#put} does. */
  void put(ByteBuffer bytes, int at, long epochNanos, int fractionDigits) {
    long newDay = Timestamps.epochDay(epochNanos);
    if (newDay != day) {
      dateCharacters = Timestamps.dateCharacters(newDay);
      day = newDay;
    }
    Ascii.putWord(bytes, at, dateCharacters);
    bytes.put(at + Timestamps.DATE_CHARACTERS, (byte) '-');
    Timestamps.putTime(bytes, at + Timestamps.DATE_CHARACTERS + 1, Timestamps.nanosOfDay(epochNanos, newDay),
        fractionDigits);
  }
}
