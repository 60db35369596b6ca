package dev.decant.flink;

import dev.decant.kafka.PreparedTransaction;
import dev.decant.kafka.apache.DecantProducer;
import java.util.Collection;
import java.util.Properties;
import java.util.function.Supplier;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RetriableException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits what writers have prepared, once the checkpoint is complete, and again after a restore: whether the earlier
 * run has committed before it ended is not known then, and a repeated commit has no effect. Belongs to the subtask's
 * thread.
 *
 * <p>A transaction that is lost fails the job only if nothing explains it, as with Flink's sink: a job that is restored
 * again and again would lose the records of the following checkpoints, too.
 */
final class TransactionCommitter implements Committer<PreparedTransaction> {
  private static final Logger LOGGER = LoggerFactory.getLogger(TransactionCommitter.class);

  private static final String ADVICE = "If the restart has taken longer than transaction.timeout.ms, set more; if"
      + " another sink has the same prefix of transactional ids, give it another one";

  /** A producer, as far as commits need one. */
  interface Commits {
    void commit(PreparedTransaction transaction);

    /** Waits for nothing, and throws nothing. */
    void close();
  }

  private final Supplier<Commits> opening;
  private final boolean pooling;
  private final FinishedTransactions.Key key;
  private final FinishedTransactions finished;
  /** Opened with the first commit. */
  private @Nullable Commits producer;

  TransactionCommitter(SinkSettings<?> settings, FinishedTransactions.Key key) {
    this(opening(settings.producer(key.clientName("committer"))), settings.isPooling(), key);
  }

  /** With what opens a producer. */
  TransactionCommitter(Supplier<Commits> opening, boolean pooling, FinishedTransactions.Key key) {
    this.opening = opening;
    this.pooling = pooling;
    this.key = key;
    this.finished = FinishedTransactions.openCommitter(key);
  }

  private static Supplier<Commits> opening(Properties settings) {
    return () -> {
      DecantProducer<byte[], byte[]> opened = new DecantProducer<>(settings);
      return new Commits() {
        @Override
        public void commit(PreparedTransaction transaction) {
          opened.resumeTransaction(transaction);
          opened.commitTransaction();
        }

        @Override
        public void close() {
          Producers.close(opened);
        }
      };
    };
  }

  @Override
  public void commit(Collection<CommitRequest<PreparedTransaction>> requests) throws InterruptedException {
    for (CommitRequest<PreparedTransaction> request : requests) {
      commit(request);
    }
  }

  private void commit(CommitRequest<PreparedTransaction> request) throws InterruptedException {
    PreparedTransaction transaction = request.getCommittable();
    try {
      opened().commit(transaction);
      finished.add(transaction.transactionalId());
    } catch (InterruptException e) {
      Thread.interrupted(); // the flag was set with the exception
      InterruptedException interrupted = new InterruptedException("interrupted while committing " + transaction);
      interrupted.initCause(e);
      throw interrupted;
    } catch (RuntimeException e) {
      failed(request, transaction, e);
    }
  }

  /** The next transaction gets a producer of its own: this one may be in an error state. */
  private void failed(CommitRequest<PreparedTransaction> request, PreparedTransaction transaction,
      RuntimeException failure) {
    closeProducer();
    // DecantProducer says that the transaction is to be aborted, as Apache's does. This one is not ours to abort.
    Throwable cause = failure.getCause();
    if (failure instanceof RetriableException || cause instanceof RetriableException) {
      LOGGER.warn("The transaction {} is committed later", transaction, failure);
      request.retryLater();
    } else if (isEnded(failure) || isEnded(cause)) {
      report(transaction, failure);
      finished.add(transaction.transactionalId());
      request.signalFailedWithKnownReason(failure);
    } else {
      LOGGER.error("The transaction {} was not committed, and the job is to fail", transaction, failure);
      request.signalFailedWithUnknownReason(failure);
    }
  }

  /** Whether the coordinator says that somebody else has ended the transaction. */
  private static boolean isEnded(@Nullable Throwable reason) {
    return reason instanceof ProducerFencedException || reason instanceof InvalidProducerEpochException
        || reason instanceof InvalidTxnStateException;
  }

  private void report(PreparedTransaction transaction, Exception cause) {
    if (pooling) {
      // A checkpoint may name a transaction that was committed while the checkpoint was taken. If the job is restored
      // from it after the id was used again, the coordinator cannot tell any more.
      LOGGER.warn("The transaction {} cannot be committed. After a restore that is expected if it was committed before,"
          + " and its id was used again. " + ADVICE, transaction, cause);
    } else {
      LOGGER.error("The transaction {} cannot be committed, and its records are lost. " + ADVICE, transaction, cause);
    }
  }

  private Commits opened() {
    Commits known = producer;
    if (known == null) {
      known = opening.get();
      producer = known;
    }
    return known;
  }

  @Override
  public void close() {
    closeProducer();
    finished.closeCommitter(key);
  }

  private void closeProducer() {
    Commits opened = producer;
    producer = null;
    if (opened != null) {
      opened.close();
    }
  }
}
