package dev.decant.kafka.producer;

import java.util.concurrent.TimeUnit;

/**
 * How long after a transaction's end the first batch of the next one leaves. Under version 2 the coordinator confirms a
 * commit before its markers are written. A batch that comes meanwhile is held by its broker, which asks the coordinator
 * again only after 20 ms ({@code add.partitions.to.txn.retry.backoff.ms}): who comes a little later is served much
 * earlier. How much later is found out: half as late again after a batch that was held, and a little earlier after one
 * that was not. Owner of the loop only.
 */
final class MarkerPause {
  /** No use in waiting longer than a broker does. */
  static final long MOST_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  /** An answer that takes so much longer than usual was held; a little less than a broker waits. */
  private static final long HELD_NANOS = TimeUnit.MILLISECONDS.toNanos(15);
  private static final long STEP_NANOS = TimeUnit.MICROSECONDS.toNanos(250);
  private static final int SHORTER_BY = 128;
  private static final int SLOWER_BY = 64;

  private boolean ended;
  private long endedNanos;
  private long pauseNanos;
  /** How long a first batch takes that is not held; a little more after each that took longer. */
  private long usualNanos = Long.MAX_VALUE;

  /** A transaction of which brokers know is over. */
  void ended(long nowNanos) {
    ended = true;
    endedNanos = nowNanos;
  }

  /** From when on the next transaction's first batch may leave. */
  long from(long nowNanos) {
    return ended ? endedNanos + pauseNanos : nowNanos;
  }

  /** The first batch of a transaction for some partition was answered. */
  void answered(long sentNanos, long nowNanos) {
    long took = nowNanos - sentNanos;
    long after = sentNanos - endedNanos;
    boolean early = ended && after < MOST_NANOS;
    boolean held = usualNanos != Long.MAX_VALUE && took - usualNanos >= HELD_NANOS;
    usualNanos = took <= usualNanos ? took : usualNanos + (took - usualNanos) / SLOWER_BY;
    if (early && held) {
      pauseNanos = Math.min(MOST_NANOS, Math.max(pauseNanos, after + after / 2 + STEP_NANOS));
    } else if (early) {
      pauseNanos -= pauseNanos / SHORTER_BY;
    }
  }
}
