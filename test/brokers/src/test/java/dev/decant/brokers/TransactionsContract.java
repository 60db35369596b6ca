package dev.decant.brokers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.decant.kafka.GroupMetadata;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.PreparedTransaction;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.TransactionException;
import dev.decant.kafka.TransactionState;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.IsolationLevel;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.Transactions;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.testkit.KafkaCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** Transactions against a real broker of one {@code transaction.version}; Apache's client is the oracle. */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class TransactionsContract {
  static final Duration LATER = Duration.ofSeconds(30);
  private static final int MAX_MESSAGE_BYTES = 100_000;

  private KafkaCluster cluster;
  private KafkaClient client;

  /** The cluster with that version, which aborts a transaction soon that outlives its time-out. */
  abstract KafkaCluster cluster();

  @BeforeAll
  void start() {
    cluster = cluster();
    client = KafkaClient.connect(cluster.bootstrap());
  }

  @AfterAll
  void stop() {
    client.close();
  }

  private String newTopic(int partitions) {
    return cluster.createTopic(partitions);
  }

  private String newTopicOfSmallBatches() throws Exception {
    String name = "small-batches";
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()))) {
      admin.createTopics(List.of(new NewTopic(name, 1, (short) 1)
          .configs(Map.of("max.message.bytes", Integer.toString(MAX_MESSAGE_BYTES))))).all().get();
    }
    return name;
  }

  private Transactions open(String id) throws InterruptedException {
    return client.transactions(id).open();
  }

  private Producer<String, String> producer(Transactions transactions, String topic) throws InterruptedException {
    return client.producer(Serdes.string(), Serdes.string()).topic(topic).transactions(transactions).open();
  }

  /** The committed values of a topic with one partition, up to the one that ends them. */
  private List<String> committed(String topic, String last) {
    List<String> values = new ArrayList<>();
    Map<String, Object> settings = Map.of("bootstrap.servers", cluster.bootstrap(), "auto.offset.reset", "earliest",
        "isolation.level", "read_committed");
    try (var consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
      consumer.assign(List.of(new org.apache.kafka.common.TopicPartition(topic, 0)));
      while (!values.contains(last)) {
        consumer.poll(Duration.ofMillis(100)).forEach(record -> values.add(record.value()));
      }
    }
    return values;
  }

  private @Nullable Long committedOffset(String group, String topic) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()))) {
      // fetched with the demand for stable offsets: while a transaction is pending there is an error, and a retry
      var offset = admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get()
          .get(new org.apache.kafka.common.TopicPartition(topic, 0));
      return offset == null ? null : offset.offset();
    }
  }

  @Test
  void committedRecordsOfTwoTopicsAreSeenAndAbortedOnesAreNot() throws InterruptedException {
    String orders = newTopic(1);
    String bills = newTopic(1);
    try (Transactions tx = open("two-topics");
        Producer<String, String> toOrders = producer(tx, orders);
        Producer<String, String> toBills = producer(tx, bills)) {
      tx.begin();
      toOrders.send("k", "o1");
      toBills.send("k", "b1");
      tx.commit(LATER);
      tx.begin();
      toOrders.send("k", "aborted");
      toBills.sendAndWait("k", "aborted too");
      tx.abort(LATER);
      tx.begin();
      toOrders.send("k", "o2");
      toBills.send("k", "b2");
      tx.commit(LATER);
      assertThat(tx.state()).isEqualTo(TransactionState.READY);
    }
    assertThat(committed(orders, "o2")).containsExactly("o1", "o2");
    assertThat(committed(bills, "b2")).containsExactly("b1", "b2");
  }

  @Test
  void manyTransactionsOnManyPartitionsAreStoredOnceAndInOrder() throws InterruptedException {
    String topic = newTopic(1);
    String wide = newTopic(7);
    List<String> expected = new ArrayList<>();
    try (Transactions tx = open("many");
        Producer<String, String> producer = producer(tx, topic);
        Producer<String, String> other = producer(tx, wide)) {
      for (int t = 0; t < 30; t++) {
        boolean commits = t % 3 != 1;
        tx.begin();
        for (int i = 0; i < 20; i++) {
          producer.send("k", t + "-" + i);
          other.send("k" + i, t + "-" + i);
          if (commits) {
            expected.add(t + "-" + i);
          }
        }
        if (commits) {
          tx.commit(LATER);
        } else {
          tx.abort(LATER);
        }
      }
    }
    assertThat(committed(topic, expected.getLast())).isEqualTo(expected);
  }

  @Test
  void offsetsAreCommittedWithTheTransactionAndDroppedWithIt() throws Exception {
    String topic = newTopic(1);
    TopicPartition read = new TopicPartition(topic, 0);
    GroupMetadata group = new GroupMetadata("billing");
    try (Transactions tx = open("offsets"); Producer<String, String> producer = producer(tx, topic)) {
      tx.begin();
      producer.send("k", "v");
      tx.sendOffsets(Map.of(read, new OffsetAndMetadata(5, 0, "as far as five")), group, LATER);
      tx.commit(LATER);
      assertThat(committedOffset("billing", topic)).isEqualTo(5);
      tx.begin();
      tx.sendOffsets(Map.of(read, new OffsetAndMetadata(9)), group, LATER);
      tx.abort(LATER);
      assertThat(committedOffset("billing", topic)).isEqualTo(5);
      tx.begin();
      tx.sendOffsets(Map.of(), group, LATER);
      tx.sendOffsets(Map.of(read, new OffsetAndMetadata(6)), group, LATER);
      tx.sendOffsets(Map.of(read, new OffsetAndMetadata(7)), group, LATER);
      tx.commit(LATER);
      assertThat(committedOffset("billing", topic)).isEqualTo(7);
    }
  }

  @Test
  void offsetsOfAMemberThatTheGroupDoesNotKnowFailTheTransaction() throws InterruptedException {
    String topic = newTopic(1);
    GroupMetadata stranger = new GroupMetadata("billing-2", 3, "stranger", null);
    try (Transactions tx = open("stranger"); Producer<String, String> producer = producer(tx, topic)) {
      tx.begin();
      TransactionException refused = catchThrowableOfType(TransactionException.class, () -> tx
          .sendOffsets(Map.of(new TopicPartition(topic, 0), new OffsetAndMetadata(1)), stranger, LATER));
      assertThat(refused.kind()).isEqualTo(ErrorCode.Kind.ABORTABLE);
      assertThat(tx.state()).isEqualTo(TransactionState.MUST_ABORT);
      assertThatThrownBy(() -> producer.send("k", "late")).isInstanceOf(TransactionException.class)
          .hasMessageContaining("must be aborted");
      assertThatThrownBy(() -> tx.commit(LATER)).isInstanceOf(TransactionException.class);
      tx.abort(LATER);
      tx.begin();
      producer.send("k", "v");
      tx.commit(LATER);
    }
    assertThat(committed(topic, "v")).containsExactly("v");
  }

  @Test
  void whoeverOpensTheSameTransactionalIdFencesTheOneBefore() throws InterruptedException {
    String topic = newTopic(1);
    try (Transactions zombie = open("taken-over"); Producer<String, String> old = producer(zombie, topic)) {
      zombie.begin();
      old.sendAndWait("k", "of the zombie");
      try (Transactions heir = open("taken-over"); Producer<String, String> fresh = producer(heir, topic)) {
        heir.begin();
        fresh.send("k", "of the heir");
        heir.commit(LATER);
      }
      TransactionException fenced = catchThrowableOfType(TransactionException.class, () -> zombie.commit(LATER));
      assertThat(fenced.kind()).isEqualTo(ErrorCode.Kind.FATAL);
      assertThat(fenced.code()).isIn(ErrorCode.PRODUCER_FENCED, ErrorCode.INVALID_PRODUCER_EPOCH);
      assertThat(zombie.state()).isEqualTo(TransactionState.DEAD);
      assertThatThrownBy(zombie::begin).isInstanceOf(TransactionException.class).hasMessageContaining("close it");
      assertThatThrownBy(() -> zombie.abort(LATER)).isInstanceOf(TransactionException.class);
      assertThatThrownBy(() -> old.send("k", "late")).isInstanceOf(TransactionException.class);
    }
    assertThat(committed(topic, "of the heir")).containsExactly("of the heir");
  }

  @Test
  void recordThatIsRefusedFailsTheTransactionAndTheNextOneGoesOn() throws Exception {
    String topic = newTopicOfSmallBatches();
    try (Transactions tx = open("refused"); Producer<String, String> producer = producer(tx, topic)) {
      for (int round = 0; round < 3; round++) {
        tx.begin();
        producer.sendAndWait("k", "never seen " + round);
        producer.send("k", "x".repeat(MAX_MESSAGE_BYTES + 1_000));
        TransactionException failed = catchThrowableOfType(TransactionException.class, () -> tx.commit(LATER));
        assertThat(failed.kind()).isEqualTo(ErrorCode.Kind.ABORTABLE);
        assertThat(failed.code()).isEqualTo(ErrorCode.MESSAGE_TOO_LARGE);
        assertThat(failed).hasMessageContaining(topic + "-0").hasMessageContaining("broker 127.0.0.1");
        tx.abort(LATER);
        tx.begin();
        producer.send("k", "v" + round);
        tx.commit(LATER);
      }
    }
    assertThat(committed(topic, "v2")).containsExactly("v0", "v1", "v2");
  }

  @Test
  void numbersOfATopicGoOnUnderAnotherProducer() throws InterruptedException {
    String topic = newTopic(1);
    try (Transactions tx = open("another-producer")) {
      tx.begin();
      for (int i = 0; i < 3; i++) {
        try (Producer<String, String> producer = producer(tx, topic)) {
          producer.sendAndWait("k", "v" + i);
          assertThatThrownBy(() -> producer(tx, topic)).isInstanceOf(IllegalArgumentException.class)
              .hasMessageContaining(topic);
        }
      }
      tx.commit(LATER);
      tx.begin();
      try (Producer<String, String> producer = producer(tx, topic)) {
        producer.sendAndWait("k", "v3");
      }
      tx.commit(LATER);
    }
    assertThat(committed(topic, "v3")).containsExactly("v0", "v1", "v2", "v3");
  }

  @Test
  void transactionWithoutRecordsEndsWithoutTheCoordinator() throws InterruptedException {
    String topic = newTopic(1);
    try (Transactions tx = open("empty"); Producer<String, String> producer = producer(tx, topic)) {
      tx.begin();
      tx.commit(LATER);
      tx.begin();
      tx.abort(LATER);
      tx.begin();
      producer.send("k", "v");
      tx.commit(LATER);
    }
    assertThat(committed(topic, "v")).containsExactly("v");
  }

  @Test
  void ourConsumerSeesOnlyWhatIsCommittedIfItIsToldTo() throws InterruptedException {
    String topic = newTopic(1);
    try (Transactions first = open("first");
        Transactions second = open("second");
        Producer<String, String> a = producer(first, topic);
        Producer<String, String> b = producer(second, topic);
        Producer<String, String> plain = client.producer(Serdes.string(), Serdes.string()).topic(topic).open();
        Consumer<String, String> committed = consumer(topic, IsolationLevel.READ_COMMITTED);
        Consumer<String, String> all = consumer(topic, IsolationLevel.READ_UNCOMMITTED)) {
      first.begin();
      second.begin();
      a.sendAndWait("k", "a1");
      b.sendAndWait("k", "aborted");
      a.sendAndWait("k", "a2");
      b.sendAndWait("k", "aborted too");
      plain.sendAndWait("k", "p1");
      second.abort(LATER);
      first.commit(LATER);
      second.begin();
      b.sendAndWait("k", "b1");
      second.commit(LATER);
      assertThat(read(committed, "b1")).containsExactly("a1", "a2", "p1", "b1");
      first.begin();
      long open = a.sendAndWait("k", "a3").offset();
      plain.sendAndWait("k", "p2");
      assertThat(read(all, "p2")).containsExactly("a1", "aborted", "a2", "aborted too", "p1", "b1", "a3", "p2");
      committed.seekToEnd();
      assertThat(committed.position(topic, 0, LATER)).as("the end is before what is open").isEqualTo(open);
      assertThat(committed.poll(Duration.ofMillis(300), record -> {})).isZero();
      first.commit(LATER);
      assertThat(read(committed, "p2")).containsExactly("a3", "p2");
    }
  }

  private Consumer<String, String> consumer(String topic, IsolationLevel isolation) {
    Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string())
        .offsetReset(OffsetReset.EARLIEST).fetchMaxWait(Duration.ofMillis(100)).isolationLevel(isolation).open();
    consumer.assign(topic, 0);
    return consumer;
  }

  private static List<String> read(Consumer<String, String> consumer, String last) throws InterruptedException {
    List<String> values = new ArrayList<>();
    while (!values.contains(last)) {
      consumer.poll(LATER, record -> values.add(String.valueOf(record.value())));
    }
    return values;
  }

  @Test
  void transactionThatOutlivesItsTimeoutIsAbortedByTheCluster() throws InterruptedException {
    String topic = newTopic(1);
    try (Transactions tx = client.transactions("late").timeout(Duration.ofSeconds(1)).open();
        Producer<String, String> producer = producer(tx, topic)) {
      tx.begin();
      producer.sendAndWait("k", "lost");
      while (cluster.endOffsets(topic)[0] < 2) { // until the marker is there; each look asks the broker
        assertThat(tx.state()).isEqualTo(TransactionState.OPEN);
      }
      TransactionException late = catchThrowableOfType(TransactionException.class, () -> {
        producer.send("k", "too late");
        tx.commit(LATER);
      });
      assertThat(late).hasMessageContaining("transaction of late must be aborted").hasMessageContaining("EPOCH");
      abortWhatTheClusterHasAborted(tx);
    }
    try (Transactions again = open("late"); Producer<String, String> producer = producer(again, topic)) {
      again.begin();
      producer.send("k", "next");
      again.commit(LATER);
    }
    assertThat(committed(topic, "next")).containsExactly("next");
  }

  /** Afterwards it is either usable or clearly dead. */
  private static void abortWhatTheClusterHasAborted(Transactions tx) throws InterruptedException {
    try {
      tx.abort(LATER);
      assertThat(tx.state()).isEqualTo(TransactionState.READY);
    } catch (TransactionException dead) {
      assertThat(dead).hasMessageContaining("cannot be used any more by this client, close it");
      assertThat(tx.state()).isEqualTo(TransactionState.DEAD);
      assertThatThrownBy(tx::begin).isInstanceOf(TransactionException.class);
    }
  }

  @Test
  void preparedTransactionSurvivesClosingAndIsEndedByAnotherClient() throws InterruptedException {
    String topic = newTopic(1);
    PreparedTransaction committed = prepareAndClose("prepared", topic, "v");
    PreparedTransaction aborted = prepareAndClose("prepared-2", topic, "never seen");
    for (int i = 0; i < 2; i++) { // the second time as after a restart that does not know of the first
      try (Transactions tx = client.transactions("prepared").resume(committed)) {
        tx.commit(LATER);
      }
      try (Transactions tx = client.transactions("prepared-2").resume(aborted)) {
        tx.abort(LATER);
      }
    }
    PreparedTransaction next = prepareAndClose("prepared", topic, "w");
    try (Transactions tx = client.transactions("prepared").resume(committed)) {
      assertThat(catchThrowableOfType(TransactionException.class, () -> tx.commit(LATER)))
          .hasMessageContaining("another client has opened the transactional id since");
    }
    try (Transactions tx = client.transactions("prepared").resume(next)) {
      tx.commit(LATER);
    }
    assertThat(committed(topic, "w")).containsExactly("v", "w");
  }

  @Test
  void commitOfAStoredTransactionDoesNotCommitItsSuccessor() throws InterruptedException {
    String topic = newTopic(1);
    try (Transactions tx = open("successor"); Producer<String, String> producer = producer(tx, topic)) {
      tx.begin();
      producer.send("k", "first");
      PreparedTransaction stored = tx.prepare(LATER).orElseThrow();
      tx.commit(LATER);
      tx.begin();
      producer.sendAndWait("k", "never seen");
      try (Transactions again = client.transactions("successor").resume(stored)) {
        var unused = catchThrowableOfType(TransactionException.class, () -> again.commit(LATER)); // may be committed
      }
      tx.abort(LATER);
      tx.begin();
      producer.send("k", "last");
      tx.commit(LATER);
    }
    assertThat(committed(topic, "last")).containsExactly("first", "last");
  }

  private PreparedTransaction prepareAndClose(String id, String topic, String value) throws InterruptedException {
    try (KafkaClient other = KafkaClient.connect(cluster.bootstrap());
        Transactions tx = other.transactions(id).open();
        Producer<String, String> producer = other.producer(Serdes.string(), Serdes.string()).topic(topic)
            .transactions(tx).open()) {
      tx.begin();
      producer.send("k", value);
      return tx.prepare(LATER).orElseThrow();
    }
  }

  @Test
  void closingAbortsWhatIsOpen() throws InterruptedException {
    String topic = newTopic(1);
    try (Transactions tx = open("closed"); Producer<String, String> producer = producer(tx, topic)) {
      tx.begin();
      producer.sendAndWait("k", "never seen");
      tx.close(LATER);
      assertThat(tx.state()).isEqualTo(TransactionState.CLOSED);
      assertThatThrownBy(() -> producer.send("k", "late")).isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("closed");
    }
    // Nothing of it is in the way of others: it was not left to its time-out.
    try (Transactions tx = open("closed-2"); Producer<String, String> producer = producer(tx, topic)) {
      tx.begin();
      producer.send("k", "v");
      tx.commit(LATER);
    }
    assertThat(committed(topic, "v")).containsExactly("v");
  }
}
