package dev.decant.kafka.clientmetrics;

/** Mean and maximum of the durations since the last push. Owner of the loop only. */
final class LatencyWindow {
  private static final double NANOS_PER_MILLI = 1e6;

  private long count;
  private long sumNanos;
  private long maxNanos;

  void add(long nanos) {
    count++;
    sumNanos += nanos;
    maxNanos = Math.max(maxNanos, nanos);
  }

  /** Replaces the last duration, which was added as 0. */
  void raise(long nanos) {
    sumNanos += nanos;
    maxNanos = Math.max(maxNanos, nanos);
  }

  boolean isEmpty() {
    return count == 0;
  }

  double meanMillis() {
    return sumNanos / NANOS_PER_MILLI / count;
  }

  double maxMillis() {
    return maxNanos / NANOS_PER_MILLI;
  }

  void reset() {
    count = 0;
    sumNanos = 0;
    maxNanos = 0;
  }
}
