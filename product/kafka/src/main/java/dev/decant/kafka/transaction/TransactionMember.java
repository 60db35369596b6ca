package dev.decant.kafka.transaction;

import dev.decant.kafka.KafkaException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A producer's part in the transactions of a session: its queues take records only while a transaction is open, and a
 * queue is sent from only once its partition belongs to the transaction. Locks are taken in the order session, member,
 * queue.
 */
public final class TransactionMember {
  private final TransactionSession session;
  private final String topic;
  private final Runnable onChange;
  /** Written under the monitor, read by any thread. */
  private volatile TransactionQueue[] queues = {};
  private boolean accepting;

  TransactionMember(TransactionSession session, String topic, Runnable onChange) {
    this.session = session;
    this.topic = topic;
    this.onChange = onChange;
  }

  String topic() {
    return topic;
  }

  /**
   * The numbers of a partition, which go on when its producer is closed and another one opened. Any thread.
   *
   * @param partition the partition
   * @return its numbers
   */
  public SequenceNumbers numbers(int partition) {
    return session.numbers(topic, partition);
  }

  /**
   * The producer has these queues now. Called before records can reach a new one; any thread.
   *
   * @param all the queues, those of before among them unless their partitions are no more
   */
  public synchronized void adopt(TransactionQueue[] all) {
    Set<TransactionQueue> before = new HashSet<>(Arrays.asList(queues));
    Set<TransactionQueue> after = new LinkedHashSet<>(Arrays.asList(all));
    for (TransactionQueue queue : all) {
      if (!before.contains(queue)) {
        queue.accept(accepting);
      }
    }
    for (TransactionQueue queue : queues) {
      if (!queue.isIdle()) { // its partition is no more, but a batch of it is on its way
        after.add(queue);
      }
    }
    queues = after.toArray(TransactionQueue[]::new);
  }

  synchronized void accept(boolean records) {
    accepting = records;
    for (TransactionQueue queue : queues) {
      queue.accept(records);
    }
    onChange.run();
  }

  /** What its queues may send has changed. Any thread. */
  void resume() {
    onChange.run();
  }

  /** Whether no batch is left, sent or not; any thread. */
  boolean isIdle() {
    for (TransactionQueue queue : queues) {
      if (!queue.isIdle()) {
        return false;
      }
    }
    return true;
  }

  /**
   * A record has found its queue closed: throws why, unless the next transaction has just begun. Any thread.
   *
   * @throws RuntimeException that says in which state the transaction is
   */
  public void requireAccepting() {
    session.requireAccepting("send to " + topic);
  }

  /**
   * Tells whether batches may leave.
   *
   * @return true while the transaction is open or is being flushed
   */
  public boolean isSending() {
    return session.isSending();
  }

  /**
   * Why a batch that was not sent will not be. Any thread.
   *
   * @return what has failed the transaction, or that it was aborted
   */
  public KafkaException reason() {
    return session.reason();
  }

  /**
   * What the coordinator or the cluster has said last. Any thread.
   *
   * @return null if nothing has failed
   */
  public @Nullable Throwable lastError() {
    return session.lastError();
  }

  /**
   * Tells whether the partition belongs to the transaction, and its batches can be numbered. Owner of the loop only.
   *
   * @param queue with a batch
   * @return false while the coordinator is being told of the partition
   */
  public boolean admits(TransactionQueue queue) {
    long number = session.number();
    if (!queue.isInTransaction(number)) {
      if (!session.admits(topic, queue.partition())) {
        return false;
      }
      queue.joinTransaction(number);
    }
    session.identify(queue.sequenceNumbers());
    return true;
  }

  /** A batch leaves: with it at the latest the transaction begins for the cluster. Owner of the loop only. */
  public void sends() {
    session.mayHaveStarted(true);
  }

  /**
   * Tells whether the partition joins the transaction with its next batch. Owner of the loop only.
   *
   * @param queue with the batch
   * @return true for its first batch, with {@code transaction.version} 2
   */
  public boolean hasToJoin(TransactionQueue queue) {
    return session.isImplicit() && !queue.sequenceNumbers().isConfirmed();
  }

  /**
   * When requests that add partitions may leave. Owner of the loop only.
   *
   * @return the same for all members
   */
  public TransactionJoins joins() {
    return session.joins();
  }

  /**
   * Tells whether partitions join by being written to. Owner of the loop only.
   *
   * @return true with {@code transaction.version} 2
   */
  public boolean isImplicit() {
    return session.isImplicit();
  }

  /**
   * Records have failed. The next transaction gets another epoch, as with Apache's producer, also if none of them was
   * sent; then a coordinator that has no other one (before Kafka 2.5) keeps the present one. Owner of the loop only.
   *
   * @param cause why
   * @param wereNumbered whether numbers of the present epoch are lost with them: then it cannot be used again
   */
  public void recordsFailed(KafkaException cause, boolean wereNumbered) {
    session.recordsFailed(cause, wereNumbered);
  }

  /** The producer is closed. Any thread. */
  public void leave() {
    session.leave(this);
  }
}
