package dev.decant.fix;

import dev.decant.time.Clock;
import java.util.concurrent.TimeUnit;

/**
 * Computes nanoseconds since the epoch from the monotonic clock, since the machine's time of day has milliseconds only.
 * The time of day is read ten times a second, to follow changes of it. It is truncated, so the largest difference of
 * the two clocks is the exact one. Any thread: two that read at the same time get the same result.
 */
final class EngineClock {
  private static final long NANOS_PER_MILLI = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long READ_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  /** If the time of day is this far behind, it was set back. */
  private static final long SET_BACK_NANOS = 3 * NANOS_PER_MILLI;

  private final Clock clock;
  /** The time of day minus the monotonic clock. Written by the thread that reads the clocks, read by any thread. */
  private volatile long offsetNanos;
  /** When the clocks were last read, on the monotonic clock. Two threads may read at once; both find the same. */
  private volatile long readNanos;

  EngineClock(Clock clock) {
    this.clock = clock;
    readNanos = clock.nanoTime();
    offsetNanos = clock.epochMillis() * NANOS_PER_MILLI - clock.nanoTime();
  }

  /** Returns the present time in nanoseconds since the epoch. */
  long epochNanos() {
    return epochNanos(clock.nanoTime());
  }

  /** Converts a time of the monotonic clock into nanoseconds since the epoch. */
  long epochNanos(long nowNanos) {
    if (nowNanos - readNanos > READ_INTERVAL_NANOS) {
      readClocks();
    }
    return nowNanos + offsetNanos;
  }

  /**
   * Reads both clocks. A thread may stop between two reads, so the difference is taken before and after. Once, a thread
   * that lost its processor there moved SendingTime(52) of all sessions forward by the pause.
   */
  private void readClocks() {
    long before = clock.nanoTime();
    long epoch = clock.epochMillis() * NANOS_PER_MILLI;
    long after = clock.nanoTime();
    if (epoch - after > offsetNanos || epoch - before < offsetNanos - SET_BACK_NANOS) {
      offsetNanos = epoch - after;
    }
    readNanos = after;
  }
}
