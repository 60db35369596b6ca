package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.PreparedTransaction;
import dev.decant.kafka.TransactionException;
import dev.decant.kafka.TransactionState;
import dev.decant.kafka.broker.ProduceResponses;
import dev.decant.kafka.broker.Request;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.TransactionResponses;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.Transactions;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.ApiVersionsResponse;
import dev.decant.kafka.protocol.message.EndTxnRequest;
import dev.decant.kafka.protocol.message.InitProducerIdRequest;
import dev.decant.kafka.protocol.message.InitProducerIdResponse;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests transactions that are prepared here, and ended here, elsewhere or twice. */
@SuppressWarnings("try") // an open resource may serve its block without being named in it
class PreparedTransactionsTest extends AgainstScriptedTransactions {
  private static final PreparedTransaction LEFT = new PreparedTransaction(ID, 4711, (short) 3);

  PreparedTransactionsTest() {
    super(LATER);
  }

  private Transactions resume() {
    return client.transactions(ID).resume(LEFT);
  }

  private List<EndTxnRequest> ends() {
    return broker.requests(ApiKey.END_TXN).stream().map(r -> (EndTxnRequest) r.body()).toList();
  }

  private List<Short> endVersions() {
    return broker.requests(ApiKey.END_TXN).stream().map(Request::version).toList();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void preparedTransactionStaysOpenUntilAnotherClientEndsIt(int version) throws InterruptedException {
    PreparedTransaction prepared;
    try (Transactions tx = open(version); Producer<String, String> producer = producer(tx)) {
      tx.begin();
      producer.send("a", "v"); // stored when prepare returns
      prepared = tx.prepare(LATER).orElseThrow();
      assertThat(broker.state().stored(0)).containsExactly("v");
      assertThat(tx.state()).isEqualTo(TransactionState.PREPARED);
      assertThat(tx.prepared()).contains(prepared);
      assertThat(tx.prepare(LATER)).as("once more").contains(prepared);
      assertThatThrownBy(() -> producer.send("a", "late")).isInstanceOf(IllegalStateException.class)
          .hasMessage("send to orders: the transaction of payments is prepared; commit or abort it");
      assertThatThrownBy(tx::begin).isInstanceOf(IllegalStateException.class).hasMessageContaining("commit or abort");
      tx.requireAbort(new KafkaException(ErrorCode.NONE, "too late to refuse"));
      assertThat(tx.state()).isEqualTo(TransactionState.PREPARED);
    }
    assertThat(broker.requests(ApiKey.END_TXN)).as("closing leaves it open").isEmpty();
    assertThat(prepared.transactionalId()).isEqualTo(ID);
    assertThat(prepared.producerId()).isEqualTo(producerId(batches().getFirst()));

    try (KafkaClient other = KafkaClient.connect(broker.address());
        Transactions resumed = other.transactions(ID).resume(prepared)) {
      assertThat(resumed.state()).isEqualTo(TransactionState.PREPARED);
      assertThat(resumed.prepared()).contains(prepared);
      resumed.commit(LATER);
      assertThat(resumed.prepared()).isEmpty();
      assertThatThrownBy(resumed::begin).isInstanceOf(IllegalStateException.class)
          .hasMessage("begin: the transaction of payments that was resumed has ended; open its transactions to begin"
              + " another one");
      assertThatThrownBy(() -> resumed.abort(LATER)).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> producer(resumed)).isInstanceOf(RuntimeException.class);
    }
    assertThat(endVersions()).containsExactly((short) (version == 1 ? 4 : 5));
    assertThat(ends()).singleElement().satisfies(end -> {
      assertThat(end.producerId()).isEqualTo(prepared.producerId());
      assertThat(end.producerEpoch()).isEqualTo(prepared.epoch());
      assertThat(end.committed()).isTrue();
    });
    assertThat(broker.requests(ApiKey.INIT_PRODUCER_ID)).as("nobody is fenced").hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void preparedTransactionIsEndedHereAndTheNextOneBegins(boolean commit) throws InterruptedException {
    try (Transactions tx = open(); Producer<String, String> producer = producer(tx)) {
      for (int i = 0; i < 2; i++) {
        tx.begin();
        producer.send("a", "v");
        assertThat(tx.prepare(LATER)).isPresent();
        if (commit) {
          tx.commit(LATER);
        } else {
          tx.abort(LATER);
        }
        assertThat(tx.prepared()).isEmpty();
      }
    }
    assertThat(ends()).extracting(EndTxnRequest::committed).containsExactly(commit, commit);
  }

  /** A process that had stored the first transaction once committed the second one with it, which was open. */
  @Test
  void nextTransactionHasAnotherEpochThanAPreparedOneWhereTheClusterIsOlder() throws InterruptedException {
    try (Transactions tx = open(1); Producer<String, String> producer = producer(tx)) {
      for (int i = 0; i < 2; i++) {
        tx.begin();
        producer.sendAndWait("a", "v");
        tx.prepare(LATER);
        tx.commit(LATER);
      }
      tx.begin();
      producer.sendAndWait("a", "v");
    }
    assertThat(batches().stream().map(AgainstScriptedTransactions::producerId)).as("the broker's way of an epoch")
        .doesNotHaveDuplicates();
    assertThat(broker.requests(ApiKey.INIT_PRODUCER_ID)).hasSize(3)
        .satisfies(asked -> assertThat(((InitProducerIdRequest) asked.get(1).body()).producerId()).isPositive());
  }

  @Test
  void coordinatorWithoutANextEpochGivesANewOne() throws InterruptedException {
    broker.always(ApiKey.API_VERSIONS, exchange -> {
      ApiVersionsResponse response = broker.state().apiVersions();
      for (ApiVersionsResponse.ApiVersion spoken : response.apiKeys()) {
        if (spoken.apiKey() == ApiKey.INIT_PRODUCER_ID.id()) {
          spoken.maxVersion((short) 1);
        }
      }
      exchange.answer(response::write);
    });
    try (Transactions tx = open(1); Producer<String, String> producer = producer(tx)) {
      for (int i = 0; i < 2; i++) {
        tx.begin();
        producer.sendAndWait("a", "v");
        tx.prepare(LATER);
        tx.commit(LATER);
      }
    }
    assertThat(batches().stream().map(AgainstScriptedTransactions::producerId)).doesNotHaveDuplicates();
  }

  @Test
  void transactionWithoutRecordsLeavesNothingToBeEnded() throws InterruptedException {
    try (Transactions tx = open(); Producer<String, String> producer = producer(tx)) {
      tx.begin();
      assertThat(tx.prepare(LATER)).isEmpty();
      assertThatThrownBy(tx::begin).isInstanceOf(IllegalStateException.class).hasMessageContaining("is prepared");
      tx.commit(LATER);
      assertThat(broker.requests(ApiKey.END_TXN)).isEmpty();
      tx.begin();
      producer.sendAndWait("a", "v");
      tx.commit(LATER);
    }
  }

  @Test
  void prepareIsOnlyForAnOpenTransaction() throws InterruptedException {
    try (Transactions tx = open()) {
      assertThatThrownBy(() -> tx.prepare(LATER)).isInstanceOf(IllegalStateException.class)
          .hasMessage("prepare: no transaction of payments is open; begin one first");
    }
    assertThatThrownBy(() -> client.transactions("other").resume(LEFT)).isInstanceOf(IllegalArgumentException.class)
        .hasMessage("transactional.id other: the prepared transaction belongs to payments");
    assertThatThrownBy(() -> new PreparedTransaction(ID, -1, (short) 0)).isInstanceOf(IllegalArgumentException.class)
        .hasMessage("transactional id payments: no transaction has producer id -1 with epoch 0");
    assertThatThrownBy(() -> new PreparedTransaction(" ", 1, (short) 0)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void prepareThatTimesOutIsRepeatedOrAborted() throws Exception {
    try (Transactions tx = open(); Producer<String, String> producer = producer(tx)) {
      tx.begin();
      broker.always(ApiKey.PRODUCE, Script.SILENCE);
      producer.send("a", "v");
      assertThatThrownBy(() -> tx.prepare(SOON)).isInstanceOf(KafkaTimeoutException.class)
          .hasMessageContaining("prepare of transactional id payments: not done within 300 ms")
          .hasMessageContaining("prepare again, commit or abort");
      assertThat(tx.state()).isEqualTo(TransactionState.FLUSHING);
      broker.always(ApiKey.PRODUCE, Script.STANDARD);
      broker.cutAll();
      assertThat(tx.prepare(LATER)).isPresent();
      tx.abort(LATER);
    }
    assertThat(ends()).extracting(EndTxnRequest::committed).containsExactly(false);
  }

  @Test
  void transactionWithARefusedRecordCannotBePrepared() throws InterruptedException {
    try (Transactions tx = open(); Producer<String, String> producer = producer(tx)) {
      tx.begin();
      broker.next(ApiKey.PRODUCE, ProduceResponses.refusal(ErrorCode.TOPIC_AUTHORIZATION_FAILED));
      producer.send("a", "v");
      TransactionException refused = catchThrowableOfType(TransactionException.class, () -> tx.prepare(LATER));
      assertThat(refused.code()).isEqualTo(ErrorCode.TOPIC_AUTHORIZATION_FAILED);
      assertThat(refused.kind()).isEqualTo(ErrorCode.Kind.ABORTABLE);
      assertThat(tx.prepared()).isEmpty();
      tx.abort(LATER);
    }
  }

  @ParameterizedTest
  @CsvSource({"PRODUCER_FENCED, true, another client has opened the transactional id since",
      "INVALID_PRODUCER_EPOCH, true, the transaction is aborted; unless it was committed before that",
      "INVALID_TXN_STATE, true, has been aborted before; by its transaction.timeout.ms",
      "INVALID_TXN_STATE, false, the transaction has been committed before",
      "INVALID_PRODUCER_ID_MAPPING, true, transactional.id.expiration.ms",
      "TRANSACTIONAL_ID_AUTHORIZATION_FAILED, true, EndTxn (commit)"})
  void refusedEndOfAResumedTransactionSaysWhatHasBecomeOfIt(ErrorCode code, boolean commit, String meaning)
      throws InterruptedException {
    broker.state().transactionVersion(2);
    broker.always(ApiKey.END_TXN, TransactionResponses.refusal(code));
    try (Transactions resumed = resume()) {
      TransactionException refused = catchThrowableOfType(TransactionException.class, () -> {
        if (commit) {
          resumed.commit(LATER);
        } else {
          resumed.abort(LATER);
        }
      });
      assertThat(refused.kind()).isEqualTo(ErrorCode.Kind.FATAL);
      assertThat(refused.code()).isEqualTo(code);
      assertThat(refused).hasMessageContaining(ID).hasMessageContaining("broker " + address())
          .hasMessageContaining(meaning.replace(';', ','));
      assertThat(resumed.state()).isEqualTo(TransactionState.DEAD);
    }
  }

  @Test
  void commitUnderTheOlderVersionIsFoundToBeDone() throws InterruptedException {
    // A client of an older release had committed it by version 4 of EndTxn. The coordinator of transaction.version 2
    // refused the repeated commit of version 5, and the committed transaction was once reported as lost.
    broker.state().transactionVersion(2);
    broker.next(ApiKey.END_TXN, TransactionResponses.refusal(ErrorCode.INVALID_TXN_STATE));
    try (Transactions resumed = resume()) {
      resumed.commit(LATER);
      assertThat(resumed.state()).isEqualTo(TransactionState.READY);
    }
    assertThat(endVersions()).containsExactly((short) 5, (short) 4);
  }

  @Test
  void firstRefusalIsReportedIfTheOlderVersionIsRefusedToo() throws InterruptedException {
    broker.state().transactionVersion(2);
    broker.next(ApiKey.END_TXN, TransactionResponses.refusal(ErrorCode.INVALID_TXN_STATE),
        TransactionResponses.refusal(ErrorCode.PRODUCER_FENCED));
    try (Transactions resumed = resume()) {
      TransactionException refused = catchThrowableOfType(TransactionException.class, () -> resumed.commit(LATER));
      assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_TXN_STATE);
    }
  }

  @Test
  void endOfAResumedTransactionIsRetriedAndWaitedForAgain() throws Exception {
    broker.next(ApiKey.END_TXN, TransactionResponses.refusal(ErrorCode.CONCURRENT_TRANSACTIONS),
        TransactionResponses.refusal(ErrorCode.NOT_COORDINATOR), Script.SILENCE);
    try (Transactions resumed = resume()) {
      assertThatThrownBy(() -> resumed.commit(SOON)).isInstanceOf(KafkaTimeoutException.class)
          .hasMessageContaining("commit again");
      broker.await(ApiKey.END_TXN, 3);
      broker.cutAll();
      resumed.commit(LATER);
    }
    assertThat(ends()).hasSize(4).allMatch(end -> end.producerId() == LEFT.producerId() && end.committed());
  }

  @Test
  void twoPhaseCommitIsRequestedAndItsAbsenceIsExplained() throws InterruptedException {
    TransactionException refused = catchThrowableOfType(TransactionException.class,
        () -> client.transactions(ID).twoPhaseCommit(true).open());
    assertThat(refused.code()).isEqualTo(ErrorCode.UNSUPPORTED_VERSION);
    assertThat(refused).hasMessageContaining("InitProducerId").hasMessageContaining("unstable.api.versions.enable");
    assertThatThrownBy(() -> client.transactions(ID).openPrepared()).isInstanceOf(TransactionException.class)
        .hasMessageContaining("end a prepared transaction with resume");
    assertThat(broker.requests(ApiKey.INIT_PRODUCER_ID)).isEmpty();
  }

  /** Enables unstable versions in the broker. */
  private void speakUnstable() {
    broker.always(ApiKey.API_VERSIONS, exchange -> {
      ApiVersionsResponse response = broker.state().apiVersions();
      for (ApiVersionsResponse.ApiVersion spoken : response.apiKeys()) {
        if (spoken.apiKey() == ApiKey.INIT_PRODUCER_ID.id()) {
          spoken.maxVersion(ApiKey.INIT_PRODUCER_ID.highestVersion());
        }
      }
      exchange.answer(response::write);
    });
  }

  @Test
  void twoPhaseCommitIsPassedOnWhereBrokersSupportIt() throws InterruptedException {
    speakUnstable();
    try (Transactions tx = client.transactions(ID).twoPhaseCommit(true).open()) {
      assertThat(tx.state()).isEqualTo(TransactionState.READY);
    }
    try (Transactions tx = client.transactions(ID).open()) {
      assertThat(tx.state()).isEqualTo(TransactionState.READY);
    }
    List<Request> asked = broker.requests(ApiKey.INIT_PRODUCER_ID);
    assertThat(asked).extracting(Request::version).as("unstable only if it is needed").containsExactly((short) 6,
        (short) 5);
    InitProducerIdRequest first = (InitProducerIdRequest) asked.getFirst().body();
    assertThat(first.enable2Pc()).isTrue();
    assertThat(first.keepPreparedTxn()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void predecessorsTransactionThatTheCoordinatorKeepsIsEndedUnderTheNewEpoch(boolean commit)
      throws InterruptedException {
    speakUnstable();
    broker.state().transactionVersion(2);
    InitProducerIdResponse kept = new InitProducerIdResponse().producerId(4712).producerEpoch((short) 5)
        .ongoingTxnProducerId(LEFT.producerId()).ongoingTxnProducerEpoch(LEFT.epoch());
    broker.next(ApiKey.INIT_PRODUCER_ID, exchange -> exchange.answer(kept::write));
    try (Transactions tx = client.transactions(ID).twoPhaseCommit(true).openPrepared();
        Producer<String, String> producer = producer(tx)) {
      assertThat(tx.state()).isEqualTo(TransactionState.PREPARED);
      assertThat(tx.prepared()).contains(LEFT);
      if (commit) {
        tx.commit(LATER);
      } else {
        tx.abort(LATER);
      }
      tx.begin();
      producer.sendAndWait("a", "next");
      tx.commit(LATER);
    }
    InitProducerIdRequest asked = (InitProducerIdRequest) broker.requests(ApiKey.INIT_PRODUCER_ID).getFirst().body();
    assertThat(asked.keepPreparedTxn()).isTrue();
    assertThat(ends().getFirst().producerId()).isEqualTo(4712);
    assertThat(ends().getFirst().producerEpoch()).isEqualTo((short) 5);
    assertThat(ends()).extracting(EndTxnRequest::committed).containsExactly(commit, true);
  }

  @Test
  void openingFindsThatNothingWasPrepared() throws InterruptedException {
    speakUnstable();
    try (Transactions tx = client.transactions(ID).openPrepared()) {
      assertThat(tx.state()).isEqualTo(TransactionState.READY);
      assertThat(tx.prepared()).isEmpty();
      tx.begin();
    }
  }
}
