package dev.decant.faults.work;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads all committed records that a topic has, by Apache's consumer. */
final class TopicReader {
  private static final Duration DEADLINE = Duration.ofSeconds(90);
  private static final Duration POLL = Duration.ofMillis(200);

  private TopicReader() {}

  static void readAll(String bootstrap, String topic, Consumer<ConsumerRecord<byte[], byte[]>> reader) {
    Map<String, Object> settings = Map.of("bootstrap.servers", bootstrap, "auto.offset.reset", "earliest",
        "isolation.level", "read_committed", "exclude.internal.topics", "false");
    long deadline = System.nanoTime() + DEADLINE.toNanos();
    try (var consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
          .map(info -> new TopicPartition(topic, info.partition())).toList();
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      consumer.assign(partitions);
      while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
        if (System.nanoTime() - deadline > 0) {
          throw new AssertionError(topic + " cannot be read to its ends " + ends + " within " + DEADLINE);
        }
        consumer.poll(POLL).forEach(reader);
      }
    }
  }
}
