package dev.decant.kafka.apache;

/**
 * Mean and maximum of values of the last one to two windows of time. One thread adds, any thread reads; the lock is
 * taken once for a batch or response.
 */
final class Window {
  private final long windowNanos;
  // Under the monitor.
  private long begunNanos;
  private long count;
  private double sum;
  private double max;
  private long countBefore;
  private double sumBefore;
  private double maxBefore;

  Window(long windowNanos, long nowNanos) {
    this.windowNanos = windowNanos;
    this.begunNanos = nowNanos;
  }

  synchronized void add(double value, long nowNanos) {
    turn(nowNanos);
    count++;
    sum += value;
    max = Math.max(max, value);
  }

  /** NaN without a value, as Apache's metrics have it. */
  synchronized double mean(long nowNanos) {
    turn(nowNanos);
    return count + countBefore == 0 ? Double.NaN : (sum + sumBefore) / (count + countBefore);
  }

  /** NaN without a value. */
  synchronized double max(long nowNanos) {
    turn(nowNanos);
    return count + countBefore == 0 ? Double.NaN : Math.max(max, maxBefore);
  }

  private void turn(long nowNanos) {
    long elapsed = nowNanos - begunNanos;
    if (elapsed < windowNanos) {
      return;
    }
    boolean isRecent = elapsed < 2 * windowNanos;
    countBefore = isRecent ? count : 0;
    sumBefore = isRecent ? sum : 0;
    maxBefore = isRecent ? max : 0;
    count = 0;
    sum = 0;
    max = 0;
    begunNanos = nowNanos;
  }
}
