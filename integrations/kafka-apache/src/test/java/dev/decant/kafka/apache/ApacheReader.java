package dev.decant.kafka.apache;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/** Reads a topic with Apache's consumer. */
final class ApacheReader {
  private static final Duration POLL = Duration.ofMillis(100);
  private static final long PATIENCE_NANOS = 30_000_000_000L;

  private ApacheReader() {}

  /** Returns the first records of a topic, up to a number, with their metadata; fewer if there are none in time. */
  static List<ConsumerRecord<String, String>> read(String bootstrap, String topic, int partitions, int records) {
    return read(Map.of("bootstrap.servers", bootstrap, "auto.offset.reset", "earliest"), topic, partitions, records);
  }

  /** Returns only committed records. */
  static List<ConsumerRecord<String, String>> readCommitted(String bootstrap, String topic, int partitions,
      int records) {
    return read(Map.of("bootstrap.servers", bootstrap, "auto.offset.reset", "earliest", "isolation.level",
        "read_committed"), topic, partitions, records);
  }

  private static List<ConsumerRecord<String, String>> read(Map<String, Object> settings, String topic, int partitions,
      int records) {
    List<ConsumerRecord<String, String>> found = new ArrayList<>();
    try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(settings, new StringDeserializer(),
        new StringDeserializer())) {
      consumer.assign(IntStream.range(0, partitions).mapToObj(p -> new TopicPartition(topic, p)).toList());
      long deadline = System.nanoTime() + PATIENCE_NANOS;
      while (found.size() < records && deadline - System.nanoTime() > 0) {
        consumer.poll(POLL).forEach(found::add);
      }
    }
    return found;
  }
}
