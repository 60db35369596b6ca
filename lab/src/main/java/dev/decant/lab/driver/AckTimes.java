package dev.decant.lab.driver;

import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Acknowledgements of a producer: how many there were, and for one record in {@value #EVERY} how long it took. Sending
 * and acknowledging happen on a thread each.
 */
final class AckTimes {
  static final int EVERY = 64;

  private static final int SLOTS = 1 << 16; // more than fit into a producer's buffer
  private static final long MAX_NANOS = 300_000_000_000L;

  final Histogram histogram = new Histogram(MAX_NANOS, 3);
  private final long[] sentNanos = new long[SLOTS];
  // Written by the thread that acknowledges, read by the one that plots.
  private final AtomicLong acked = new AtomicLong();
  private volatile @Nullable Throwable failure;

  boolean isSampled(long record) {
    return (record & EVERY - 1) == 0;
  }

  void onSent(long record) {
    sentNanos[(int) (record / EVERY) & SLOTS - 1] = System.nanoTime();
  }

  void onAcked(long record) {
    if (isSampled(record)) {
      long nanos = System.nanoTime() - sentNanos[(int) (record / EVERY) & SLOTS - 1];
      histogram.recordValue(Math.clamp(nanos, 0, MAX_NANOS));
    }
    acked.lazySet(acked.getPlain() + 1);
  }

  void onFailed(Throwable cause) {
    if (failure == null) {
      failure = cause;
    }
  }

  long count() {
    return acked.get();
  }

  /** Throws what the client reported, if it did. */
  void check() {
    Throwable cause = failure;
    if (cause != null) {
      throw new IllegalStateException("a record was not acknowledged: " + cause.getMessage(), cause);
    }
  }
}
