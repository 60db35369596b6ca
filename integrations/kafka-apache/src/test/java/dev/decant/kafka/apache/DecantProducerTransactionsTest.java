package dev.decant.kafka.apache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TransactionAbortedException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Transactions by Apache's methods, with its states and exceptions. */
@ExtendWith(PlainCluster.class)
@Timeout(value = 60, unit = TimeUnit.SECONDS)
// Without a consumer, only this constructor makes ConsumerGroupMetadata; and the commit waits for the records.
@SuppressWarnings({"removal", "FutureReturnValueIgnored"})
class DecantProducerTransactionsTest {
  private final String bootstrap = PlainCluster.bootstrap();
  private final String topic = PlainCluster.createTopic(1);
  private final String other = PlainCluster.createTopic(1);

  private DecantProducer<String, String> open(Object... more) {
    Map<String, Object> settings = new HashMap<>(
        Map.of("bootstrap.servers", bootstrap, "transactional.id", "id-" + topic));
    for (int i = 0; i < more.length; i += 2) {
      settings.put((String) more[i], more[i + 1]);
    }
    return new DecantProducer<>(settings, new StringSerializer(), new StringSerializer());
  }

  private static Throwable failure(Future<?> future) throws Exception {
    try {
      future.get(30, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      return Objects.requireNonNull(e.getCause());
    }
    throw new AssertionError("it was stored");
  }

  private List<String> committed(String name, int records) {
    return ApacheReader.readCommitted(bootstrap, name, 1, records).stream().map(ConsumerRecord::value).toList();
  }

  @Test
  void recordsOfAllTopicsAreCommittedOrAbortedTogether() throws Exception {
    try (DecantProducer<String, String> producer = open("linger.ms", 60_000)) {
      producer.initTransactions();
      producer.beginTransaction();
      Future<RecordMetadata> given = producer.send(new ProducerRecord<>(topic, "aborted"));
      producer.send(new ProducerRecord<>(other, "aborted"));
      producer.abortTransaction();
      assertThat(failure(given)).isInstanceOf(TransactionAbortedException.class);
      producer.beginTransaction();
      producer.send(new ProducerRecord<>(topic, "sent and aborted"));
      producer.flush();
      producer.abortTransaction();
      producer.beginTransaction();
      producer.send(new ProducerRecord<>(topic, "committed"));
      producer.send(new ProducerRecord<>(other, "too"));
      producer.commitTransaction();
      producer.beginTransaction();
      producer.commitTransaction();
    }
    assertThat(committed(topic, 1)).containsExactly("committed");
    assertThat(committed(other, 1)).containsExactly("too");
  }

  @Test
  void offsetsBelongToTheTransaction() {
    TopicPartition partition = new TopicPartition(topic, 0);
    OffsetAndMetadata offset = new OffsetAndMetadata(110, Optional.of(0), "some metadata");
    try (DecantProducer<String, String> producer = open()) {
      producer.initTransactions();
      producer.beginTransaction();
      producer.sendOffsetsToTransaction(Map.of(partition, offset), new ConsumerGroupMetadata("g-" + topic));
      producer.commitTransaction();
      producer.beginTransaction();
      assertThatThrownBy(() -> producer.sendOffsetsToTransaction(Map.of(partition, offset),
          new ConsumerGroupMetadata("g-" + topic, 3, "gone", Optional.empty())))
          .isInstanceOf(CommitFailedException.class);
      assertThatThrownBy(producer::commitTransaction).isExactlyInstanceOf(KafkaException.class)
          .hasMessage("Cannot execute transactional method because we are in an error state");
      producer.abortTransaction();
      assertThatThrownBy(() -> producer.sendOffsetsToTransaction(Map.of(partition, offset),
          new ConsumerGroupMetadata("g"))).isInstanceOf(IllegalStateException.class);
    }
    try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
        Map.of("bootstrap.servers", bootstrap, "group.id", "g-" + topic), new StringDeserializer(),
        new StringDeserializer())) {
      assertThat(consumer.committed(Set.of(partition)).get(partition)).isEqualTo(offset);
    }
  }

  @Test
  void callsInTheWrongOrderAreRefused() {
    try (DecantProducer<String, String> producer = open()) {
      assertThatThrownBy(producer::beginTransaction).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> producer.send(new ProducerRecord<>(topic, "v")))
          .isInstanceOf(IllegalStateException.class);
      producer.initTransactions();
      assertThatThrownBy(producer::initTransactions).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(producer::commitTransaction).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(producer::abortTransaction).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> producer.send(new ProducerRecord<>(topic, "v")))
          .isInstanceOf(IllegalStateException.class);
      producer.beginTransaction();
      assertThatThrownBy(producer::beginTransaction).isInstanceOf(IllegalStateException.class);
      producer.abortTransaction();
    }
    try (DecantProducer<String, String> plain = new DecantProducer<>(Map.of("bootstrap.servers", bootstrap),
        new StringSerializer(), new StringSerializer())) {
      assertThatThrownBy(plain::initTransactions).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(plain::beginTransaction).isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void recordThatCannotBeSentFailsTheTransaction() throws Exception {
    try (DecantProducer<String, String> producer = open("max.request.size", 2_000)) {
      producer.initTransactions();
      producer.beginTransaction();
      Future<RecordMetadata> large = producer.send(new ProducerRecord<>(topic, "v".repeat(3_000)));
      assertThat(failure(large)).isInstanceOf(RecordTooLargeException.class);
      assertThatThrownBy(producer::commitTransaction).isExactlyInstanceOf(KafkaException.class)
          .hasCauseInstanceOf(RecordTooLargeException.class);
      assertThatThrownBy(() -> producer.send(new ProducerRecord<>(topic, "v")))
          .isExactlyInstanceOf(KafkaException.class).hasCauseInstanceOf(RecordTooLargeException.class);
      producer.abortTransaction();
      producer.beginTransaction();
      producer.send(new ProducerRecord<>(topic, "after"));
      producer.commitTransaction();
    }
    assertThat(committed(topic, 1)).containsExactly("after");
  }

  @Test
  void newerProducerFencesTheOlderOne() throws Exception {
    try (DecantProducer<String, String> older = open(); DecantProducer<String, String> newer = open()) {
      older.initTransactions();
      older.beginTransaction();
      older.send(new ProducerRecord<>(topic, "lost")).get(30, TimeUnit.SECONDS);
      newer.initTransactions();
      newer.beginTransaction();
      newer.send(new ProducerRecord<>(topic, "kept"));
      assertThat(failure(older.send(new ProducerRecord<>(topic, "late"))))
          .isInstanceOfAny(InvalidProducerEpochException.class, ProducerFencedException.class);
      assertThatThrownBy(older::commitTransaction)
          .isInstanceOfAny(InvalidProducerEpochException.class, ProducerFencedException.class);
      assertThatThrownBy(older::abortTransaction).isInstanceOf(ProducerFencedException.class);
      assertThatThrownBy(older::beginTransaction).isInstanceOf(ProducerFencedException.class);
      newer.commitTransaction();
    }
    assertThat(committed(topic, 1)).containsExactly("kept");
  }
}
