package dev.decant.kafka.cluster;

/**
 * How long to wait before trying again: twice as long each time up to a bound, more or less a fifth, so that clients
 * that failed together do not come back together (KIP-580).
 *
 * @param firstNanos after the first failure
 * @param mostNanos the bound, before the fifth is added
 */
public record RetryBackoff(long firstNanos, long mostNanos) {
  private static final int MOST_DOUBLINGS = 30;
  private static final double JITTER = 0.2;
  /** The golden ratio in 64 bits: near times become distant numbers (Fibonacci hashing). */
  private static final long MIXING = 0x9E3779B97F4A7C15L;
  /** Of the product, the upper 53 bits fit into a double. */
  private static final int UNUSED_BITS = 11;

  /** The pauses of the requests of a client to itself: the same for all. */
  public static final RetryBackoff DEFAULT = new RetryBackoff(100_000_000L, 1_000_000_000L);

  /**
   * The next pause.
   *
   * @param failures in a row, one or more
   * @param nowNanos the time, from which the part of chance is taken: a test that sets the clock can repeat it
   * @return nanoseconds
   */
  public long nanos(int failures, long nowNanos) {
    double grown = Math.scalb((double) firstNanos, Math.clamp(failures - 1L, 0, MOST_DOUBLINGS));
    double chance = ((nowNanos * MIXING) >>> UNUSED_BITS) * 0x1p-53;
    double jitter = 1 + JITTER * (2 * chance - 1);
    return (long) (Math.min(grown, (double) mostNanos) * jitter);
  }
}
