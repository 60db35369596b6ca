package dev.decant.kafka.apache;

import java.util.List;
import java.util.Map;

/** The metrics of one topic that a producer sends to. Owner of the client's loop only. */
final class TopicMetrics {
  private static final String GROUP = "producer-topic-metrics";

  final RecordedMetric records;
  final RecordedMetric bytes;
  final RecordedMetric compression;
  final RecordedMetric retries;
  final RecordedMetric errors;
  /** When a batch was last sent, in monotonic nanoseconds. */
  long usedNanos;

  TopicMetrics(MetricSet metrics, String topic) {
    List<Map<String, String>> tags = List.of(Map.of("topic", topic));
    records = metrics.metric(GROUP, "records", tags).sums("record-send",
        "The average number of records sent per second for a topic.", "The total number of records sent for a topic.");
    bytes = metrics.metric(GROUP, "bytes", tags).sums("byte",
        "The average number of bytes sent per second for a topic.", "The total number of bytes sent for a topic.");
    compression = metrics.metric(GROUP, "compression", tags).mean("compression-rate",
        "The average compression rate of record batches for a topic, defined as the average ratio of the compressed"
            + " batch size over the uncompressed size.");
    retries = metrics.metric(GROUP, "retries", tags).sums("record-retry",
        "The average per-second number of retried record sends for a topic",
        "The total number of retried record sends for a topic");
    errors = metrics.metric(GROUP, "errors", tags).sums("record-error",
        "The average per-second number of record sends that resulted in errors for a topic",
        "The total number of record sends that resulted in errors for a topic");
  }

  void remove() {
    for (RecordedMetric metric : List.of(records, bytes, compression, retries, errors)) {
      metric.remove();
    }
  }
}
