package dev.decant.faults;

import dev.decant.testkit.KafkaCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * What a topic holds, as Apache's consumer reads it past the proxies.
 *
 * @param partitions the records of each partition, by offset
 */
record Stored(List<List<Stored.Entry>> partitions) {
  private static final Duration DEADLINE = Duration.ofSeconds(60);

  /**
   * One record.
   *
   * @param offset its offset
   * @param numbered null if its value is none that we have ever sent
   */
  record Entry(long offset, @Nullable Numbered numbered) {}

  static Stored read(KafkaCluster cluster, String topic) {
    long[] ends = cluster.endOffsets(topic);
    List<List<Entry>> partitions = new ArrayList<>();
    Map<String, Object> settings = Map.of("bootstrap.servers", cluster.directBootstrap(), "auto.offset.reset",
        "earliest", "isolation.level", "read_committed");
    long deadline = System.nanoTime() + DEADLINE.toNanos();
    try (var consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      for (int p = 0; p < ends.length; p++) {
        TopicPartition partition = new TopicPartition(topic, p);
        List<Entry> entries = new ArrayList<>();
        consumer.assign(List.of(partition));
        while (consumer.position(partition) < ends[p]) {
          if (System.nanoTime() - deadline > 0) {
            throw new AssertionError(partition + " cannot be read to its end at " + ends[p] + ", only to "
                + consumer.position(partition));
          }
          for (var record : consumer.poll(Duration.ofMillis(200))) {
            entries.add(new Entry(record.offset(), Numbered.decode(record.value())));
          }
        }
        partitions.add(entries);
      }
    }
    return new Stored(partitions);
  }

  int records() {
    return partitions.stream().mapToInt(List::size).sum();
  }
}
