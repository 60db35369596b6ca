package dev.decant.kafka.work;

import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.TransactionException;
import dev.decant.kafka.TransactionState;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.producer.AnyTopicProducer;
import dev.decant.kafka.producer.Transactions;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.serialization.Serdes;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Sends and commits the transactions that the loop has filled, one after another, on a thread of its own. So the loop
 * goes on polling while a coordinator is slow, and handlers go on while a transaction is committed.
 */
final class TransactionRunner<K, V> implements Runnable {
  /** Length of one wait. Waits are repeated, so that a close or a lost partition is noticed in between. */
  private static final Duration SLICE = Duration.ofMillis(500);
  private static final long ABORT_PAUSE_NANOS = 100_000_000;

  /**
   * Settings of the transactions.
   *
   * @param transactionalId of this member
   * @param timeout after which the brokers abort a transaction
   * @param openTimeout to wait at most for the coordinator when the work opens
   */
  record Settings(String transactionalId, Duration timeout, Duration openTimeout) {}

  private final Transactions transactions;
  private final AnyTopicProducer<ByteBuffer, ByteBuffer> producer;
  private final ResultMemory memory;
  /** A transaction is aborted after this time. Later, its coordinator would abort it and fence this client. */
  private final long mostNanos;
  private final BlockingQueue<RecordTransaction<K, V>> next = new ArrayBlockingQueue<>(1);
  private volatile boolean isClosed;
  private volatile Runnable wakesLoop = () -> {};
  private volatile @Nullable Thread thread;

  private TransactionRunner(Transactions transactions, AnyTopicProducer<ByteBuffer, ByteBuffer> producer,
      ResultMemory memory, long mostNanos) {
    this.transactions = transactions;
    this.producer = producer;
    this.memory = memory;
    this.mostNanos = mostNanos;
  }

  /** Fences the previous owner of the transactional id, and waits for the end of its transaction. */
  static <K, V> TransactionRunner<K, V> open(KafkaClient client, Settings settings, ResultMemory memory)
      throws InterruptedException {
    Transactions transactions = open(client, settings);
    Duration timeout = settings.timeout();
    boolean isOpen = false;
    try {
      AnyTopicProducer<ByteBuffer, ByteBuffer> producer = client.producer(Serdes.byteBuffer(), Serdes.byteBuffer())
          .maxBlock(Duration.ofMillis(Math.max(1, timeout.toMillis() / 3))).transactions(transactions)
          .openForAnyTopic();
      isOpen = true;
      return new TransactionRunner<>(transactions, producer, memory, timeout.toNanos() / 3 * 2);
    } finally {
      if (!isOpen) {
        transactions.close();
      }
    }
  }

  private static Transactions open(KafkaClient client, Settings settings) throws InterruptedException {
    try {
      return client.transactions(settings.transactionalId()).timeout(settings.timeout())
          .maxBlock(settings.openTimeout()).open();
    } catch (TransactionException e) {
      if (e.code() == ErrorCode.INVALID_TRANSACTION_TIMEOUT) {
        throw new TransactionException(true, e.code(), "transactionTimeout: the brokers refuse " + settings.timeout()
            + ", which is longer than their transaction.max.timeout.ms; set a shorter one", e);
      }
      throw e;
    }
  }

  String transactionalId() {
    return transactions.transactionalId();
  }

  /** The memory for results. */
  ResultMemory memory() {
    return memory;
  }

  /** Starts the thread. The loop, once. */
  void start(String group, Runnable wakes) {
    wakesLoop = wakes;
    thread = Thread.ofPlatform().name("decant-work-" + group + "-transactions").daemon(true).start(this);
  }

  /** Begins a transaction; the one before has ended. The loop. */
  void execute(RecordTransaction<K, V> transaction) {
    next.add(transaction);
  }

  @Override
  public void run() {
    try {
      while (!isClosed) {
        RecordTransaction<K, V> transaction = next.take();
        try {
          commit(transaction);
          transaction.end(RecordTransaction.End.COMMITTED, null);
        } catch (Throwable e) { // also an error: the loop must hear of the end
          endOtherwise(transaction, e);
        }
        wakesLoop.run();
      }
    } catch (InterruptedException e) {
      // closed
    }
  }

  private void commit(RecordTransaction<K, V> transaction) throws InterruptedException {
    long deadline = System.nanoTime() + mostNanos;
    transactions.begin();
    transaction.send(producer);
    requireWanted(transaction);
    transactions.sendOffsets(transaction.offsetsByName(), transaction.group(),
        Duration.ofNanos(Math.max(1, deadline - System.nanoTime())));
    while (true) {
      requireWanted(transaction);
      try {
        transactions.commit(SLICE);
        return;
      } catch (KafkaTimeoutException e) {
        // not an end: the coordinator is committing, or records are still being stored
        if (transactions.state() == TransactionState.COMMITTING) {
          awaitCommit();
          return;
        }
        if (deadline - System.nanoTime() <= 0) {
          throw e;
        }
      }
    }
  }

  private void awaitCommit() throws InterruptedException {
    while (true) {
      try {
        transactions.commit(SLICE);
        return;
      } catch (KafkaTimeoutException e) {
        if (isClosed) {
          throw e;
        }
      }
    }
  }

  private void requireWanted(RecordTransaction<K, V> transaction) {
    if (transaction.isCancelled() || isClosed) {
      throw new TransactionException(false, ErrorCode.NONE,
          isClosed ? "the work is closed" : "a partition of the transaction was lost", null);
    }
  }

  /** Aborts a transaction that was not committed, if that is still possible. */
  private void endOtherwise(RecordTransaction<K, V> transaction, Throwable error) {
    boolean isInterrupted = error instanceof InterruptedException;
    TransactionState state = transactions.state();
    if (isInterrupted || state == TransactionState.DEAD || state == TransactionState.CLOSED
        || state == TransactionState.COMMITTING) {
      transaction.end(RecordTransaction.End.FATAL, error);
      if (isInterrupted) {
        Thread.currentThread().interrupt();
      }
      return;
    }
    try {
      abort();
      transaction.end(RecordTransaction.End.ABORTED, error);
    } catch (Throwable e) { // also an error: the loop must hear of the end
      if (!e.equals(error)) {
        e.addSuppressed(error);
      }
      transaction.end(RecordTransaction.End.FATAL, e);
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void abort() throws InterruptedException {
    while (transactions.state() != TransactionState.READY) {
      try {
        transactions.abort(SLICE);
        return;
      } catch (KafkaTimeoutException e) {
        if (isClosed) {
          return; // the close goes on with the abort
        }
      } catch (TransactionException e) {
        if (e.kind() == ErrorCode.Kind.FATAL || isClosed) {
          throw e;
        }
        LockSupport.parkNanos(this, ABORT_PAUSE_NANOS);
      }
    }
  }

  /** Aborts the transaction that has not been committed. The loop. */
  void stop() {
    isClosed = true;
  }

  /** Closes the client's transactions, and waits for a commit under way. */
  void close(Duration timeout) throws InterruptedException {
    stop();
    Thread of = thread;
    try {
      if (of != null) {
        of.interrupt();
        of.join(timeout);
      }
    } finally {
      producer.close(Duration.ZERO);
      transactions.close(timeout);
    }
  }
}
