package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.GroupMetadata;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.TransactionState;
import dev.decant.kafka.broker.ProduceResponses;
import dev.decant.kafka.broker.Request;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.TransactionResponses;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.SendListener;
import dev.decant.kafka.producer.SendStatus;
import dev.decant.kafka.producer.Transactions;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.AddPartitionsToTxnRequest;
import dev.decant.kafka.protocol.message.InitProducerIdRequest;
import dev.decant.kafka.record.RecordBatchHeader;
import dev.decant.kafka.serialization.Serdes;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests the calls that each state allows, and the requests that they send. */
class TransactionStateTest extends AgainstScriptedTransactions {
  private static final Map<TopicPartition, OffsetAndMetadata> OFFSETS = Map.of(new TopicPartition("orders", 0),
      new OffsetAndMetadata(7));

  TransactionStateTest() {
    super(LATER);
  }

  private List<Short> versions(ApiKey api) {
    return broker.requests(api).stream().map(Request::version).toList();
  }

  @Test
  void callThatIsNotForTheStateSaysWhichOneIs() throws InterruptedException {
    try (Transactions tx = open(); Producer<String, String> producer = producer(tx)) {
      assertThat(tx.state()).isEqualTo(TransactionState.READY);
      String begin = "no transaction of payments is open; begin one first";
      assertThatThrownBy(() -> producer.send("a", "v")).isInstanceOf(IllegalStateException.class)
          .hasMessage("send to orders: " + begin);
      assertThatThrownBy(() -> producer.trySend("a", "v", 0, null)).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> tx.commit(LATER)).isInstanceOf(IllegalStateException.class).hasMessageEndingWith(begin);
      assertThatThrownBy(() -> tx.abort(LATER)).isInstanceOf(IllegalStateException.class).hasMessageEndingWith(begin);
      assertThatThrownBy(() -> tx.sendOffsets(OFFSETS, new GroupMetadata("g"), LATER))
          .isInstanceOf(IllegalStateException.class).hasMessageEndingWith(begin);
      tx.begin();
      assertThatThrownBy(tx::begin).isInstanceOf(IllegalStateException.class)
          .hasMessage("begin: a transaction of payments is open; commit or abort it first");
      assertThat(producer.trySend("a", "v", 0, null)).isEqualTo(SendStatus.ACCEPTED);
      tx.commit(LATER);
      assertThatThrownBy(() -> producer.send("a", "v")).isInstanceOf(IllegalStateException.class)
          .hasMessageEndingWith(begin);
      assertThatThrownBy(() -> tx.commit(LATER)).isInstanceOf(IllegalStateException.class);
    }
    assertThat(broker.state().stored(0)).containsExactly("v");
  }

  @Test
  void settingsThatContradictTransactionsAreRefused() throws InterruptedException {
    assertThatThrownBy(() -> client.transactions(" ")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> client.transactions(ID).timeout(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("transaction.timeout.ms");
    try (Transactions tx = open(); KafkaClient other = KafkaClient.connect(broker.address())) {
      assertThatThrownBy(() -> producer().idempotence(false).transactions(tx).open())
          .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("enable.idempotence");
      assertThatThrownBy(() -> other.producer(Serdes.string(),
          Serdes.string()).topic("orders").transactions(tx).open())
          .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("another client");
    }
  }

  @Test
  void listenerCannotWaitForWhatItHoldsUp() throws InterruptedException {
    AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
    try (Transactions tx = open(); Producer<String, String> producer = producer(tx)) {
      tx.begin();
      producer.send("a", "v", 1, new SendListener() {
        @Override
        public void onAck(long tag, int partition, long offset, long timestamp) {
          try {
            tx.commit(LATER);
          } catch (IllegalStateException | InterruptedException e) {
            thrown.set(e);
          }
        }

        @Override
        public void onFailure(long tag, KafkaException error) {}
      });
      tx.commit(LATER);
    }
    assertThat(thrown.get()).isInstanceOf(IllegalStateException.class).hasMessageContaining("listener");
  }

  @Test
  void partitionsJoinWithTheirFirstBatchWhereTheClusterAllowsIt() throws InterruptedException {
    try (Transactions tx = open(2); Producer<String, String> producer = producer(tx)) {
      for (int i = 0; i < 2; i++) {
        tx.begin();
        producer.sendAndWait("a", "v");
        producer.sendAndWait("a", "w");
        tx.sendOffsets(OFFSETS, new GroupMetadata("g", 4, "m", "i"), LATER);
        tx.commit(LATER);
      }
    }
    assertThat(broker.requests(ApiKey.ADD_PARTITIONS_TO_TXN)).isEmpty();
    assertThat(broker.requests(ApiKey.ADD_OFFSETS_TO_TXN)).isEmpty();
    assertThat(versions(ApiKey.PRODUCE)).hasSize(4).allMatch(v -> v >= 12);
    assertThat(versions(ApiKey.TXN_OFFSET_COMMIT)).containsExactly((short) 5, (short) 5);
    assertThat(versions(ApiKey.END_TXN)).containsExactly((short) 5, (short) 5);
    assertThat(broker.requests(ApiKey.PRODUCE)).allMatch(r -> ID.equals(r.produce().transactionalId()));
    List<ByteBuffer> batches = batches();
    assertThat(batches).allMatch(b -> b.getShort(b.position() + RecordBatchHeader.ATTRIBUTES) == 0x10);
    assertThat(batches.stream().map(AgainstScriptedTransactions::sequence)).containsExactly(0, 1, 0, 1);
    assertThat(producerId(batches.get(2))).as("as the answer to EndTxn said").isNotEqualTo(producerId(batches.get(0)));
    assertThat(broker.requests(ApiKey.INIT_PRODUCER_ID)).hasSize(1);
  }

  @Test
  void coordinatorIsAskedToAddEachPartitionOnceWhereTheClusterIsOlder() throws InterruptedException {
    try (Transactions tx = open(1); Producer<String, String> producer = producer(tx)) {
      for (int i = 0; i < 2; i++) {
        tx.begin();
        producer.sendAndWait("a", "v");
        producer.sendAndWait("b", "w");
        producer.sendAndWait("a", "x");
        tx.sendOffsets(OFFSETS, new GroupMetadata("g"), LATER);
        tx.sendOffsets(OFFSETS, new GroupMetadata("g"), LATER);
        tx.commit(LATER);
      }
    }
    List<String> added = broker.requests(ApiKey.ADD_PARTITIONS_TO_TXN).stream()
        .map(r -> (AddPartitionsToTxnRequest) r.body())
        .map(r -> r.v3AndBelowTransactionalId() + " " + r.v3AndBelowTopics().getFirst().partitions()).toList();
    assertThat(added).containsExactly(ID + " [0]", ID + " [1]", ID + " [0]", ID + " [1]");
    assertThat(versions(ApiKey.ADD_PARTITIONS_TO_TXN)).containsOnly((short) 3);
    assertThat(versions(ApiKey.ADD_OFFSETS_TO_TXN)).containsExactly((short) 4, (short) 4);
    assertThat(versions(ApiKey.TXN_OFFSET_COMMIT)).hasSize(4).containsOnly((short) 4);
    assertThat(versions(ApiKey.PRODUCE)).containsOnly((short) 11);
    assertThat(versions(ApiKey.END_TXN)).containsOnly((short) 4);
    assertThat(batches().stream().map(AgainstScriptedTransactions::sequence)).as("of both partitions")
        .containsExactly(0, 0, 1, 2, 1, 3);
    assertThat(broker.state().stored(0)).containsExactly("v", "x", "v", "x");
  }

  @Test
  void epochOfAnOlderClusterChangesOnlyAfterAFailure() throws InterruptedException {
    try (Transactions tx = open(1); Producer<String, String> producer = producer(tx)) {
      tx.begin();
      producer.sendAndWait("a", "v0");
      tx.abort(LATER);
      assertThat(broker.requests(ApiKey.INIT_PRODUCER_ID)).hasSize(1);
      tx.begin();
      broker.next(ApiKey.PRODUCE, ProduceResponses.refusal(ErrorCode.INVALID_RECORD));
      assertThatThrownBy(() -> producer.sendAndWait("a", "refused")).isInstanceOf(KafkaException.class);
      tx.abort(LATER);
      tx.begin();
      producer.sendAndWait("a", "v1");
      tx.commit(LATER);
    }
    List<Request> asked = broker.requests(ApiKey.INIT_PRODUCER_ID);
    assertThat(asked).hasSize(2);
    assertThat(((InitProducerIdRequest) asked.getFirst().body()).producerId()).isEqualTo(-1);
    InitProducerIdRequest bump = (InitProducerIdRequest) asked.getLast().body();
    assertThat(bump.producerId()).isEqualTo(producerId(batches().getFirst()));
    assertThat(bump.transactionTimeoutMs()).isEqualTo(60_000);
    assertThat(sequence(batches().getLast())).isZero();
    assertThat(broker.state().stored(0)).containsExactly("v0", "v1");
  }

  @Test
  void epochOfAnOlderClusterChangesAlsoAfterRecordsThatWereNeverSent() throws InterruptedException {
    broker.state().lead(1, -1);
    try (Transactions tx = open(1);
        Producer<String, String> producer = producer().partitioner((key, length, partitions) -> key[0] - 'a')
            .transactions(tx).deliveryTimeout(Duration.ofMillis(100)).open()) {
      tx.begin();
      assertThatThrownBy(() -> producer.sendAndWait("b", "no leader")).isInstanceOf(KafkaException.class);
      tx.abort(LATER);
      assertThat(broker.requests(ApiKey.PRODUCE)).isEmpty();
      assertThat(broker.requests(ApiKey.INIT_PRODUCER_ID)).hasSize(2);
    }
  }

  @Test
  void clusterThatHasMovedOnIsFollowedWithTheNextTransaction() throws Exception {
    try (Transactions tx = open(1); Producer<String, String> producer = producer(tx)) {
      tx.begin();
      producer.sendAndWait("a", "v0");
      broker.state().transactionVersion(2);
      broker.cutAll(); // a client learns features when a connection is opened
      producer.sendAndWait("a", "v1");
      tx.commit(LATER);
      tx.begin();
      producer.sendAndWait("a", "v2");
      tx.commit(LATER);
    }
    assertThat(broker.requests(ApiKey.ADD_PARTITIONS_TO_TXN)).hasSize(1);
    assertThat(versions(ApiKey.END_TXN)).containsExactly((short) 4, (short) 5);
    assertThat(broker.requests(ApiKey.INIT_PRODUCER_ID)).as("another epoch, under which only version 2 is used")
        .hasSize(2);
  }

  @Test
  void abortGivesUpWhatWasNotSent() throws InterruptedException {
    Failures failures = new Failures();
    try (Transactions tx = open();
        Producer<String, String> producer = producer().linger(Duration.ofMinutes(1)).transactions(tx).open()) {
      tx.begin();
      for (int i = 0; i < 10; i++) {
        producer.send("a", "v" + i, i, failures);
      }
      producer().open().close(); // meanwhile the sender has checked the batch that is not due
      tx.abort(LATER);
      assertThat(failures.all).hasSize(10).allSatisfy(e -> assertThat(e).hasMessageContaining("was aborted"));
      tx.begin();
      producer.send("a", "committed at once, whatever the linger");
      tx.commit(LATER);
    }
    assertThat(broker.requests(ApiKey.PRODUCE)).hasSize(1);
    assertThat(broker.requests(ApiKey.END_TXN)).as("the first one had reached nobody").hasSize(1);
  }

  /** An older cluster that lost the response may not know the transaction at all. */
  @Test
  void abortIsDoneWhereTheCoordinatorDoesNotKnowTheTransaction() throws Exception {
    try (Transactions tx = open(1); Producer<String, String> producer = producer(tx)) {
      tx.begin();
      broker.always(ApiKey.ADD_PARTITIONS_TO_TXN, Script.SILENCE);
      producer.send("a", "v");
      broker.await(ApiKey.ADD_PARTITIONS_TO_TXN, 1);
      broker.next(ApiKey.END_TXN, TransactionResponses.refusal(ErrorCode.INVALID_TXN_STATE));
      assertThatThrownBy(() -> tx.abort(SOON)).isInstanceOf(KafkaTimeoutException.class);
      broker.cutAll();
      tx.abort(LATER);
      assertThat(tx.state()).isEqualTo(TransactionState.READY);
      assertThat(broker.requests(ApiKey.END_TXN)).hasSize(1);
      assertThat(broker.requests(ApiKey.INIT_PRODUCER_ID)).hasSize(2);
      broker.always(ApiKey.ADD_PARTITIONS_TO_TXN, Script.STANDARD);
      tx.begin();
      producer.sendAndWait("a", "w");
      tx.commit(LATER);
    }
    assertThat(broker.state().stored(0)).containsExactly("w");
  }
}
