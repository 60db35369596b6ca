package dev.decant.kafka.clientmetrics;

import dev.decant.kafka.protocol.message.GetTelemetrySubscriptionsResponse;
import dev.decant.kafka.record.CompressionType;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * A broker's subscription, within bounds that hold for any response.
 *
 * @param id names the subscription in each push
 * @param metrics to push; empty if the broker wants none
 * @param compression types that the broker takes, by its preference; empty for none
 * @param intervalNanos between pushes, within the range that brokers let users set: 100 ms to one hour
 * @param maxBytes of the metrics in a push, at most 1 MiB
 * @param delta whether sums begin at the last push, not at the start
 */
record MetricsSubscription(int id, Set<PushedMetric> metrics, List<CompressionType> compression, long intervalNanos,
    int maxBytes, boolean delta) {

  static final long DEFAULT_INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(5);
  /** Bounds of {@code interval.ms} of a subscription in Kafka. */
  private static final long MIN_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long MAX_INTERVAL_NANOS = TimeUnit.HOURS.toNanos(1);
  /** Kafka's default of {@code telemetry.max.bytes}. */
  private static final int MOST_BYTES = 1024 * 1024;
  private static final int MOST_COMPRESSION_TYPES = 16;

  static MetricsSubscription of(GetTelemetrySubscriptionsResponse response) {
    int max = response.telemetryMaxBytes();
    return new MetricsSubscription(response.subscriptionId(), PushedMetric.of(response.requestedMetrics()),
        known(response.acceptedCompressionTypes()), interval(response.pushIntervalMs()),
        max <= 0 ? MOST_BYTES : Math.min(max, MOST_BYTES), response.deltaTemporality());
  }

  private static long interval(int millis) {
    return millis <= 0
        ? DEFAULT_INTERVAL_NANOS
        : Math.clamp(TimeUnit.MILLISECONDS.toNanos(millis), MIN_INTERVAL_NANOS, MAX_INTERVAL_NANOS);
  }

  private static List<CompressionType> known(List<Byte> ids) {
    List<CompressionType> types = new ArrayList<>();
    for (int i = 0; i < Math.min(ids.size(), MOST_COMPRESSION_TYPES); i++) {
      int id = ids.get(i);
      if (id >= 0 && id < CompressionType.values().length) {
        types.add(CompressionType.of(id));
      }
    }
    return List.copyOf(types);
  }

  /**
   * Returns the pause before the first push: half an interval to one and a half, so that clients do not push all at
   * once.
   */
  long firstPushNanos(double random) {
    return (long) (intervalNanos * (0.5 + random));
  }
}
