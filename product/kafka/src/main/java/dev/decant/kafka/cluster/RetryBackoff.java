package dev.decant.kafka.cluster;

/**
 * The pauses between attempts: each is twice as long as the one before, up to a bound, more or less a fifth. The random
 * part keeps clients that failed together from coming back together (KIP-580).
 *
 * @param firstNanos the pause after the first failure
 * @param mostNanos the bound, before the fifth is added
 */
public record RetryBackoff(long firstNanos, long mostNanos) {
  private static final int MOST_DOUBLINGS = 30;
  private static final double JITTER = 0.2;
  /** The golden ratio in 64 bits: near times become distant numbers (Fibonacci hashing). */
  private static final long MIXING = 0x9E3779B97F4A7C15L;
  /** A double holds 53 bits: the upper ones of the product. */
  private static final int UNUSED_BITS = 11;

  /** The pauses of the requests that a client makes by itself: 100 ms to 1 s. */
  public static final RetryBackoff DEFAULT = new RetryBackoff(100_000_000L, 1_000_000_000L);

  /**
   * Returns the next pause in nanoseconds.
   *
   * @param failures the failures in a row, one or more
   * @param nowNanos the time; the random part comes from it, so a test with a set clock repeats its pauses
   */
  public long nanos(int failures, long nowNanos) {
    double grown = Math.scalb((double) firstNanos, Math.clamp(failures - 1L, 0, MOST_DOUBLINGS));
    double chance = ((nowNanos * MIXING) >>> UNUSED_BITS) * 0x1p-53;
    double jitter = 1 + JITTER * (2 * chance - 1);
    return (long) (Math.min(grown, (double) mostNanos) * jitter);
  }
}
