package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.GroupMetadata;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.broker.Request;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.broker.TransactionResponses;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.Transactions;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests when the first batches of a transaction leave, with which their partitions join it. */
class TransactionJoinsTest extends AgainstScriptedTransactions {
  private static final Set<ApiKey> SHOWN = Set.of(ApiKey.PRODUCE, ApiKey.TXN_OFFSET_COMMIT, ApiKey.END_TXN,
      ApiKey.DESCRIBE_TRANSACTIONS);
  private static final Map<TopicPartition, OffsetAndMetadata> OFFSETS = Map.of(new TopicPartition("orders", 0),
      new OffsetAndMetadata(7));
  /** A time within which the producer keeps the turns; a little less than its own limit. */
  private static final long TURNS_NANOS = TimeUnit.MILLISECONDS.toNanos(90);
  private static final long HELD_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final int ROUNDS = 5;

  TransactionJoinsTest() {
    super(LATER);
  }

  private void transaction(Transactions tx, Producer<String, String> producer, String... keys)
      throws InterruptedException {
    tx.begin();
    for (String key : keys) {
      producer.send(key, "v");
    }
    tx.commit(LATER);
  }

  private List<ApiKey> order() {
    return broker.requests().stream().map(Request::api).filter(SHOWN::contains).toList();
  }

  @Test
  void firstBatchLeavesWhenTheTransactionBeforeIsOver() throws InterruptedException {
    broker.next(ApiKey.DESCRIBE_TRANSACTIONS, TransactionResponses.state("PrepareCommit"),
        TransactionResponses.state("PrepareCommit"), TransactionResponses.state("CompleteCommit"));
    try (Transactions tx = open(2); Producer<String, String> producer = producer(tx)) {
      transaction(tx, producer, "a");
      transaction(tx, producer, "a");
    }
    assertThat(order()).containsExactly(ApiKey.PRODUCE, ApiKey.END_TXN, ApiKey.DESCRIBE_TRANSACTIONS,
        ApiKey.DESCRIBE_TRANSACTIONS, ApiKey.DESCRIBE_TRANSACTIONS, ApiKey.PRODUCE, ApiKey.END_TXN);
  }

  @Test
  void offsetsComeAfterTheTransactionBeforeToo() throws InterruptedException {
    try (Transactions tx = open(2); Producer<String, String> producer = producer(tx)) {
      transaction(tx, producer, "a");
      broker.next(ApiKey.DESCRIBE_TRANSACTIONS, TransactionResponses.state("PrepareCommit"));
      tx.begin();
      tx.sendOffsets(OFFSETS, new GroupMetadata("g"), LATER);
      tx.sendOffsets(OFFSETS, new GroupMetadata("g"), LATER);
      tx.commit(LATER);
    }
    assertThat(order()).containsExactly(ApiKey.PRODUCE, ApiKey.END_TXN, ApiKey.DESCRIBE_TRANSACTIONS,
        ApiKey.DESCRIBE_TRANSACTIONS, ApiKey.TXN_OFFSET_COMMIT, ApiKey.TXN_OFFSET_COMMIT, ApiKey.END_TXN);
  }

  @Test
  void nobodyAsksForAnEmptyTransactionOrInAnOlderCluster() throws InterruptedException {
    try (Transactions tx = open(2); Producer<String, String> producer = producer(tx)) {
      transaction(tx, producer);
      transaction(tx, producer, "a");
      transaction(tx, producer);
    }
    broker.state().transactionVersion(1);
    try (KafkaClient other = KafkaClient.connect(broker.address());
        Transactions tx = other.transactions(ID).open()) {
      tx.begin();
      tx.abort(LATER);
    }
    assertThat(order()).containsExactly(ApiKey.PRODUCE, ApiKey.END_TXN);
  }

  @Test
  void coordinatorThatDoesNotSayIsNotAskedAgain() throws InterruptedException {
    broker.always(ApiKey.DESCRIBE_TRANSACTIONS,
        TransactionResponses.refusal(ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED));
    try (Transactions tx = open(2); Producer<String, String> producer = producer(tx)) {
      for (int i = 0; i < 3; i++) {
        transaction(tx, producer, "a");
      }
    }
    assertThat(broker.requests(ApiKey.DESCRIBE_TRANSACTIONS)).hasSize(1);
    assertThat(broker.state().stored(0)).containsExactly("v", "v", "v");
  }

  @Test
  void transactionBeforeThatDoesNotEndIsWaitedForOnlyAWhile() throws InterruptedException {
    broker.always(ApiKey.DESCRIBE_TRANSACTIONS, TransactionResponses.state("PrepareAbort"));
    try (Transactions tx = open(2); Producer<String, String> producer = producer(tx)) {
      transaction(tx, producer, "a");
      transaction(tx, producer, "a");
    }
    assertThat(broker.state().stored(0)).containsExactly("v", "v");
  }

  @Test
  void leaderThatDoesNotRespondKeepsOthersOutOnlyAWhile() throws InterruptedException {
    CountDownLatch permission = new CountDownLatch(1);
    try (ScriptedBroker peer = broker.peer(2)) {
      broker.state().lead(1, 2);
      try (Transactions tx = open(2); Producer<String, String> producer = producer(tx)) {
        transaction(tx, producer, "a", "b"); // both are connected now
        broker.next(ApiKey.PRODUCE, Script.after(permission, Script.STANDARD));
        tx.begin();
        producer.send("a", "held");
        broker.await(ApiKey.PRODUCE, 2);
        producer.send("b", "not held");
        peer.await(ApiKey.PRODUCE, 2);
        permission.countDown();
        tx.commit(LATER);
      }
    }
  }

  @Test
  void leadersAndGroupsJoinOneAfterAnother() throws InterruptedException {
    AtomicInteger joining = new AtomicInteger();
    AtomicReference<@Nullable Long> together = new AtomicReference<>();
    Script slow = exchange -> {
      if (joining.incrementAndGet() > 1) {
        together.compareAndSet(null, System.nanoTime());
      }
      LockSupport.parkNanos(HELD_NANOS);
      joining.decrementAndGet();
      exchange.answer();
    };
    try (ScriptedBroker peer = broker.peer(2)) {
      broker.state().lead(1, 2);
      try (Transactions tx = open(2); Producer<String, String> producer = producer(tx)) {
        transaction(tx, producer, "a", "b"); // both are connected now
        broker.always(ApiKey.PRODUCE, slow);
        peer.always(ApiKey.PRODUCE, slow);
        broker.always(ApiKey.TXN_OFFSET_COMMIT, slow);
        for (int i = 0; i < ROUNDS; i++) {
          together.set(null);
          long begun = System.nanoTime();
          tx.begin();
          producer.send("a", "v");
          producer.send("b", "v");
          tx.sendOffsets(OFFSETS, new GroupMetadata("g"), LATER);
          tx.commit(LATER);
          Long first = together.get();
          assertThat(first == null || first - begun > TURNS_NANOS).as("not as long as there are turns").isTrue();
        }
      }
    }
    assertThat(broker.requests(ApiKey.TXN_OFFSET_COMMIT)).hasSize(ROUNDS);
  }
}
