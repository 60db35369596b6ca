package dev.decant.kafka.apache;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Timeout;

/** Consumers of texts, with Apache's producer as the writer. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
abstract class ReadsFromCluster {
  static final Duration SHORT = Duration.ofMillis(100);
  private static final AtomicInteger NUMBERS = new AtomicInteger();

  /** Returns the bootstrap servers. */
  abstract String bootstrap();

  abstract void createTopic(String name, int partitions);

  /** Returns a unique name. */
  static String fresh(String what) {
    return what + "-" + NUMBERS.incrementAndGet();
  }

  String topic(int partitions) {
    String name = fresh("orders");
    createTopic(name, partitions);
    return name;
  }

  Map<String, Object> settings(String protocol, String group) {
    Map<String, Object> settings = new HashMap<>();
    settings.put("bootstrap.servers", bootstrap());
    settings.put("group.protocol", protocol);
    settings.put("group.id", group);
    settings.put("auto.offset.reset", "earliest");
    settings.put("enable.auto.commit", "false");
    settings.put("key.deserializer", StringDeserializer.class);
    settings.put("value.deserializer", StringDeserializer.class);
    return settings;
  }

  DecantConsumer<String, String> consumer(String protocol, String group) {
    return new DecantConsumer<>(settings(protocol, group));
  }

  DecantConsumer<String, String> consumer(String protocol, String group, String setting, Object value) {
    Map<String, Object> settings = settings(protocol, group);
    settings.put(setting, value);
    return new DecantConsumer<>(settings);
  }

  @SafeVarargs
  final void send(ProducerRecord<String, String>... records) {
    try (KafkaProducer<String, String> producer = new KafkaProducer<>(
        Map.of("bootstrap.servers", bootstrap()), new StringSerializer(), new StringSerializer())) {
      for (ProducerRecord<String, String> record : records) {
        producer.send(record).get(30, TimeUnit.SECONDS);
      }
    } catch (InterruptedException | ExecutionException | java.util.concurrent.TimeoutException e) {
      throw new AssertionError(e);
    }
  }

  void send(String topic, int partition, String... values) {
    for (String value : values) {
      send(new ProducerRecord<>(topic, partition, null, value));
    }
  }

  /** Polls until there are this many records. */
  static List<ConsumerRecord<String, String>> read(Consumer<String, String> consumer, int count) {
    List<ConsumerRecord<String, String>> all = new ArrayList<>();
    pollUntil(consumer, all, () -> all.size() >= count);
    return all;
  }

  /** Returns the committed offset; -1 for none. */
  static long committed(Consumer<?, ?> consumer, TopicPartition partition) {
    return offset(consumer.committed(Set.of(partition)), partition);
  }

  /** Returns the offset of a partition; -1 if the map does not have it. */
  static long offset(Map<TopicPartition, OffsetAndMetadata> offsets, TopicPartition partition) {
    OffsetAndMetadata found = offsets.get(partition);
    return found == null ? -1 : found.offset();
  }

  static List<String> values(Consumer<String, String> consumer, int count) {
    return read(consumer, count).stream().map(ConsumerRecord::value).toList();
  }

  static void pollUntil(Consumer<String, String> consumer, List<ConsumerRecord<String, String>> into,
      BooleanSupplier enough) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!enough.getAsBoolean()) {
      assertThat(deadline - System.nanoTime()).as("time left; read %s", into).isPositive();
      ConsumerRecords<String, String> records = consumer.poll(SHORT);
      records.forEach(into::add);
    }
  }
}
