package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.decant.event.Registration;
import dev.decant.kafka.GroupMetadata;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.TransactionException;
import dev.decant.kafka.TransactionState;
import dev.decant.kafka.broker.ProduceResponses;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.broker.TransactionResponses;
import dev.decant.kafka.event.TransactionListener;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.Transactions;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests errors of a coordinator or a leader: retried by the client, abortable, or fatal. */
@SuppressWarnings("try") // an open resource may serve its block without being named in it
class TransactionErrorsTest extends AgainstScriptedTransactions {
  private static final GroupMetadata GROUP = new GroupMetadata("g", 4, "m", null);
  private static final Map<TopicPartition, OffsetAndMetadata> OFFSETS = Map.of(new TopicPartition("orders", 0),
      new OffsetAndMetadata(7));

  TransactionErrorsTest() {
    super(LATER);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void whatPassesIsRetriedInside(int version) throws InterruptedException {
    Script[] passing = {TransactionResponses.refusal(ErrorCode.CONCURRENT_TRANSACTIONS),
        TransactionResponses.refusal(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)};
    broker.next(ApiKey.FIND_COORDINATOR, TransactionResponses.refusal(ErrorCode.COORDINATOR_NOT_AVAILABLE));
    for (ApiKey api : List.of(ApiKey.INIT_PRODUCER_ID, ApiKey.ADD_PARTITIONS_TO_TXN, ApiKey.ADD_OFFSETS_TO_TXN,
        ApiKey.TXN_OFFSET_COMMIT, ApiKey.END_TXN)) {
      broker.next(api, passing);
    }
    broker.next(ApiKey.PRODUCE, ProduceResponses.refusal(ErrorCode.CONCURRENT_TRANSACTIONS));
    try (Transactions tx = open(version); Producer<String, String> producer = producer(tx)) {
      tx.begin();
      producer.sendAndWait("a", "v");
      tx.sendOffsets(OFFSETS, GROUP, LATER);
      tx.commit(LATER);
    }
    assertThat(broker.requests(ApiKey.INIT_PRODUCER_ID)).hasSize(3);
    assertThat(broker.requests(ApiKey.ADD_PARTITIONS_TO_TXN)).hasSize(version == 1 ? 3 : 0);
    assertThat(broker.requests(ApiKey.ADD_OFFSETS_TO_TXN)).hasSize(version == 1 ? 3 : 0);
    assertThat(broker.requests(ApiKey.TXN_OFFSET_COMMIT)).hasSize(3);
    assertThat(broker.requests(ApiKey.PRODUCE)).hasSize(2);
    assertThat(broker.requests(ApiKey.END_TXN)).hasSize(3);
    assertThat(broker.state().stored(0)).containsExactly("v");
  }

  @Test
  void coordinatorThatHasMovedIsFollowed() throws InterruptedException {
    try (ScriptedBroker other = broker.peer(2);
        Transactions tx = open();
        Producer<String, String> producer = producer(tx)) {
      tx.begin();
      producer.sendAndWait("a", "v");
      broker.state().coordinate(2);
      broker.next(ApiKey.END_TXN, TransactionResponses.refusal(ErrorCode.NOT_COORDINATOR));
      tx.commit(LATER);
      assertThat(broker.requests(ApiKey.END_TXN)).hasSize(1);
      assertThat(other.requests(ApiKey.END_TXN)).hasSize(1);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"PRODUCER_FENCED", "INVALID_PRODUCER_EPOCH", "INVALID_TXN_STATE", "INVALID_PRODUCER_ID_MAPPING",
      "TRANSACTIONAL_ID_AUTHORIZATION_FAILED"})
  void fatalResponseToACommitIsTheEnd(ErrorCode code) throws InterruptedException {
    Recorded recorded = new Recorded();
    try (Registration unused = client.events().watchTransactions(recorded);
        Transactions tx = open();
        Producer<String, String> producer = producer(tx)) {
      tx.begin();
      producer.sendAndWait("a", "v");
      broker.next(ApiKey.END_TXN, TransactionResponses.refusal(code));
      TransactionException error = catchThrowableOfType(TransactionException.class, () -> tx.commit(LATER));
      assertThat(error.kind()).isEqualTo(ErrorCode.Kind.FATAL);
      assertThat(error.code()).isEqualTo(code);
      assertThat(error).hasMessageContaining("EndTxn (commit)").hasMessageContaining(ID)
          .hasMessageContaining("broker " + address()).hasMessageContaining("close it");
      assertThat(tx.state()).isEqualTo(TransactionState.DEAD);
      assertThatThrownBy(tx::begin).isInstanceOf(TransactionException.class);
      assertThatThrownBy(() -> tx.commit(LATER)).isInstanceOf(TransactionException.class);
      assertThatThrownBy(() -> tx.abort(LATER)).isInstanceOf(TransactionException.class);
      assertThatThrownBy(() -> producer.send("a", "v")).isInstanceOf(TransactionException.class);
      assertThatThrownBy(() -> tx.sendOffsets(OFFSETS, GROUP, LATER)).isInstanceOf(TransactionException.class);
    }
    assertThat(recorded.events).containsExactly("began", "fenced " + code);
  }

  @Test
  void transactionalIdThatMayNotBeUsedIsReportedAtOpening() {
    broker.next(ApiKey.FIND_COORDINATOR,
        TransactionResponses.refusal(ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED));
    assertThatThrownBy(this::open).isInstanceOf(TransactionException.class)
        .hasMessageContaining("TRANSACTIONAL_ID_AUTHORIZATION_FAILED").hasMessageContaining(ID)
        .hasMessageContaining("broker " + address());
    broker.next(ApiKey.INIT_PRODUCER_ID, TransactionResponses.refusal(ErrorCode.INVALID_TRANSACTION_TIMEOUT));
    assertThatThrownBy(this::open).isInstanceOf(TransactionException.class)
        .hasMessageContaining("INVALID_TRANSACTION_TIMEOUT").hasMessageContaining("InitProducerId");
  }

  @Test
  void openingThatTakesTooLongSaysWhereItStands() {
    broker.always(ApiKey.INIT_PRODUCER_ID, TransactionResponses.refusal(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS));
    assertThatThrownBy(() -> client.transactions(ID).maxBlock(SOON).open()).isInstanceOf(KafkaTimeoutException.class)
        .hasMessageContaining(ID).hasMessageContaining("within 300 ms").hasMessageContaining("stage InitProducerId")
        .hasMessageContaining("broker " + address()).hasMessageContaining("COORDINATOR_LOAD_IN_PROGRESS");
  }

  @Test
  void commitThatTheCoordinatorWantsAbortedIsAbortedAndTheNextOneGoesOn() throws InterruptedException {
    Recorded recorded = new Recorded();
    try (Registration unused = client.events().watchTransactions(recorded);
        Transactions tx = open();
        Producer<String, String> producer = producer(tx)) {
      tx.begin();
      producer.sendAndWait("a", "v");
      broker.next(ApiKey.END_TXN, TransactionResponses.refusal(ErrorCode.TRANSACTION_ABORTABLE));
      TransactionException error = catchThrowableOfType(TransactionException.class, () -> tx.commit(LATER));
      assertThat(error.kind()).isEqualTo(ErrorCode.Kind.ABORTABLE);
      assertThat(tx.state()).isEqualTo(TransactionState.MUST_ABORT);
      assertThatThrownBy(tx::begin).isInstanceOf(TransactionException.class).hasMessageContaining("must be aborted");
      tx.abort(LATER);
      tx.begin();
      producer.sendAndWait("a", "w");
      tx.commit(LATER);
    }
    assertThat(recorded.events).containsExactly("began", "failed TRANSACTION_ABORTABLE", "aborted", "began",
        "committed");
  }

  @ParameterizedTest
  @EnumSource(names = {"TRANSACTION_ABORTABLE", "INVALID_PRODUCER_EPOCH", "INVALID_TXN_STATE",
      "OUT_OF_ORDER_SEQUENCE_NUMBER", "UNKNOWN_PRODUCER_ID", "TOPIC_AUTHORIZATION_FAILED"})
  void recordThatIsRefusedFailsItsTransactionOnly(ErrorCode code) throws InterruptedException {
    Failures failures = new Failures();
    try (Transactions tx = open(); Producer<String, String> producer = producer(tx)) {
      tx.begin();
      producer.sendAndWait("a", "never mind");
      broker.next(ApiKey.PRODUCE, ProduceResponses.refusal(code));
      producer.send("a", "refused", 1, failures);
      TransactionException error = catchThrowableOfType(TransactionException.class, () -> tx.commit(LATER));
      assertThat(error.kind()).isEqualTo(ErrorCode.Kind.ABORTABLE);
      assertThat(error.code()).isEqualTo(code);
      assertThat(error).hasMessageContaining("produce to orders-0").hasMessageContaining(address());
      assertThat(failures.all).hasSize(1);
      tx.abort(LATER);
      tx.begin();
      producer.sendAndWait("a", "v");
      tx.commit(LATER);
    }
    assertThat(sequence(batches().getLast())).as("under another identity").isZero();
  }

  @Test
  void recordOfAZombieIsTheEnd() throws InterruptedException {
    try (Transactions tx = open(); Producer<String, String> producer = producer(tx)) {
      tx.begin();
      broker.next(ApiKey.PRODUCE, ProduceResponses.refusal(ErrorCode.PRODUCER_FENCED));
      assertThatThrownBy(() -> producer.sendAndWait("a", "v")).isInstanceOf(KafkaException.class);
      assertThat(tx.state()).isEqualTo(TransactionState.DEAD);
      assertThat(client.status().problems()).anyMatch(p -> p.startsWith("transactional id " + ID + " cannot be used"));
    }
    assertThat(client.status().problems()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"ILLEGAL_GENERATION", "UNKNOWN_MEMBER_ID", "FENCED_INSTANCE_ID", "STALE_MEMBER_EPOCH",
      "GROUP_AUTHORIZATION_FAILED", "TRANSACTION_ABORTABLE"})
  void offsetsThatAreRefusedFailTheTransaction(ErrorCode code) throws InterruptedException {
    try (Transactions tx = open(); Producer<String, String> producer = producer(tx)) {
      tx.begin();
      producer.sendAndWait("a", "v");
      broker.next(ApiKey.TXN_OFFSET_COMMIT, TransactionResponses.refusal(code));
      TransactionException error = catchThrowableOfType(TransactionException.class,
          () -> tx.sendOffsets(OFFSETS, GROUP, LATER));
      assertThat(error.kind()).isEqualTo(ErrorCode.Kind.ABORTABLE);
      assertThat(error.code()).isEqualTo(code);
      assertThat(error).hasMessageContaining("TxnOffsetCommit for group g").hasMessageContaining("orders-0");
      tx.abort(LATER);
      tx.begin();
      tx.sendOffsets(OFFSETS, GROUP, LATER);
      tx.commit(LATER);
    }
  }

  /** Sends offsets on a thread of its own; returns when the loop has taken them. */
  private CompletableFuture<Throwable> sendsOffsets(Transactions tx) throws InterruptedException {
    CompletableFuture<Throwable> failure = new CompletableFuture<>();
    Thread thread = Thread.ofVirtual().start(() -> failure.complete(
        catchThrowable(() -> tx.sendOffsets(OFFSETS, GROUP, Duration.ofHours(1)))));
    while (thread.getState() != Thread.State.TIMED_WAITING) {
      LockSupport.parkNanos(100_000);
    }
    CountDownLatch taken = new CountDownLatch(1);
    ClientInternals.of(client).loop().execute(taken::countDown);
    assertThat(taken.await(20, TimeUnit.SECONDS)).isTrue();
    return failure;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void offsetsThatWaitBehindRefusedOnesFailWithThem(int version) throws Exception {
    // They were once forgotten with their queue: their thread waited for its whole timeout, and each abort for its own.
    CountDownLatch second = new CountDownLatch(1);
    try (Transactions tx = open(version); Producer<String, String> producer = producer(tx)) {
      tx.begin();
      producer.sendAndWait("a", "v");
      broker.next(ApiKey.TXN_OFFSET_COMMIT,
          Script.after(second, TransactionResponses.refusal(ErrorCode.ILLEGAL_GENERATION)));
      CompletableFuture<Throwable> first = sendsOffsets(tx);
      broker.await(ApiKey.TXN_OFFSET_COMMIT, 1);
      CompletableFuture<Throwable> behind = sendsOffsets(tx);
      second.countDown();
      for (CompletableFuture<Throwable> each : List.of(first, behind)) {
        assertThat(each.get(20, TimeUnit.SECONDS)).isInstanceOf(TransactionException.class)
            .hasMessageContaining("ILLEGAL_GENERATION");
      }
      tx.abort(LATER);
      tx.begin();
      tx.sendOffsets(OFFSETS, GROUP, LATER);
      tx.commit(LATER);
    }
    assertThat(broker.requests(ApiKey.TXN_OFFSET_COMMIT)).hasSize(2);
  }

  @Test
  void closingEndsTheWaitForSentOffsets() throws Exception {
    Transactions tx = open();
    try (Producer<String, String> producer = producer(tx)) {
      tx.begin();
      producer.sendAndWait("a", "v");
      broker.always(ApiKey.TXN_OFFSET_COMMIT, Script.SILENCE);
      CompletableFuture<Throwable> first = sendsOffsets(tx);
      broker.await(ApiKey.TXN_OFFSET_COMMIT, 1);
      CompletableFuture<Throwable> behind = sendsOffsets(tx);
      tx.close(SOON);
      for (CompletableFuture<Throwable> each : List.of(first, behind)) {
        assertThat(each.get(20, TimeUnit.SECONDS)).isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("are closed");
      }
    }
  }

  @Test
  void offsetsThatAreNotTakenInTimeFailTheTransaction() throws Exception {
    try (Transactions tx = open(); Producer<String, String> producer = producer(tx)) {
      tx.begin();
      producer.sendAndWait("a", "v");
      tx.sendOffsets(OFFSETS, GROUP, LATER); // finds the coordinators
      broker.always(ApiKey.TXN_OFFSET_COMMIT, Script.SILENCE);
      assertThatThrownBy(() -> tx.sendOffsets(OFFSETS, GROUP, SOON)).isInstanceOf(TransactionException.class)
          .hasMessageContaining("not taken within 300 ms").hasMessageContaining("stage TxnOffsetCommit")
          .hasMessageContaining("broker " + address()).hasMessageContaining("must be aborted");
      broker.cutAll();
      tx.abort(LATER);
      broker.always(ApiKey.TXN_OFFSET_COMMIT, Script.STANDARD);
      tx.begin();
      tx.sendOffsets(OFFSETS, GROUP, LATER);
      tx.commit(LATER);
    }
  }

  @Test
  void commitThatTimesOutContinuesAndAnotherCallReportsItsEnd() throws Exception {
    try (Transactions tx = open(); Producer<String, String> producer = producer(tx)) {
      tx.begin();
      producer.sendAndWait("a", "v");
      broker.always(ApiKey.END_TXN, Script.SILENCE);
      KafkaTimeoutException late = catchThrowableOfType(KafkaTimeoutException.class, () -> tx.commit(SOON));
      assertThat(late.kind()).isEqualTo(ErrorCode.Kind.RETRIABLE);
      assertThat(late).hasMessageContaining("commit of transactional id payments").hasMessageContaining("within 300 ms")
          .hasMessageContaining("stage EndTxn (commit), broker " + address() + ", attempts 1")
          .hasMessageContaining("commit again");
      assertThat(tx.state()).isEqualTo(TransactionState.COMMITTING);
      assertThatThrownBy(tx::begin).isInstanceOf(IllegalStateException.class).hasMessageContaining("commit again");
      assertThatThrownBy(() -> tx.abort(SOON)).isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("commit again");
      assertThatThrownBy(() -> producer.send("a", "late")).isInstanceOf(IllegalStateException.class);
      broker.always(ApiKey.END_TXN, Script.STANDARD);
      broker.cutAll();
      broker.await(ApiKey.END_TXN, 2);
      tx.commit(LATER);
      assertThatThrownBy(() -> tx.commit(LATER)).isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("begin one first");
    }
  }

  @Test
  void commitThatWaitsForRecordsCanBeAborted() throws IOException, InterruptedException {
    Failures failures = new Failures();
    try (Transactions tx = open(); Producer<String, String> producer = producer(tx)) {
      tx.begin();
      broker.always(ApiKey.PRODUCE, Script.SILENCE);
      producer.send("a", "v", 1, failures);
      assertThatThrownBy(() -> tx.commit(SOON)).isInstanceOf(KafkaTimeoutException.class)
          .hasMessageContaining("commit again or abort");
      assertThat(tx.state()).isEqualTo(TransactionState.FLUSHING);
      assertThatThrownBy(() -> tx.abort(SOON)).isInstanceOf(KafkaTimeoutException.class)
          .hasMessageContaining("abort again");
      assertThat(tx.state()).isEqualTo(TransactionState.ABORTING);
      broker.cutAll();
      tx.abort(LATER);
      assertThat(failures.all).hasSize(1);
      broker.always(ApiKey.PRODUCE, Script.STANDARD);
      tx.begin();
      producer.sendAndWait("a", "w");
      tx.commit(LATER);
    }
    assertThat(broker.state().stored(0)).containsExactly("w");
  }

  @Test
  void closingIsBoundedThoughNobodyAcknowledges() throws InterruptedException {
    Transactions tx = open();
    try (Producer<String, String> producer = producer(tx)) {
      tx.begin();
      producer.sendAndWait("a", "v");
      broker.always(ApiKey.END_TXN, Script.SILENCE);
      tx.close(SOON);
      assertThat(tx.state()).isEqualTo(TransactionState.CLOSED);
      assertThat(broker.requests(ApiKey.END_TXN)).hasSize(1);
      assertThatThrownBy(tx::begin).isInstanceOf(IllegalStateException.class).hasMessageContaining("are closed");
    }
  }

  @Test
  void fencedAfterACommitWithoutAResponseMayHaveBeenCommittedAndSaysSo() throws Exception {
    try (Transactions tx = open(); Producer<String, String> producer = producer(tx)) {
      tx.begin();
      producer.sendAndWait("a", "v");
      broker.next(ApiKey.END_TXN, Script.CUT, TransactionResponses.refusal(ErrorCode.PRODUCER_FENCED));
      assertThatThrownBy(() -> tx.commit(LATER)).isInstanceOf(TransactionException.class)
          .hasMessageContaining("may have been committed");
    }
  }

  /** Keeps its events. */
  private static final class Recorded implements TransactionListener {
    final List<String> events = new CopyOnWriteArrayList<>();

    @Override
    public void onBegan(String transactionalId) {
      events.add("began");
    }

    @Override
    public void onCommitted(String transactionalId, long nanos, long commitNanos) {
      assertThat(commitNanos).isBetween(1L, nanos);
      events.add("committed");
    }

    @Override
    public void onAborted(String transactionalId, long nanos, long abortNanos) {
      assertThat(Duration.ofNanos(abortNanos)).isPositive();
      events.add("aborted");
    }

    @Override
    public void onFailed(String transactionalId, KafkaException cause) {
      events.add("failed " + cause.code());
    }

    @Override
    public void onFenced(String transactionalId, KafkaException cause) {
      events.add("fenced " + cause.code());
    }
  }
}
