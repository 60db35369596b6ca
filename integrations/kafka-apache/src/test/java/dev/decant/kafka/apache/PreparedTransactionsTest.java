package dev.decant.kafka.apache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.PreparedTransaction;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** One producer that prepares transactions under many ids, and another one that ends them; against a real broker. */
@ExtendWith(RealCluster.class)
@Timeout(value = 60, unit = TimeUnit.SECONDS)
@SuppressWarnings("FutureReturnValueIgnored") // preparing waits for the records
class PreparedTransactionsTest {
  private final String bootstrap = RealCluster.current().bootstrap();
  private final String topic = RealCluster.current().createTopic(1);

  private DecantProducer<String, String> open(Object... more) {
    Map<String, Object> settings = new HashMap<>(Map.of("bootstrap.servers", bootstrap, "transactional.id", topic));
    for (int i = 0; i < more.length; i += 2) {
      settings.put((String) more[i], more[i + 1]);
    }
    return new DecantProducer<>(settings, new StringSerializer(), new StringSerializer());
  }

  private PreparedTransaction prepare(DecantProducer<String, String> producer, String id) {
    producer.initTransactions(id);
    producer.beginTransaction();
    producer.send(new ProducerRecord<>(topic, id));
    return producer.prepareTransaction().orElseThrow();
  }

  private List<String> committed(int records) {
    return ApacheReader.readCommitted(bootstrap, topic, 1, records).stream().map(ConsumerRecord::value).toList();
  }

  @Test
  void producerGoesOnUnderAnotherIdAndAnotherOneEndsWhatItHasPrepared() {
    try (DecantProducer<String, String> committer = open()) {
      PreparedTransaction second;
      PreparedTransaction third;
      try (DecantProducer<String, String> writer = open()) {
        PreparedTransaction first = prepare(writer, topic + "-1");
        second = prepare(writer, topic + "-2");
        committer.resumeTransaction(first);
        committer.commitTransaction();
        third = prepare(writer, topic + "-1"); // the id is free again
        assertThatThrownBy(() -> writer.send(new ProducerRecord<>(topic, "late")))
            .isInstanceOf(IllegalStateException.class);
      }
      committer.resumeTransaction(second);
      committer.abortTransaction();
      committer.resumeTransaction(third);
      committer.commitTransaction();
      committer.resumeTransaction(third);
      committer.commitTransaction(); // again
      assertThatThrownBy(() -> committer.send(new ProducerRecord<>(topic, "in no transaction")))
          .isInstanceOf(IllegalStateException.class);
    }
    assertThat(committed(2)).containsExactly(topic + "-1", topic + "-1");
  }

  @Test
  void transactionIsCommittedByTheProducerThatHasPreparedIt() {
    try (DecantProducer<String, String> producer = open()) {
      prepare(producer, topic);
      assertThatThrownBy(producer::beginTransaction).isInstanceOf(IllegalStateException.class).hasMessage(
          "TransactionalId " + topic + ": Invalid transition attempted from state PREPARED_TRANSACTION to state"
              + " IN_TRANSACTION");
      producer.commitTransaction();
      producer.beginTransaction();
      assertThat(producer.prepareTransaction()).as("without records").isEmpty();
      producer.abortTransaction();
      producer.beginTransaction();
      assertThatThrownBy(() -> producer.initTransactions("other")).isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("from state IN_TRANSACTION");
      assertThatThrownBy(() -> producer.resumeTransaction(new PreparedTransaction("other", 1, (short) 1)))
          .isInstanceOf(IllegalStateException.class);
      producer.abortTransaction();
      prepareIsTimed(producer);
    }
    assertThat(committed(1)).containsExactly(topic);
  }

  private static void prepareIsTimed(DecantProducer<String, String> producer) {
    assertThat(producer.metrics().entrySet()).anySatisfy(metric -> {
      assertThat(metric.getKey().name()).isEqualTo("txn-prepare-time-ns-total");
      assertThat((Double) metric.getValue().metricValue()).isPositive();
    });
  }

  @Test
  void endOfATransactionWhoseIdWasOpenedAgainIsRefused() {
    try (DecantProducer<String, String> writer = open(); DecantProducer<String, String> committer = open()) {
      PreparedTransaction lost = prepare(writer, topic);
      writer.initTransactions(topic); // aborts it
      committer.resumeTransaction(lost);
      assertThatThrownBy(committer::commitTransaction).isInstanceOf(ProducerFencedException.class)
          .hasMessageContaining("another client has opened the transactional id since");
      PreparedTransaction next = prepare(writer, topic);
      committer.resumeTransaction(next); // the committer can continue
      committer.commitTransaction();
    }
    assertThat(committed(1)).containsExactly(topic);
  }

  @ClientsFrom(value = "4.1", because = "transaction.two.phase.commit.enable")
  @Test
  void brokersThatTakeNoPartInTwoPhaseCommitsRefuseThem() {
    try (DecantProducer<String, String> producer = open("transaction.two.phase.commit.enable", true)) {
      assertThatThrownBy(producer::initTransactions).isInstanceOf(UnsupportedVersionException.class)
          .hasMessageContaining("unstable.api.versions.enable=true");
    }
  }
}
