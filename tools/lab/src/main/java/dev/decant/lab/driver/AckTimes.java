package dev.decant.lab.driver;

import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Counts the acknowledgements of a producer, and measures one in {@value #EVERY}: from the record's tag, which is the
 * time at which it was sent or, at a rate, was due. Acknowledgements arrive on one thread at a time.
 */
final class AckTimes implements MeasuredProducer.Outcomes {
  static final int EVERY = 64;

  final Histogram histogram = new Histogram(Nanos.MOST, 3);
  // Written by the thread that acknowledges, read by the thread that plots.
  private final AtomicLong acked = new AtomicLong();
  private volatile @Nullable Throwable failure;

  static boolean isSampled(long record) {
    return (record & EVERY - 1) == 0;
  }

  @Override
  public void onAcked(long tag) {
    if (tag != 0) {
      histogram.recordValue(Nanos.since(tag));
    }
    acked.lazySet(acked.getPlain() + 1);
  }

  @Override
  public void onFailed(Throwable cause) {
    if (failure == null) {
      failure = cause;
    }
  }

  long count() {
    return acked.get();
  }

  /** Throws the first failure that the client has reported. */
  void check() {
    Throwable cause = failure;
    if (cause != null) {
      throw new IllegalStateException("a record was not acknowledged: " + cause.getMessage(), cause);
    }
  }
}
