package dev.decant.kafka.apache;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A consumer on a real broker: records with all their parts, transactions and commits, under both group protocols. */
@Execution(ExecutionMode.CONCURRENT)
class ConsumerOnBrokerTest extends ReadsFromBroker {
  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void recordsHaveAllTheirParts(String protocol) {
    String topic = topic(1);
    send(new ProducerRecord<>(topic, 0, 17L, "key", "value",
        List.of(new RecordHeader("a", new byte[] {1, 2}), new RecordHeader("b", null))),
        new ProducerRecord<>(topic, 0, 18L, (String) null, (String) null));
    try (DecantConsumer<String, String> consumer = consumer(protocol, fresh("group"))) {
      consumer.subscribe(List.of(topic));
      List<ConsumerRecord<String, String>> records = read(consumer, 2);
      ConsumerRecord<String, String> first = records.getFirst();
      assertThat(first.topic()).isEqualTo(topic);
      assertThat(first.partition()).isZero();
      assertThat(first.offset()).isZero();
      assertThat(first.timestamp()).isEqualTo(17);
      assertThat(first.timestampType()).isEqualTo(TimestampType.CREATE_TIME);
      assertThat(first.key()).isEqualTo("key");
      assertThat(first.value()).isEqualTo("value");
      assertThat(first.serializedKeySize()).isEqualTo(3);
      assertThat(first.serializedValueSize()).isEqualTo(5);
      assertThat(first.leaderEpoch()).contains(0);
      assertThat(first.headers().toArray()).containsExactly(new RecordHeader("a", new byte[] {1, 2}),
          new RecordHeader("b", null));
      ConsumerRecord<String, String> second = records.get(1);
      assertThat(second.key()).isNull();
      assertThat(second.value()).isNull();
      assertThat(second.serializedValueSize()).isEqualTo(-1);
      assertThat(second.headers().add("c", "d".getBytes(StandardCharsets.UTF_8)).toArray()).hasSize(1);
    }
  }

  /** Kafka Streams commits the next offsets of its polls, so they must be behind the markers. */
  @ClientsFrom(value = "4.0", because = "nextOffsets")
  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void pollReturnsWithoutRecordsWhenThePositionMovesPastATransactionMarker(String protocol) {
    String topic = topic(1);
    TopicPartition only = new TopicPartition(topic, 0);
    Map<String, Object> ofProducer = Map.of("bootstrap.servers", bootstrap(), "transactional.id", topic);
    try (KafkaProducer<String, String> producer = new KafkaProducer<>(ofProducer, new StringSerializer(),
        new StringSerializer())) {
      producer.initTransactions();
      producer.beginTransaction();
      Future<?> unusedA = producer.send(new ProducerRecord<>(topic, 0, null, "a"));
      Future<?> unusedB = producer.send(new ProducerRecord<>(topic, 0, null, "b"));
      producer.commitTransaction();
      producer.beginTransaction();
      Future<?> unusedC = producer.send(new ProducerRecord<>(topic, 0, null, "aborted"));
      producer.flush();
      producer.abortTransaction();
    }
    Map<String, Object> settings = settings(protocol, fresh("group"));
    settings.put("isolation.level", "read_committed");
    settings.put("max.poll.records", 1);
    List<String> polls = new ArrayList<>();
    try (DecantConsumer<String, String> consumer = new DecantConsumer<>(settings)) {
      consumer.assign(List.of(only));
      while (consumer.position(only) < 5) { // two markers with a record between them
        ConsumerRecords<String, String> records = consumer.poll(Duration.ofSeconds(30));
        assertThat(records.nextOffsets()).containsOnlyKeys(only);
        assertThat(offset(records.nextOffsets(), only)).isEqualTo(consumer.position(only));
        records.forEach(record -> polls.add(record.value()));
      }
      assertThat(polls).containsExactly("a", "b");
      consumer.commitSync();
      assertThat(offset(consumer.committed(Set.of(only)), only)).isEqualTo(5);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void groupGoesOnAtTheCommittedPositions(String protocol) {
    String topic = topic(1);
    String group = fresh("group");
    TopicPartition only = new TopicPartition(topic, 0);
    send(topic, 0, "a", "b");
    try (DecantConsumer<String, String> consumer = consumer(protocol, group, "max.poll.records", 1)) {
      consumer.subscribe(List.of(topic));
      assertThat(values(consumer, 1)).containsExactly("a");
      assertThat(consumer.committed(Set.of(only))).containsEntry(only, null);
      consumer.commitSync();
      assertThat(committed(consumer, only)).isEqualTo(1);
      assertThat(consumer.groupMetadata().groupId()).isEqualTo(group);
      assertThat(consumer.groupMetadata().memberId()).isNotEmpty();
      assertThat(consumer.groupMetadata().generationId()).isPositive();
    }
    try (DecantConsumer<String, String> consumer = consumer(protocol, group)) {
      consumer.subscribe(List.of(topic));
      assertThat(values(consumer, 1)).containsExactly("b");
      consumer.unsubscribe();
      assertThat(consumer.assignment()).isEmpty();
      assertThat(consumer.subscription()).isEmpty();
      consumer.assign(List.of(only));
      assertThat(values(consumer, 1)).as("what was not committed").containsExactly("b");
    }
  }
}
