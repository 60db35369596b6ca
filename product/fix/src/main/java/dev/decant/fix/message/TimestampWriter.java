package dev.decant.fix.message;

import java.nio.ByteBuffer;

/** Writes timestamps, and keeps the characters of the last second, which most timestamps share. Not thread-safe. */
final class TimestampWriter {
  /** The last second that was written, since the epoch, and the characters of its date and time. */
  private long second;
  private long date = Timestamps.dateCharacters(0);
  private long time = Timestamps.timeCharacters(0);

  TimestampWriter() {}

  /** Writes a timestamp as {@link Timestamps#put} does. */
  void put(ByteBuffer bytes, int at, long epochNanos, int fractionDigits) {
    long newSecond = Timestamps.epochSecond(epochNanos);
    if (newSecond != second) {
      renew(newSecond);
    }
    Ascii.putWord(bytes, at, date);
    bytes.put(at + Timestamps.DATE_CHARACTERS, (byte) '-');
    Ascii.putWord(bytes, at + Timestamps.DATE_CHARACTERS + 1, time);
    Timestamps.putFraction(bytes, at + Timestamps.SECONDS_CHARACTERS, Timestamps.nanosOfSecond(epochNanos, newSecond),
        fractionDigits);
  }

  private void renew(long newSecond) {
    long day = Math.floorDiv(newSecond, Timestamps.SECONDS_PER_DAY);
    date = Timestamps.dateCharacters(day);
    time = Timestamps.timeCharacters((int) (newSecond - day * Timestamps.SECONDS_PER_DAY));
    second = newSecond;
  }
}
