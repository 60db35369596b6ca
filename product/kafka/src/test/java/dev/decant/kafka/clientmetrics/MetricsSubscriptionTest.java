package dev.decant.kafka.clientmetrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.protocol.message.GetTelemetrySubscriptionsResponse;
import dev.decant.kafka.record.CompressionType;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.telemetry.internals.TelemetryMetricNamingConvention;
import org.junit.jupiter.api.Test;

/** Tests what a broker may send in a subscription, and the bounds that the client keeps. */
class MetricsSubscriptionTest {
  private static MetricsSubscription of(int intervalMillis, int maxBytes, List<Byte> types, String... prefixes) {
    return MetricsSubscription.of(new GetTelemetrySubscriptionsResponse().subscriptionId(5)
        .pushIntervalMs(intervalMillis).telemetryMaxBytes(maxBytes).acceptedCompressionTypes(types)
        .requestedMetrics(List.of(prefixes)));
  }

  private static long seconds(int intervalMillis) {
    return TimeUnit.NANOSECONDS.toSeconds(of(intervalMillis, 1, List.of(), "").intervalNanos());
  }

  @Test
  void intervalIsBetweenATenthOfASecondAndOneHour() {
    assertThat(seconds(10_000)).isEqualTo(10);
    assertThat(seconds(0)).isEqualTo(300);
    assertThat(seconds(Integer.MIN_VALUE)).isEqualTo(300);
    assertThat(seconds(Integer.MAX_VALUE)).isEqualTo(3600);
    assertThat(of(1, 1, List.of(), "").intervalNanos()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(100));
  }

  @Test
  void firstPushComesAfterHalfAnIntervalToOneAndAHalf() {
    MetricsSubscription subscription = of(10_000, 1, List.of(), "");
    assertThat(subscription.firstPushNanos(0)).isEqualTo(TimeUnit.SECONDS.toNanos(5));
    assertThat(subscription.firstPushNanos(0.999)).isBetween(TimeUnit.SECONDS.toNanos(14),
        TimeUnit.SECONDS.toNanos(15));
  }

  @Test
  void payloadIsAtMostOneMebibyte() {
    assertThat(of(1, 1000, List.of(), "").maxBytes()).isEqualTo(1000);
    assertThat(of(1, Integer.MAX_VALUE, List.of(), "").maxBytes()).isEqualTo(1024 * 1024);
    assertThat(of(1, 0, List.of(), "").maxBytes()).isEqualTo(1024 * 1024);
    assertThat(of(1, -1, List.of(), "").maxBytes()).isEqualTo(1024 * 1024);
  }

  @Test
  void compressionTypesThatDoNotExistArePassedOver() {
    assertThat(of(1, 1, List.of((byte) 9, (byte) 4, (byte) -1, (byte) 1), "").compression())
        .containsExactly(CompressionType.ZSTD, CompressionType.GZIP);
    List<Byte> many = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      many.add((byte) 1);
    }
    assertThat(of(1, 1, many, "").compression()).hasSizeLessThanOrEqualTo(16);
  }

  @Test
  void prefixesChooseMetrics() {
    assertThat(of(1, 1, List.of()).metrics()).isEmpty();
    assertThat(of(1, 1, List.of(), "").metrics()).isEqualTo(EnumSet.allOf(PushedMetric.class));
    assertThat(of(1, 1, List.of(), "*").metrics()).isEqualTo(EnumSet.allOf(PushedMetric.class));
    assertThat(of(1, 1, List.of(), "org.apache.kafka.producer.record.queue", "none.of.ours").metrics())
        .containsExactlyInAnyOrder(PushedMetric.PRODUCER_RECORD_QUEUE_TIME_AVG,
            PushedMetric.PRODUCER_RECORD_QUEUE_TIME_MAX);
    assertThat(of(1, 1, List.of(), "kafka.producer").metrics()).isEmpty();
  }

  @Test
  void boundsHoldWhateverTheBrokerSays() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < 10_000; i++) {
      byte[] type = new byte[1];
      random.nextBytes(type);
      MetricsSubscription subscription = of(random.nextInt(), random.nextInt(), List.of(type[0]), "x" + i);
      assertThat(subscription.intervalNanos()).as("seed %d", seed).isBetween(TimeUnit.MILLISECONDS.toNanos(100),
          TimeUnit.HOURS.toNanos(1));
      assertThat(subscription.firstPushNanos(random.nextDouble())).as("seed %d", seed).isPositive();
      assertThat(subscription.maxBytes()).as("seed %d", seed).isBetween(1, 1024 * 1024);
      assertThat(subscription.metrics()).as("seed %d", seed).isEmpty();
    }
  }

  /** Compares a few names with those that Apache's own naming gives its metrics. */
  @Test
  void namesAreApaches() {
    assertThat(apache("producer-metrics", "record-queue-time-avg"))
        .isEqualTo(PushedMetric.PRODUCER_RECORD_QUEUE_TIME_AVG.fullName());
    assertThat(apache("producer-metrics", "produce-throttle-time-max"))
        .isEqualTo(PushedMetric.PRODUCER_THROTTLE_TIME_MAX.fullName());
    assertThat(apache("producer-node-metrics", "request-latency-avg"))
        .isEqualTo(PushedMetric.PRODUCER_NODE_REQUEST_LATENCY_AVG.fullName());
    assertThat(apache("producer-metrics", "incoming-byte-total"))
        .isEqualTo(PushedMetric.PRODUCER_INCOMING_BYTE_TOTAL.fullName());
    assertThat(apache("consumer-fetch-manager-metrics", "records-consumed-total"))
        .isEqualTo(PushedMetric.CONSUMER_RECORDS_CONSUMED_TOTAL.fullName());
    assertThat(apache("consumer-coordinator-metrics", "assigned-partitions"))
        .isEqualTo(PushedMetric.CONSUMER_ASSIGNED_PARTITIONS.fullName());
    assertThat(apache("consumer-coordinator-metrics", "commit-latency-avg"))
        .isEqualTo(PushedMetric.CONSUMER_COMMIT_LATENCY_AVG.fullName());
  }

  private static String apache(String group, String name) {
    return TelemetryMetricNamingConvention.getClientTelemetryMetricNamingStrategy("org.apache.kafka")
        .metricKey(new MetricName(name, group, "", Map.of())).name();
  }
}
