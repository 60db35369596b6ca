package dev.decant.kafka.apache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The way of a record through both clients, with each supported release of kafka-clients: no class may be loaded that a
 * release does not have.
 */
@Tag("full")
class OtherReleasesTest extends ReadsFromBroker {
  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void recordsOfATransactionAreReadCommittedAndLeft(String protocol) {
    String topic = topic(1);
    TopicPartition only = new TopicPartition(topic, 0);
    String group = fresh("group");
    try (DecantProducer<String, String> producer = new DecantProducer<>(
        Map.of("bootstrap.servers", bootstrap(), "transactional.id", fresh("transactions")),
        new StringSerializer(), new StringSerializer());
        DecantConsumer<String, String> consumer = consumer(protocol, group, "isolation.level", "read_committed")) {
      producer.initTransactions();
      producer.beginTransaction();
      Future<RecordMetadata> sent = producer.send(new ProducerRecord<>(topic, "k", "a"));
      producer.commitTransaction();
      assertThat(sent).isDone();
      consumer.subscribe(List.of(topic));
      assertThat(values(consumer, 1)).containsExactly("a");
      producer.beginTransaction();
      producer.sendOffsetsToTransaction(Map.of(only, new OffsetAndMetadata(1)), consumer.groupMetadata());
      producer.commitTransaction();
      assertThat(committed(consumer, only)).isEqualTo(1);
      assertThat(producer.metrics()).isNotEmpty();
      assertThat(consumer.metrics()).isNotEmpty();
      consumer.unsubscribe();
    }
    try (DecantConsumer<String, String> consumer = consumer(protocol, group)) {
      consumer.subscribe(List.of(topic));
      assertThat(consumer.poll(SHORT)).isEmpty();
    }
  }
}
