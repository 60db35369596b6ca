package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.decant.event.Registration;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.TransactionException;
import dev.decant.kafka.TransactionState;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.TransactionResponses;
import dev.decant.kafka.event.TransactionListener;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.Transactions;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.EndTxnRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the end of a prepared transaction below {@code transaction.version} 2, which a request for the next epoch
 * follows. The outcome of the transaction does not depend on that request.
 */
@SuppressWarnings("try") // an open resource may serve its block without being named in it
class NextEpochTest extends AgainstScriptedTransactions {
  NextEpochTest() {
    super(LATER);
  }

  private List<EndTxnRequest> ends() {
    return broker.requests(ApiKey.END_TXN).stream().map(r -> (EndTxnRequest) r.body()).toList();
  }

  /** A commit that the coordinator had acknowledged was once reported as failed: its records were sent once more. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void commitIsWhatTheCoordinatorSaidThoughThereIsNoNextEpoch(int version) throws InterruptedException {
    List<String> recorded = new CopyOnWriteArrayList<>();
    try (Registration unused = client.events().watchTransactions(new TransactionListener() {
      @Override
      public void onCommitted(String transactionalId, long nanos, long commitNanos) {
        recorded.add("committed");
      }
    }); Transactions tx = open(version); Producer<String, String> producer = producer(tx)) {
      tx.begin();
      producer.sendAndWait("a", "v");
      tx.prepare(LATER);
      broker.always(ApiKey.INIT_PRODUCER_ID, TransactionResponses.refusal(ErrorCode.PRODUCER_FENCED));
      tx.commit(LATER);
      TransactionException refused = catchThrowableOfType(TransactionException.class, tx::begin);
      assertThat(refused.code()).isEqualTo(ErrorCode.PRODUCER_FENCED);
      assertThat(refused.kind()).isEqualTo(ErrorCode.Kind.FATAL);
      assertThat(tx.state()).isEqualTo(TransactionState.DEAD);
      assertThatThrownBy(() -> tx.commit(LATER)).as("the next one").isInstanceOf(TransactionException.class);
    }
    assertThat(recorded).containsExactly("committed");
    assertThat(ends()).extracting(EndTxnRequest::committed).containsExactly(true);
  }

  /** The next epoch was late, and failed. A caller that had timed out must still see that the commit was done. */
  @Test
  void commitThatIsWaitedForAgainIsWhatTheCoordinatorSaid() throws Exception {
    CountDownLatch permission = new CountDownLatch(1);
    try (Transactions tx = open(1); Producer<String, String> producer = producer(tx)) {
      tx.begin();
      producer.sendAndWait("a", "v");
      tx.prepare(LATER);
      broker.next(ApiKey.INIT_PRODUCER_ID,
          Script.after(permission, TransactionResponses.refusal(ErrorCode.PRODUCER_FENCED)));
      assertThatThrownBy(() -> tx.commit(SOON)).isInstanceOf(KafkaTimeoutException.class);
      permission.countDown();
      tx.commit(LATER);
      assertThatThrownBy(tx::begin).isInstanceOf(TransactionException.class);
      assertThatThrownBy(() -> tx.commit(LATER)).isInstanceOf(TransactionException.class);
    }
    assertThat(ends()).hasSize(1);
  }

  /** A close does not wait for ever for an epoch, and the commit that another thread waits for was acknowledged. */
  @Test
  void commitIsWhatTheCoordinatorSaidThoughAnotherThreadCloses() throws Exception {
    Transactions tx = open(1);
    Producer<String, String> producer = producer(tx);
    tx.begin();
    producer.sendAndWait("a", "v");
    tx.prepare(LATER);
    broker.next(ApiKey.INIT_PRODUCER_ID, Script.SILENCE);
    FutureTask<Void> commit = new FutureTask<>(() -> {
      tx.commit(LATER);
      return null;
    });
    Thread.ofVirtual().start(commit);
    broker.await(ApiKey.INIT_PRODUCER_ID, 2);
    tx.close(Duration.ZERO);
    commit.get(LATER.toSeconds(), TimeUnit.SECONDS);
    producer.close();
  }
}
