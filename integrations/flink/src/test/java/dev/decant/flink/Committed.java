package dev.decant.flink;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/** The oracle: reads with Apache's consumer what is committed. */
final class Committed {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private Committed() {}

  /** The values of a topic up to its end, which no open transaction may hold back. */
  static List<String> values(String bootstrap, String topic) {
    List<String> values = new ArrayList<>();
    Map<String, Object> settings = Map.of("bootstrap.servers", bootstrap, "isolation.level", "read_committed");
    Map<String, Object> uncommitted = Map.of("bootstrap.servers", bootstrap);
    try (var consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
        var all = new KafkaConsumer<>(uncommitted, new StringDeserializer(), new StringDeserializer())) {
      List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
          .map(partition -> new TopicPartition(topic, partition.partition())).toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = all.endOffsets(partitions);
      long deadline = System.nanoTime() + LIMIT.toNanos();
      while (partitions.stream()
          .anyMatch(partition -> consumer.position(partition) < ends.getOrDefault(partition, 0L))) {
        consumer.poll(Duration.ofMillis(100)).forEach(record -> values.add(record.value()));
        assertThat(System.nanoTime() - deadline).as("a transaction is open: positions %s of ends %s",
            partitions.stream().map(consumer::position).toList(), ends).isNegative();
      }
    }
    return values;
  }

  /** Fails unless each of the numbers is there exactly once. */
  static void requireEachOnce(List<String> values, long count) {
    BitSet seen = new BitSet();
    List<String> doubled = new ArrayList<>();
    for (String value : values) {
      int number = Integer.parseInt(value);
      if (seen.get(number)) {
        doubled.add(value);
      }
      seen.set(number);
    }
    List<Integer> lost = new ArrayList<>();
    for (int number = seen.nextClearBit(0); number < count; number = seen.nextClearBit(number + 1)) {
      lost.add(number);
    }
    assertThat(lost).as("lost").isEmpty();
    assertThat(doubled).as("doubled").isEmpty();
    assertThat(values).hasSize((int) count);
  }
}
