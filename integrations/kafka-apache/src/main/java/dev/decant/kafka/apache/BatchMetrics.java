package dev.decant.kafka.apache;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;

/** The metrics of a producer's batches that are not kept by topic. Owner of the client's loop, but for sizes. */
final class BatchMetrics {
  private static final String GROUP = "producer-metrics";
  private static final int HEADER_BYTES = 61;
  private static final double NANOS_PER_MILLI = TimeUnit.MILLISECONDS.toNanos(1);
  private static final VarHandle LARGEST;

  static {
    try {
      LARGEST = MethodHandles.lookup().findVarHandle(BatchMetrics.class, "largest", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final MetricSet metrics;
  final RecordedMetric records;
  final RecordedMetric retries;
  final RecordedMetric errors;
  private final RecordedMetric sizes;
  private final RecordedMetric queueTimes;
  private final RecordedMetric compression;
  private final RecordedMetric recordSizes;
  private final RecordedMetric recordsPerRequest;
  private final RecordedMetric splits;
  private final RecordedMetric latencies;
  private final RecordedMetric throttle;
  /** Records of batches that were not sent yet. */
  private int unsent;
  /** The largest record since the last batch. Raised by sending threads, set to 0 by the owner. */
  @SuppressWarnings("UnusedVariable") // read through its handle
  private int largest;

  BatchMetrics(MetricSet metrics) {
    this.metrics = metrics;
    records = metric("records").sums("record-send", "The average number of records sent per second.",
        "The total number of records sent.");
    retries = metric("retries").sums("record-retry", "The average per-second number of retried record sends",
        "The total number of retried record sends");
    errors = metric("errors").sums("record-error",
        "The average per-second number of record sends that resulted in errors",
        "The total number of record sends that resulted in errors");
    sizes = metric("sizes")
        .mean("batch-size-avg", "The average number of bytes sent per partition per-request.")
        .max("batch-size-max", "The max number of bytes sent per partition per-request.");
    queueTimes = metric("queue-times")
        .mean("record-queue-time-avg", "The average time in ms record batches spent in the send buffer.")
        .max("record-queue-time-max", "The maximum time in ms record batches spent in the send buffer.");
    compression = metric("compression").mean("compression-rate-avg",
        "The average compression rate of record batches, defined as the average ratio of the compressed batch size over"
            + " the uncompressed size.");
    recordSizes = metric("record-sizes").mean("record-size-avg", "The average record size")
        .max("record-size-max", "The maximum record size");
    recordsPerRequest = metric("records-per-request").mean("records-per-request-avg",
        "The average number of records per request.");
    splits = metric("splits").sums("batch-split", "The average number of batch splits per second",
        "The total number of batch splits");
    latencies = metric("latencies").mean("request-latency-avg", "The average request latency in ms")
        .max("request-latency-max", "The maximum request latency in ms");
    throttle = metric("throttle")
        .mean("produce-throttle-time-avg", "The average time in ms a request was throttled by a broker")
        .max("produce-throttle-time-max", "The maximum time in ms a request was throttled by a broker");
  }

  private RecordedMetric metric(String key) {
    return metrics.metric(GROUP, key);
  }

  /**
   * Notes a record's size. Any sending thread. It costs one comparison per record, and a write only for a record that
   * is larger than the earlier ones of its batch.
   *
   * @param bytes upper bound of the record's size
   */
  void recordSize(int bytes) {
    if (bytes > (int) LARGEST.getOpaque(this)) {
      raise(bytes);
    }
  }

  private void raise(int bytes) {
    int seen = (int) LARGEST.getVolatile(this);
    while (bytes > seen && !LARGEST.compareAndSet(this, seen, bytes)) {
      seen = (int) LARGEST.getVolatile(this);
    }
  }

  /** Returns the compressed size of a batch's records divided by their size before. */
  static double ratio(int bytes, int plainBytes) {
    return plainBytes <= HEADER_BYTES ? 1 : (bytes - HEADER_BYTES) / (double) (plainBytes - HEADER_BYTES);
  }

  void batch(int count, int bytes, double ratio, long now) {
    records.record(count, now);
    sizes.record(bytes, now);
    compression.record(ratio, now);
    unsent += count;
    int size = (int) LARGEST.getAndSet(this, 0);
    if (size > 0) {
      recordSizes.record(size, now);
    }
  }

  void queued(long nanos) {
    queueTimes.record(nanos / NANOS_PER_MILLI, metrics.now());
  }

  /**
   * Notes a Produce request. Batches of several requests may be reported together: their mean is exact, single values
   * are not.
   */
  void requested() {
    recordsPerRequest.record(unsent, metrics.now());
    unsent = 0;
  }

  void responded(long nanos) {
    latencies.record(nanos / NANOS_PER_MILLI, metrics.now());
  }

  void throttled(int millis) {
    throttle.record(millis, metrics.now());
  }

  void split() {
    splits.record(1, metrics.now());
  }
}
