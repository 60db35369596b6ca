package dev.decant.kafka.apache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

/** An application that used new topics again and again kept metrics of all earlier ones. */
class TopicsThatComeAndGoTest {
  private static final int MANY = 200;
  private static final int METRICS_OF_A_TOPIC = 20;
  private static final int METRICS_OF_A_PARTITION = 7;

  private static long ofTopics(Set<MetricName> names) {
    return names.stream().filter(name -> name.tags().containsKey("topic")).count();
  }

  @Test
  void producerForgetsThoseThatNothingIsSentToAnyMore() {
    ProducerOptions options = ProducerOptions.read(Map.of("bootstrap.servers", "localhost:1"),
        new ByteArraySerializer(), new ByteArraySerializer());
    ProducerMetrics figures = new ProducerMetrics(options, 0);
    for (int i = 0; i < MANY; i++) {
      figures.onBatch("topic-" + i, 1, 100, 100);
      figures.onBatch("topic-" + i, 1, 100, 100);
    }
    assertThat(ofTopics(figures.metrics().keySet())).isBetween(1L, 5L * METRICS_OF_A_TOPIC);
    assertThat(figures.metrics().entrySet().stream().filter(m -> m.getKey().name().equals("record-send-total"))
        .filter(m -> m.getKey().tags().containsValue("topic-" + (MANY - 1))).map(m -> m.getValue().metricValue()))
        .as("the last one").containsExactly(2.0);
    figures.close(new AtomicReference<>());
  }

  @Test
  void consumerForgetsThoseThatItDoesNotReadAnyMore() {
    ConsumerConfig config = new ConsumerConfig(ConsumerConfig.appendDeserializerToConfig(
        Map.of("bootstrap.servers", "localhost:1"), new ByteArrayDeserializer(), new ByteArrayDeserializer()));
    try (ConsumerMetrics metrics = new ConsumerMetrics(ConsumerSettings.of(config), List.of())) {
      for (int i = 0; i < MANY; i++) {
        TopicPartition partition = new TopicPartition("topic-" + i, 0);
        metrics.fetches().consumed(partition, 1, 10);
        metrics.onDelivered("topic-" + i, 0, 1, 1, -1);
        metrics.fetches().retain(Set.of(partition), Long.MAX_VALUE);
      }
      long left = ofTopics(metrics.all().keySet());
      assertThat(left).isBetween(1L, (long) METRICS_OF_A_TOPIC);
      metrics.fetches().retain(Set.of());
      assertThat(ofTopics(metrics.all().keySet())).as("a rebalance: its lag has gone, its sums stay")
          .isEqualTo(left - METRICS_OF_A_PARTITION);
    }
  }
}
