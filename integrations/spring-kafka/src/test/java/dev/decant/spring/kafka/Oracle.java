package dev.decant.spring.kafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/** Apache's own consumer, which sees what committed transactions have written. */
final class Oracle {
  private static final Duration DEADLINE = Duration.ofSeconds(40);
  private static final Duration A_WHILE = Duration.ofMillis(100);

  private Oracle() {}

  private static <V> KafkaConsumer<String, V> consumer(String bootstrap, String group, Deserializer<V> values) {
    return new KafkaConsumer<>(Map.of("bootstrap.servers", bootstrap, "group.id", group,
        "enable.auto.commit", "false", "isolation.level", "read_committed"), new StringDeserializer(), values);
  }

  /** The values of a topic with one partition, from its beginning to the first that is the last. */
  static List<String> valuesUntil(String bootstrap, String topic, String last) {
    List<String> values = new ArrayList<>();
    try (KafkaConsumer<String, String> consumer = consumer(bootstrap, "oracle", new StringDeserializer())) {
      TopicPartition partition = new TopicPartition(topic, 0);
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      long deadline = System.nanoTime() + DEADLINE.toNanos();
      while (!values.contains(last) && deadline - System.nanoTime() > 0) {
        consumer.poll(A_WHILE).forEach(record -> values.add(record.value()));
      }
    }
    return values;
  }

  /** The first records of a topic with a number of partitions, or fewer if they do not come in time. */
  static List<ConsumerRecord<String, byte[]>> records(String bootstrap, String topic, int partitions, int count) {
    List<ConsumerRecord<String, byte[]>> records = new ArrayList<>();
    try (KafkaConsumer<String, byte[]> consumer = consumer(bootstrap, "oracle", new ByteArrayDeserializer())) {
      List<TopicPartition> all = new ArrayList<>();
      for (int p = 0; p < partitions; p++) {
        all.add(new TopicPartition(topic, p));
      }
      consumer.assign(all);
      consumer.seekToBeginning(all);
      long deadline = System.nanoTime() + DEADLINE.toNanos();
      while (records.size() < count && deadline - System.nanoTime() > 0) {
        consumer.poll(A_WHILE).forEach(records::add);
      }
    }
    return records;
  }

  /** The offsets that a group has committed, without those of open transactions. */
  static Map<TopicPartition, Long> committed(String bootstrap, String group, TopicPartition... partitions) {
    Map<TopicPartition, Long> offsets = new HashMap<>();
    try (KafkaConsumer<String, String> consumer = consumer(bootstrap, group, new StringDeserializer())) {
      for (Map.Entry<TopicPartition, OffsetAndMetadata> entry : consumer.committed(Set.of(partitions), DEADLINE)
          .entrySet()) {
        offsets.put(entry.getKey(), entry.getValue() == null ? -1 : entry.getValue().offset());
      }
    }
    return offsets;
  }
}
