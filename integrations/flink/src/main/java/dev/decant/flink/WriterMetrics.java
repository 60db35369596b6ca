package dev.decant.flink;

import dev.decant.kafka.apache.DecantProducer;
import java.util.Map;
import java.util.Properties;
import org.apache.flink.api.common.operators.ProcessingTimeService;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.jspecify.annotations.Nullable;

/**
 * The metrics of Flink's own sink, under its names: the producer's in the group {@code KafkaProducer}, the time of
 * sends, and the bytes that have left. Belongs to the subtask's thread, but for gauges.
 */
final class WriterMetrics {
  private static final String GROUP = "KafkaProducer";
  private static final String PRODUCER_METRICS = "producer-metrics";
  private static final long INTERVAL_MILLIS = 500;

  private final ProcessingTimeService time;
  private final Counter bytes;
  private final @Nullable Metric outgoing;
  private long counted;
  private boolean closed;

  WriterMetrics(DecantProducer<?, ?> producer, WriterInitContext context, Properties settings) {
    this.time = context.getProcessingTimeService();
    this.bytes = context.metricGroup().getIOMetricGroup().getNumBytesOutCounter();
    Map<MetricName, ? extends Metric> all = producer.metrics();
    this.outgoing = find(all, "outgoing-byte-total");
    Metric latency = find(all, "request-latency-avg");
    Metric queued = find(all, "record-queue-time-avg");
    context.metricGroup().setCurrentSendTimeGauge(() -> millis(latency) + millis(queued));
    if (!isDisabled(settings)) {
      MetricGroup group = context.metricGroup().addGroup(GROUP);
      all.forEach((name, metric) -> group.gauge(name.name(), (Gauge<Object>) metric::metricValue));
    }
    countLater();
  }

  /** By the names that Flink's sink reads, too. */
  private static boolean isDisabled(Properties settings) {
    return Boolean.parseBoolean(String.valueOf(settings.get("flink.disable-metrics")))
        || "false".equalsIgnoreCase(String.valueOf(settings.get("register.producer.metrics")));
  }

  private static @Nullable Metric find(Map<MetricName, ? extends Metric> all, String name) {
    for (Map.Entry<MetricName, ? extends Metric> each : all.entrySet()) {
      if (each.getKey().group().equals(PRODUCER_METRICS) && each.getKey().name().equals(name)) {
        return each.getValue();
      }
    }
    return null;
  }

  private static long millis(@Nullable Metric metric) {
    return metric != null && metric.metricValue() instanceof Number number ? number.longValue() : 0;
  }

  private void countLater() {
    var unused = time.registerTimer(time.getCurrentProcessingTime() + INTERVAL_MILLIS, now -> {
      if (!closed) {
        count();
        countLater();
      }
    });
  }

  private void count() {
    long now = millis(outgoing);
    bytes.inc(now - counted);
    counted = now;
  }

  void close() {
    closed = true;
  }
}
