package dev.decant.lab.fix;

/**
 * The time at which each order of paced work is due, independent of the orders before it: a steady rate, with a pause
 * after each burst that is longer than the heartbeat interval.
 */
final class Schedule {
  /** Length of a burst. */
  static final long BURST_NANOS = 2_000_000_000L;
  /** Length of a pause: more than two of the shortest intervals that FIX has, since HeartBtInt(108) counts seconds. */
  static final long PAUSE_NANOS = 2_500_000_000L;

  private final int ratePerSecond;
  private final long burst;
  private long first;
  private long startNanos;

  /** Sets the rate within a burst; {@link #begin} sets the start. */
  Schedule(int ratePerSecond) {
    this.ratePerSecond = ratePerSecond;
    burst = burstOf(ratePerSecond);
  }

  /**
   * Starts the schedule again. A run uses one schedule throughout: a new one would count among the engine's bytes.
   *
   * @param firstOrder number of the first order
   * @param nanos monotonic time at which it is due
   */
  void begin(long firstOrder, long nanos) {
    first = firstOrder;
    startNanos = nanos;
  }

  private static long burstOf(int ratePerSecond) {
    return ratePerSecond * (BURST_NANOS / 1_000_000_000);
  }

  /** Returns the number of orders in a time, in whole bursts; at least one burst. */
  static long ordersIn(long millis, int ratePerSecond) {
    return burstOf(ratePerSecond) * Math.max(1, (millis * 1_000_000 + PAUSE_NANOS) / (BURST_NANOS + PAUSE_NANOS));
  }

  /** Returns the monotonic time at which an order is due. */
  long nanosOf(long number) {
    long index = number - first;
    return startNanos + index * 1_000_000_000L / ratePerSecond + index / burst * PAUSE_NANOS;
  }
}
