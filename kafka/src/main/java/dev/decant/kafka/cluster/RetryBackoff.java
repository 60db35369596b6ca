package dev.decant.kafka.cluster;

import java.util.concurrent.ThreadLocalRandom;

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

  /** The pauses of the requests of a client to itself: the same for all. */
  public static final RetryBackoff DEFAULT = new RetryBackoff(100_000_000L, 1_000_000_000L);

  /**
   * The next pause.
   *
   * @param failures in a row, one or more
   * @return nanoseconds
   */
  public long nanos(int failures) {
    double grown = Math.scalb((double) firstNanos, Math.clamp(failures - 1L, 0, MOST_DOUBLINGS));
    double jitter = ThreadLocalRandom.current().nextDouble(1 - JITTER, 1 + JITTER);
    return (long) (Math.min(grown, (double) mostNanos) * jitter);
  }
}
