package dev.decant.kafka.clientmetrics;

import java.nio.ByteBuffer;
import java.util.Map;

/**
 * Writes the parts of OpenTelemetry's {@code MetricsData} (metrics/v1) that Apache's clients use:
 *
 * <pre>
 *   MetricsData      1 ResourceMetrics*
 *   ResourceMetrics  1 Resource, 2 ScopeMetrics
 *   Resource         1 KeyValue*
 *   ScopeMetrics     2 Metric*
 *   Metric           1 name, 5 Gauge or 7 Sum
 *   Gauge            1 NumberDataPoint
 *   Sum              1 NumberDataPoint, 2 temporality (1 delta, 2 cumulative), 3 monotonic
 *   NumberDataPoint  2 start (fixed64, Unix nanoseconds), 3 time, 4 value (double), 7 KeyValue*
 *   KeyValue         1 key, 2 AnyValue: 1 string
 * </pre>
 *
 * <p>One thread at a time.
 */
final class MetricsDataWriter {
  private static final int DELTA = 1;
  private static final int CUMULATIVE = 2;
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final ProtobufWriter out = new ProtobufWriter();
  private final long timeNanos;
  private int metrics;
  private int resource;
  private int scope;

  /** Creates a writer for points of one time. */
  MetricsDataWriter(long epochMillis) {
    this.timeNanos = epochMillis * NANOS_PER_MILLI;
  }

  /** Returns the number of metrics written. */
  int metrics() {
    return metrics;
  }

  /** Begins the metrics of a resource. */
  void beginResource(Map<String, String> attributes) {
    resource = out.begin(1);
    int begun = out.begin(1);
    attributes(1, attributes);
    out.end(begun);
    scope = out.begin(2);
  }

  void endResource() {
    out.end(scope);
    out.end(resource);
  }

  void gauge(String name, double value, Map<String, String> attributes) {
    int metric = metric(name);
    int gauge = out.begin(5);
    point(0, value, attributes);
    out.end(gauge);
    out.end(metric);
  }

  /** Writes a count that never falls, since the start. */
  void sum(String name, double value, long startEpochMillis, boolean delta) {
    int metric = metric(name);
    int sum = out.begin(7);
    point(startEpochMillis * NANOS_PER_MILLI, value, Map.of());
    out.varint(2, delta ? DELTA : CUMULATIVE);
    out.varint(3, 1);
    out.end(sum);
    out.end(metric);
  }

  private int metric(String name) {
    metrics++;
    int metric = out.begin(2);
    out.string(1, name);
    return metric;
  }

  private void point(long startNanos, double value, Map<String, String> attributes) {
    int point = out.begin(1);
    if (startNanos != 0) {
      out.fixed64(2, startNanos);
    }
    out.fixed64(3, timeNanos);
    out.doubleValue(4, value);
    attributes(7, attributes);
    out.end(point);
  }

  private void attributes(int field, Map<String, String> attributes) {
    attributes.forEach((key, value) -> {
      int pair = out.begin(field);
      out.string(1, key);
      int any = out.begin(2);
      out.string(1, value);
      out.end(any);
      out.end(pair);
    });
  }

  /** Returns the message in direct memory. */
  ByteBuffer encoded() {
    return out.copy();
  }
}
