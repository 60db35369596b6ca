package dev.decant.kafka.apache;

import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;

/**
 * How fast a counter grows: per second, since one to two windows before now. Nothing is sampled but when it is read, so
 * a figure that nobody reads costs nothing. Any thread.
 */
final class Rate {
  private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

  private final DoubleSupplier counter;
  private final long windowNanos;
  // Under the monitor: two looks at the counter.
  private long olderNanos;
  private double older;
  private long newerNanos;
  private double newer;

  Rate(DoubleSupplier counter, long windowNanos, long nowNanos) {
    this.counter = counter;
    this.windowNanos = windowNanos;
    this.olderNanos = nowNanos;
    this.newerNanos = nowNanos;
  }

  synchronized double perSecond(long nowNanos) {
    double now = counter.getAsDouble();
    if (nowNanos - newerNanos >= windowNanos) {
      olderNanos = newerNanos;
      older = newer;
      newerNanos = nowNanos;
      newer = now;
    }
    long elapsed = nowNanos - olderNanos;
    return elapsed <= 0 ? 0 : (now - older) * NANOS_PER_SECOND / elapsed;
  }
}
