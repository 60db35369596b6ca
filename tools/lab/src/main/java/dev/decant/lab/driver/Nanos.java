package dev.decant.lab.driver;

/** Durations that fit into a histogram. */
public final class Nanos {
  /** The longest duration of any measurement: five minutes. */
  public static final long MOST = 300_000_000_000L;

  private Nanos() {}

  /**
   * Returns the time since a moment.
   *
   * @param startNanos monotonic time
   * @return nanoseconds, from 0 to {@link #MOST}
   */
  public static long since(long startNanos) {
    return between(startNanos, System.nanoTime());
  }

  /**
   * Returns the time between two moments.
   *
   * @param startNanos monotonic time
   * @param endNanos monotonic time
   * @return nanoseconds, from 0 to {@link #MOST}
   */
  public static long between(long startNanos, long endNanos) {
    return Math.clamp(endNanos - startNanos, 0, MOST);
  }
}
