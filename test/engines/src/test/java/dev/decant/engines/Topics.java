package dev.decant.engines;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Topics and groups of a cluster, as Apache's clients see them. Threads: one. */
final class Topics implements AutoCloseable {
  private static final Duration DEADLINE = Duration.ofSeconds(60);
  private static final Duration STEP = Duration.ofMillis(100);
  private static final Comparator<TopicPartition> ORDER = Comparator.comparing(TopicPartition::topic)
      .thenComparingInt(TopicPartition::partition);

  private final String bootstrap;
  private final Admin admin;

  Topics(String bootstrap) {
    this.bootstrap = bootstrap;
    admin = Admin.create(Map.of("bootstrap.servers", bootstrap));
  }

  static List<TopicPartition> partitions(String topic, int count) {
    return IntStream.range(0, count).mapToObj(p -> new TopicPartition(topic, p)).toList();
  }

  /** Sends records with a key, a header, a timestamp and 100 bytes of value, to all partitions in turns. */
  void fill(String topic, int partitions, int records) {
    long first = System.currentTimeMillis(); // brokers delete records with timestamps of long ago
    try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
        Map.of("bootstrap.servers", bootstrap, "linger.ms", 20, "batch.size", 1 << 17),
        new ByteArraySerializer(), new ByteArraySerializer())) {
      for (int i = 0; i < records; i++) {
        RecordHeaders headers = new RecordHeaders();
        headers.add("number", bytes(Integer.toString(i)));
        Future<RecordMetadata> unused = producer.send(new ProducerRecord<>(topic, i % partitions, first + i,
            bytes("key-" + i % 1000), bytes(Lines.line(i)), headers)); // the end offsets tell
      }
    }
    assertThat(end(partitions(topic, partitions))).isEqualTo(records);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** The sum of the end offsets; 0 if a partition is not there yet. */
  long end(List<TopicPartition> partitions) {
    return ends(partitions).values().stream().mapToLong(Long::longValue).sum();
  }

  Map<TopicPartition, Long> ends(List<TopicPartition> partitions) {
    Map<TopicPartition, Long> ends = new TreeMap<>(ORDER);
    try {
      value(admin.listOffsets(partitions.stream().collect(Collectors.toMap(p -> p, p -> OffsetSpec.latest()))).all())
          .forEach((partition, end) -> ends.put(partition, end.offset()));
      return ends;
    } catch (UnknownTopicOrPartitionException e) {
      return Map.of();
    }
  }

  /** What a group has committed for these partitions. */
  Map<TopicPartition, Long> committed(String group, List<TopicPartition> partitions) {
    Map<TopicPartition, Long> committed = new TreeMap<>(ORDER);
    value(admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata()).forEach((partition, offset) -> {
      if (partitions.contains(partition)) {
        committed.put(partition, offset.offset());
      }
    });
    return committed;
  }

  void commit(String group, Map<TopicPartition, Long> offsets) {
    value(admin.alterConsumerGroupOffsets(group, offsets.entrySet().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, e -> new OffsetAndMetadata(e.getValue())))).all());
  }

  private static <T> T value(KafkaFuture<T> future) {
    try {
      return future.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** All records of a partition: offset, timestamp, key, headers and a hash of the value, a line each. */
  List<String> contents(TopicPartition partition) {
    List<String> lines = new ArrayList<>();
    try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(Map.of("bootstrap.servers", bootstrap,
        "isolation.level", "read_committed"), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      long end = consumer.endOffsets(List.of(partition)).getOrDefault(partition, 0L);
      long deadline = System.nanoTime() + DEADLINE.toNanos();
      while (consumer.position(partition) < end && System.nanoTime() - deadline < 0) {
        consumer.poll(STEP).forEach(record -> lines.add(line(record)));
      }
    }
    return lines;
  }

  private static String line(ConsumerRecord<byte[], byte[]> record) {
    StringBuilder line = new StringBuilder().append(record.offset()).append(' ').append(record.timestamp()).append(' ')
        .append(record.key() == null ? "null" : HexFormat.of().formatHex(record.key())).append(' ')
        .append(new String(record.value(), StandardCharsets.UTF_8));
    record.headers().forEach(header -> line.append(' ').append(header.key()).append('=')
        .append(HexFormat.of().formatHex(header.value())));
    return line.toString();
  }

  @Override
  public void close() {
    admin.close();
  }
}
