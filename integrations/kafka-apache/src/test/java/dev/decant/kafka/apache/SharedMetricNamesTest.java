package dev.decant.kafka.apache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Apache's metrics name a topic without its dots, in some releases in addition to its own name. Brokers refuse a topic
 * that differs from another one only in that, but one may come after the other.
 */
@Timeout(60)
class SharedMetricNamesTest {
  private static final TopicPartition DOTTED = new TopicPartition("orders.eu", 0);
  private static final TopicPartition PLAIN = new TopicPartition("orders_eu", 0);

  private final MetricSet metrics = new MetricSet(new ConsumerConfig(Map.of("key.deserializer",
      ByteArrayDeserializer.class, "value.deserializer", ByteArrayDeserializer.class, "bootstrap.servers", "a:1")),
      "reader", List.of(), "kafka.consumer");
  private final FetchMetrics figures = new FetchMetrics(metrics);

  @AfterEach
  void close() {
    metrics.close();
  }

  private Map<String, Double> consumed() {
    return metrics.all().values().stream().filter(metric -> isOfTopic(metric.metricName(), "records-consumed-total"))
        .collect(Collectors.toMap(metric -> metric.metricName().tags().get("topic"),
            metric -> (Double) metric.metricValue()));
  }

  private static boolean isOfTopic(MetricName name, String wanted) {
    return name.name().equals(wanted) && name.tags().containsKey("topic");
  }

  /** A topic that replaced a dotted one had no metrics for as long as its consumer lived. */
  @Test
  void figuresOfATopicStayWhenThoseOfAnotherWithTheSameNameGo() {
    figures.consumed(DOTTED, 3, 30);
    figures.consumed(PLAIN, 4, 40);
    assertThat(consumed()).containsEntry("orders_eu", 7.0);
    figures.retain(Set.of(PLAIN), Long.MAX_VALUE);
    figures.consumed(PLAIN, 5, 50);
    assertThat(consumed()).containsOnly(Map.entry("orders_eu", 12.0));
    figures.retain(Set.of(), Long.MAX_VALUE);
    assertThat(consumed()).isEmpty();
  }

  @Test
  void lagOfAPartitionStaysLikewise() {
    figures.delivered(DOTTED.topic(), 0, 7, 1, -1);
    figures.delivered(PLAIN.topic(), 0, 9, 1, -1);
    figures.retain(Set.of(PLAIN), 0);
    figures.delivered(PLAIN.topic(), 0, 8, 1, -1);
    assertThat(metrics.all().values().stream().filter(metric -> isOfTopic(metric.metricName(), "records-lag"))
        .map(KafkaMetric::metricValue)).containsExactly(8.0);
  }
}
