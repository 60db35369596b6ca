package dev.decant.faults;

import dev.decant.testkit.KafkaCluster;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * What a topic holds, as Apache's consumer reads it past the proxies, up to a record that Apache's producer adds: a
 * broker that was frozen takes itself for the leader for a moment, and then tells an end that lies long behind, but it
 * cannot have that record stored by all.
 *
 * @param partitions the records of each partition, by offset
 */
record Stored(List<List<Stored.Entry>> partitions) {
  private static final Duration DEADLINE = Duration.ofSeconds(60);
  /** The value of the record that tells where the rest of a partition ends. */
  private static final byte[] END = "end of what was stored".getBytes(StandardCharsets.US_ASCII);

  /**
   * One record.
   *
   * @param offset its offset
   * @param numbered null if its value is none that we have ever sent
   */
  record Entry(long offset, @Nullable Numbered numbered) {
    /** Adds what was read at an offset, unless it is none of the senders'. */
    static void read(long offset, byte @Nullable [] value, List<Entry> entries) {
      if (!Arrays.equals(value, END)) {
        entries.add(new Entry(offset, Numbered.decode(value)));
      }
    }
  }

  static Stored read(KafkaCluster cluster, String topic) throws InterruptedException {
    List<Long> ends = markEnds(cluster, topic);
    List<List<Entry>> partitions = new ArrayList<>();
    Map<String, Object> settings = Map.of("bootstrap.servers", cluster.directBootstrap(), "auto.offset.reset",
        "earliest", "isolation.level", "read_committed");
    long deadline = System.nanoTime() + DEADLINE.toNanos();
    try (var consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      for (int p = 0; p < ends.size(); p++) {
        TopicPartition partition = new TopicPartition(topic, p);
        List<Entry> entries = new ArrayList<>();
        consumer.assign(List.of(partition));
        while (consumer.position(partition) < ends.get(p)) {
          if (System.nanoTime() - deadline > 0) {
            throw new AssertionError(partition + " cannot be read to its end at " + ends.get(p) + ", only to "
                + consumer.position(partition));
          }
          for (var record : consumer.poll(Duration.ofMillis(200))) {
            Entry.read(record.offset(), record.value(), entries);
          }
        }
        partitions.add(entries);
      }
    }
    return new Stored(partitions);
  }

  /** Adds a record to each partition, and says where they are. */
  private static List<Long> markEnds(KafkaCluster cluster, String topic) throws InterruptedException {
    Map<String, Object> settings = Map.of("bootstrap.servers", cluster.directBootstrap(), "acks", "all",
        "delivery.timeout.ms", (int) DEADLINE.toMillis());
    List<Long> ends = new ArrayList<>();
    try (var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
      List<Future<RecordMetadata>> sent = new ArrayList<>();
      for (int p = 0; p < Workload.PARTITIONS; p++) {
        sent.add(producer.send(new ProducerRecord<>(topic, p, null, END)));
      }
      for (Future<RecordMetadata> future : sent) {
        ends.add(future.get().offset());
      }
    } catch (ExecutionException e) {
      throw new AssertionError("the end of " + topic + " cannot be told", e);
    }
    return ends;
  }

  int records() {
    return partitions.stream().mapToInt(List::size).sum();
  }
}
