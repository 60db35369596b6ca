package dev.decant.lab.fix;

/**
 * When each order of paced work is due, whatever has become of those before it: a steady rate, with a pause after each
 * burst that is longer than the heartbeat interval.
 */
final class Schedule {
  /** How long a burst is. */
  static final long BURST_NANOS = 2_000_000_000L;
  /** Longer than two of the shortest intervals that FIX has: HeartBtInt counts seconds. */
  static final long PAUSE_NANOS = 2_500_000_000L;

  private final int ratePerSecond;
  private final long burst;
  private long first;
  private long startNanos;

  /** With so many orders per second within a burst; {@link #begin} says when they are due. */
  Schedule(int ratePerSecond) {
    this.ratePerSecond = ratePerSecond;
    burst = burstOf(ratePerSecond);
  }

  /**
   * Begins anew. The same schedule serves each time, lest its bytes count as an engine's.
   *
   * @param firstOrder number of the first order
   * @param nanos monotonic time at which that is due
   */
  void begin(long firstOrder, long nanos) {
    first = firstOrder;
    startNanos = nanos;
  }

  private static long burstOf(int ratePerSecond) {
    return ratePerSecond * (BURST_NANOS / 1_000_000_000);
  }

  /** How many orders have their turn in that time, in whole bursts; at least one burst. */
  static long ordersIn(long millis, int ratePerSecond) {
    return burstOf(ratePerSecond) * Math.max(1, (millis * 1_000_000 + PAUSE_NANOS) / (BURST_NANOS + PAUSE_NANOS));
  }

  /** Monotonic time at which an order is due. */
  long nanosOf(long number) {
    long index = number - first;
    return startNanos + index * 1_000_000_000L / ratePerSecond + index / burst * PAUSE_NANOS;
  }
}
