package dev.decant.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.PreparedTransaction;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.apache.kafka.common.errors.NotCoordinatorException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TransactionalIdAuthorizationException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the committer tells Flink of a commit that fails. */
class TransactionCommitterTest {
  private static final String ABORTABLE = "Transaction Request was aborted after exhausting retries.";

  /** What commits throw, in their order; without one they succeed. */
  private final Deque<RuntimeException> failures = new ArrayDeque<>();
  private final List<String> calls = new ArrayList<>();
  private final FinishedTransactions.Key key = new FinishedTransactions.Key(new JobID(), "orders", 0, 0);
  private final FinishedTransactions finished = FinishedTransactions.openWriter(key);
  private final TransactionCommitter committer = new TransactionCommitter(Producer::new, true, key);

  /** A producer whose commits end as the test wants. */
  private final class Producer implements TransactionCommitter.Commits {
    Producer() {
      calls.add("open");
    }

    @Override
    public void commit(PreparedTransaction transaction) {
      calls.add("commit " + transaction.producerId());
      RuntimeException failure = failures.poll();
      if (failure != null) {
        throw failure;
      }
    }

    @Override
    public void close() {
      calls.add("close");
    }
  }

  /** Records the answers of the committer to Flink. */
  private static final class Request implements Committer.CommitRequest<PreparedTransaction> {
    private final PreparedTransaction transaction;
    private final List<String> told = new ArrayList<>();
    private @Nullable Throwable reason;

    Request(long producerId) {
      transaction = new PreparedTransaction("orders-" + producerId, producerId, (short) 0);
    }

    @Override
    public PreparedTransaction getCommittable() {
      return transaction;
    }

    @Override
    public int getNumberOfRetries() {
      return 0;
    }

    @Override
    public void signalFailedWithKnownReason(Throwable cause) {
      told.add("known");
      reason = cause;
    }

    @Override
    public void signalFailedWithUnknownReason(Throwable cause) {
      told.add("unknown");
      reason = cause;
    }

    @Override
    public void retryLater() {
      told.add("later");
    }

    @Override
    public void updateAndRetryLater(PreparedTransaction changed) {
      told.add("changed");
    }

    @Override
    public void signalAlreadyCommitted() {
      told.add("already");
    }
  }

  @AfterEach
  void close() {
    committer.close();
    finished.closeWriter(key);
  }

  private static Stream<RuntimeException> endedByAnother() {
    return Stream.of(new ProducerFencedException("fenced"), new InvalidProducerEpochException("epoch"),
        new InvalidTxnStateException("state"), new KafkaException(ABORTABLE, new InvalidTxnStateException("state")),
        new KafkaException(ABORTABLE, new ProducerFencedException("fenced")),
        new KafkaException(ABORTABLE, new InvalidProducerEpochException("epoch")));
  }

  /** A job was restored again and again: what had become of the transaction was within an exception to abort it. */
  @ParameterizedTest
  @MethodSource("endedByAnother")
  void transactionThatSomebodyElseHasEndedDoesNotFailTheJob(RuntimeException failure) throws InterruptedException {
    failures.add(failure);
    Request request = new Request(7);
    committer.commit(List.of(request));
    assertThat(request.told).containsExactly("known");
    assertThat(request.reason).isSameAs(failure);
    assertThat(finished.poll()).as("the id is free").isEqualTo("orders-7");
  }

  private static Stream<RuntimeException> passing() {
    return Stream.of(new TimeoutException("late"), new NotCoordinatorException("moved"),
        new KafkaException(ABORTABLE, new NotCoordinatorException("moved")),
        new KafkaException(ABORTABLE, new TimeoutException("late")));
  }

  @ParameterizedTest
  @MethodSource("passing")
  void commitThatMaySucceedYetIsRepeated(RuntimeException failure) throws InterruptedException {
    failures.add(failure);
    Request request = new Request(7);
    committer.commit(List.of(request));
    assertThat(request.told).containsExactly("later");
    assertThat(finished.poll()).as("the id is in use").isNull();
  }

  private static Stream<RuntimeException> unexplained() {
    return Stream.of(new TransactionalIdAuthorizationException("denied"), new IllegalStateException("bug"),
        new KafkaException(ABORTABLE, new TransactionalIdAuthorizationException("denied")));
  }

  @ParameterizedTest
  @MethodSource("unexplained")
  void anyOtherFailureFailsTheJob(RuntimeException failure) throws InterruptedException {
    failures.add(failure);
    Request request = new Request(7);
    committer.commit(List.of(request));
    assertThat(request.told).containsExactly("unknown");
    assertThat(request.reason).isSameAs(failure);
    assertThat(finished.poll()).isNull();
  }

  /** A producer that has failed may be in an error state. */
  @Test
  void transactionAfterAFailedOneHasAProducerOfItsOwn() throws InterruptedException {
    failures.add(new ProducerFencedException("fenced"));
    Request second = new Request(2);
    Request third = new Request(3);
    committer.commit(List.of(new Request(1), second, third));
    assertThat(calls).containsExactly("open", "commit 1", "close", "open", "commit 2", "commit 3");
    assertThat(second.told).isEmpty();
    assertThat(third.told).isEmpty();
    assertThat(Stream.generate(finished::poll).limit(4)).containsExactly("orders-1", "orders-2", "orders-3", null);
  }

  @Test
  void interruptedCommitTellsFlinkNothing() {
    failures.add(new InterruptException(new InterruptedException("stop")));
    Request request = new Request(7);
    assertThatThrownBy(() -> committer.commit(List.of(request))).isInstanceOf(InterruptedException.class);
    assertThat(Thread.interrupted()).as("the flag went with the exception").isFalse();
    assertThat(request.told).isEmpty();
    assertThat(finished.poll()).isNull();
  }
}
