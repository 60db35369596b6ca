package dev.decant.time;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Converts durations of any length to numbers that can be added to a clock's time. A timeout beyond {@link #FOR_EVER}
 * never expires.
 */
public final class Timeouts {
  /** 73 years in nanoseconds. A deadline that far ahead of any clock's time is still a number. */
  public static final long FOR_EVER = Long.MAX_VALUE / 4;

  private static final Duration LONGEST = Duration.ofNanos(FOR_EVER);
  private static final Duration SHORTEST = Duration.ofNanos(-FOR_EVER);

  private Timeouts() {}

  /**
   * Returns the nanoseconds of a duration.
   *
   * @param duration of any length, also negative
   * @return between {@code -FOR_EVER} and {@code FOR_EVER}
   */
  public static long nanos(Duration duration) {
    if (duration.compareTo(LONGEST) >= 0) {
      return FOR_EVER;
    }
    return duration.compareTo(SHORTEST) <= 0 ? -FOR_EVER : duration.toNanos();
  }

  /**
   * Returns the milliseconds of a duration.
   *
   * @param duration of any length, also negative
   * @return rounded towards negative infinity, within the bounds of {@link #nanos}
   */
  public static long millis(Duration duration) {
    return Math.floorDiv(nanos(duration), TimeUnit.MILLISECONDS.toNanos(1));
  }

  /**
   * Returns when a timeout expires.
   *
   * @param nowNanos the current time of the clock
   * @param timeout of any length
   * @return monotonic nanoseconds, to be compared by their difference
   */
  public static long deadline(long nowNanos, Duration timeout) {
    return nowNanos + nanos(timeout);
  }
}
