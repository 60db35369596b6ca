package dev.decant.fake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.TransactionException;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.IsolationLevel;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.Transactions;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.AbortTransactionSpec;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.ProducerState;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests transactions of both clients on a fake cluster, of version 1 (before 4.0) and 2 (KIP-890). */
@Timeout(60)
class TransactionTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private static FakeCluster cluster(int major, int minor) {
    return FakeCluster.builder().brokers(2).release(major, minor).topic("orders", 2).start();
  }

  private static KafkaProducer<String, String> apaches(FakeCluster cluster, Map<String, Object> settings) {
    KafkaProducer<String, String> producer = ApacheClients.producer(cluster, settings);
    producer.initTransactions();
    return producer;
  }

  private static void send(KafkaProducer<String, String> producer, int partition, String value) throws Exception {
    producer.send(new ProducerRecord<>("orders", partition, "k", value)).get(20, TimeUnit.SECONDS);
  }

  private static List<String> readCommitted(FakeCluster cluster, int count) {
    List<String> read = new ArrayList<>();
    try (KafkaConsumer<String, String> consumer = ApacheClients.consumer(cluster,
        Map.of("isolation.level", "read_committed", "fetch.max.wait.ms", 50))) {
      consumer.assign(List.of(new TopicPartition("orders", 0), new TopicPartition("orders", 1)));
      while (read.size() < count) {
        consumer.poll(PATIENCE).forEach(r -> read.add(r.value()));
      }
    }
    return read;
  }

  @ParameterizedTest
  @CsvSource({"2,1", "2,5", "2,8", "3,3", "3,6", "3,9", "4,0", "4,3", "4,4"})
  void apachesProducerCommitsAndAborts(int major, int minor) throws Exception {
    try (FakeCluster cluster = cluster(major, minor);
        KafkaProducer<String, String> producer = apaches(cluster, Map.of("transactional.id", "shop"))) {
      producer.beginTransaction();
      send(producer, 0, "kept");
      send(producer, 1, "kept");
      producer.commitTransaction();
      producer.beginTransaction();
      send(producer, 0, "dropped");
      producer.abortTransaction();
      producer.beginTransaction();
      send(producer, 0, "last");
      producer.commitTransaction();
      assertThat(readCommitted(cluster, 3)).containsExactlyInAnyOrder("kept", "kept", "last");
      assertThat(cluster.log("orders", 0).texts()).containsExactly("kept", "dropped", "last");
      assertThat(cluster.log("orders", 0).lastStable()).isEqualTo(6);
      assertThat(cluster.requests(ApiKey.ADD_PARTITIONS_TO_TXN).isEmpty()).isEqualTo(major >= 4);
    }
  }

  @ParameterizedTest
  @CsvSource({"2,1", "2,8", "3,9", "4,0", "4,3", "4,4"})
  void decantCommitsAndAborts(int major, int minor) throws Exception {
    try (FakeCluster cluster = cluster(major, minor);
        KafkaClient client = KafkaClient.connect(cluster.bootstrap());
        Transactions transactions = client.transactions("shop").open();
        Producer<String, String> producer = client.producer(Serdes.string(), Serdes.string()).topic("orders")
            .transactions(transactions).open();
        dev.decant.kafka.consumer.Consumer<String, String> consumer = client
            .consumer(Serdes.string(), Serdes.string()).offsetReset(OffsetReset.EARLIEST)
            .isolationLevel(IsolationLevel.READ_COMMITTED).open()) {
      consumer.assign(List.of(new dev.decant.kafka.TopicPartition("orders", 0),
          new dev.decant.kafka.TopicPartition("orders", 1)));
      for (String value : List.of("kept", "dropped", "last")) {
        transactions.begin();
        for (String key : List.of("a", "b", "c", "d")) {
          producer.sendAndWait(key, value);
        }
        if (value.equals("dropped")) {
          transactions.abort(PATIENCE);
        } else {
          transactions.commit(PATIENCE);
        }
      }
      List<String> read = new ArrayList<>();
      while (read.size() < 8) {
        consumer.poll(PATIENCE, r -> read.add(r.value()));
      }
      assertThat(read).containsOnly("kept", "last").hasSize(8);
    }
  }

  @ParameterizedTest
  @CsvSource({"2,1", "3,9", "4,0", "4,3"})
  void aSecondProducerFencesTheFirst(int major, int minor) throws Exception {
    Map<String, Object> id = Map.of("transactional.id", "shop");
    try (FakeCluster cluster = cluster(major, minor);
        KafkaProducer<String, String> first = apaches(cluster, id)) {
      first.beginTransaction();
      send(first, 0, "of the first");
      try (KafkaProducer<String, String> second = apaches(cluster, id)) {
        assertThatThrownBy(first::commitTransaction).isInstanceOfAny(ProducerFencedException.class,
            InvalidProducerEpochException.class);
        second.beginTransaction();
        send(second, 0, "of the second");
        second.commitTransaction();
      }
      assertThat(readCommitted(cluster, 1)).containsExactly("of the second");
    }
  }

  @ParameterizedTest
  @CsvSource({"3,9", "4,3"})
  void decantIsFencedByASecondProducer(int major, int minor) throws Exception {
    try (FakeCluster cluster = cluster(major, minor);
        KafkaClient client = KafkaClient.connect(cluster.bootstrap());
        Transactions first = client.transactions("shop").open();
        Producer<String, String> producer = client.producer(Serdes.string(), Serdes.string()).topic("orders")
            .transactions(first).open()) {
      first.begin();
      producer.sendAndWait("k", "of the first");
      try (KafkaClient other = KafkaClient.connect(cluster.bootstrap());
          Transactions second = other.transactions("shop").open()) {
        assertThatThrownBy(() -> first.commit(PATIENCE)).isInstanceOf(TransactionException.class);
        assertThat(second.transactionalId()).isEqualTo("shop");
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"3,9", "4,3"})
  void aTransactionThatIsOpenForTooLongIsAborted(int major, int minor) throws Exception {
    try (FakeCluster cluster = cluster(major, minor);
        KafkaProducer<String, String> slow = apaches(cluster,
            Map.of("transactional.id", "shop", "transaction.timeout.ms", 60_000));
        KafkaProducer<String, String> other = ApacheClients.producer(cluster, Map.of())) {
      slow.beginTransaction();
      send(slow, 0, "late");
      send(other, 0, "after");
      cluster.clock().advance(Duration.ofSeconds(59));
      assertThat(cluster.log("orders", 0).lastStable()).isZero();
      cluster.clock().advance(Duration.ofSeconds(61));
      assertThat(cluster.log("orders", 0).lastStable()).isEqualTo(3);
      assertThat(readCommitted(cluster, 1)).containsExactly("after");
      assertThatThrownBy(slow::commitTransaction).isInstanceOf(RuntimeException.class);
    }
  }

  @ParameterizedTest
  @CsvSource({"3,9", "4,3"})
  void markersReachPartitionsWhoseBrokerHasDied(int major, int minor) throws Exception {
    try (FakeCluster cluster = cluster(major, minor);
        KafkaProducer<String, String> producer = apaches(cluster, Map.of("transactional.id", "shop"))) {
      producer.beginTransaction();
      send(producer, 0, "zero");
      send(producer, 1, "one");
      cluster.broker(cluster.log("orders", 0).leader()).kill();
      producer.commitTransaction();
      assertThat(readCommitted(cluster, 2)).containsExactlyInAnyOrder("zero", "one");
    }
  }

  @ParameterizedTest
  @CsvSource({"3,9", "4,3"})
  void markersWaitForALeader(int major, int minor) throws Exception {
    try (FakeCluster cluster = cluster(major, minor);
        KafkaProducer<String, String> producer = apaches(cluster, Map.of("transactional.id", "shop"))) {
      producer.beginTransaction();
      send(producer, 0, "zero");
      send(producer, 1, "one");
      cluster.removeLeader("orders", 0);
      producer.commitTransaction();
      assertThat(cluster.log("orders", 0).lastStable()).isZero();
      assertThat(cluster.log("orders", 1).lastStable()).isEqualTo(2);
      cluster.moveLeader("orders", 0, 2);
      assertThat(cluster.log("orders", 0).lastStable()).isEqualTo(2);
      assertThat(readCommitted(cluster, 2)).containsExactlyInAnyOrder("zero", "one");
    }
  }

  @Test
  void markersWaitForReplicas() throws Exception {
    try (FakeCluster cluster = cluster(4, 3);
        KafkaProducer<String, String> producer = apaches(cluster, Map.of("transactional.id", "shop"))) {
      producer.beginTransaction();
      send(producer, 0, "zero");
      cluster.holdReplication("orders", 0);
      producer.commitTransaction();
      assertThat(cluster.log("orders", 0).lastStable()).isZero();
      cluster.resumeReplication("orders", 0);
      assertThat(cluster.log("orders", 0).lastStable()).isEqualTo(2);
      producer.beginTransaction();
      send(producer, 0, "next");
      producer.commitTransaction();
      assertThat(readCommitted(cluster, 2)).containsExactly("zero", "next");
    }
  }

  @ParameterizedTest
  @CsvSource({"2,1", "2,5", "3,9", "4,0", "4,3", "4,4"})
  void offsetsCountWhenTheirTransactionCommits(int major, int minor) throws Exception {
    TopicPartition partition = new TopicPartition("orders", 0);
    try (FakeCluster cluster = cluster(major, minor);
        KafkaProducer<String, String> producer = apaches(cluster, Map.of("transactional.id", "shop"));
        KafkaConsumer<String, String> consumer = ApacheClients.consumer(cluster, Map.of("group.id", "workers"))) {
      for (boolean isCommit : List.of(false, true)) {
        producer.beginTransaction();
        send(producer, 0, "made of what was read");
        producer.sendOffsetsToTransaction(Map.of(partition, new OffsetAndMetadata(isCommit ? 7 : 3)),
            consumer.groupMetadata());
        if (isCommit) {
          producer.commitTransaction();
        } else {
          producer.abortTransaction();
          assertThat(consumer.committed(Set.of(partition)).get(partition)).isNull();
        }
      }
      assertThat(Objects.requireNonNull(consumer.committed(Set.of(partition)).get(partition)).offset()).isEqualTo(7);
      assertThat(cluster.requests(ApiKey.ADD_OFFSETS_TO_TXN).isEmpty()).isEqualTo(major >= 4);
    }
  }

  @Test
  void adminsSeeTransactionsAndEndThoseThatHang() throws Exception {
    TopicPartition partition = new TopicPartition("orders", 0);
    try (FakeCluster cluster = cluster(4, 3);
        KafkaProducer<String, String> producer = apaches(cluster, Map.of("transactional.id", "shop"));
        Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()))) {
      producer.beginTransaction();
      send(producer, 0, "hangs");
      TransactionListing listed = admin.listTransactions().all().get(20, TimeUnit.SECONDS).iterator().next();
      assertThat(listed.transactionalId()).isEqualTo("shop");
      assertThat(listed.state()).isEqualTo(TransactionState.ONGOING);
      assertThat(admin.listTransactions(new ListTransactionsOptions().filterOnDuration(60_000)).all()
          .get(20, TimeUnit.SECONDS)).isEmpty();
      assertThat(admin.describeTransactions(List.of("shop")).description("shop").get(20, TimeUnit.SECONDS)
          .topicPartitions()).containsExactly(partition);
      ProducerState state = admin.describeProducers(List.of(partition)).partitionResult(partition)
          .get(20, TimeUnit.SECONDS).activeProducers().getFirst();
      assertThat(state.producerId()).isEqualTo(listed.producerId());
      assertThat(state.currentTransactionStartOffset()).hasValue(0);
      admin.abortTransaction(new AbortTransactionSpec(partition, state.producerId(), (short) state.producerEpoch(),
          state.coordinatorEpoch().orElse(0))).all().get(20, TimeUnit.SECONDS);
      assertThat(cluster.log("orders", 0).lastStable()).isEqualTo(2);
      admin.fenceProducers(List.of("shop")).all().get(20, TimeUnit.SECONDS);
      assertThatThrownBy(producer::commitTransaction).isInstanceOf(RuntimeException.class);
    }
  }

  @Test
  void anIdThatWasNotUsedForLongIsForgotten() throws Exception {
    try (FakeCluster cluster = cluster(4, 3);
        KafkaProducer<String, String> producer = apaches(cluster, Map.of("transactional.id", "shop"));
        Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()))) {
      producer.beginTransaction();
      send(producer, 0, "v");
      producer.commitTransaction();
      cluster.clock().advance(Duration.ofDays(7).minusMinutes(1));
      assertThat(admin.listTransactions().all().get(20, TimeUnit.SECONDS)).hasSize(1);
      cluster.clock().advance(Duration.ofMinutes(2));
      assertThat(admin.listTransactions().all().get(20, TimeUnit.SECONDS)).isEmpty();
    }
  }

  @Test
  void aTransactionWhoseMarkerIsLostIsOpenAgain() throws Exception {
    try (FakeCluster cluster = cluster(4, 3);
        KafkaProducer<String, String> producer = apaches(cluster, Map.of("transactional.id", "shop"))) {
      producer.beginTransaction();
      send(producer, 0, "v");
      producer.commitTransaction();
      cluster.loseRecords("orders", 0, 2, 1);
      assertThat(cluster.log("orders", 0).lastStable()).isZero();
    }
  }
}
