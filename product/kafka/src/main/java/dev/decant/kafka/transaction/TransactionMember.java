package dev.decant.kafka.transaction;

import dev.decant.kafka.KafkaException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The part of one producer in the transactions of a session. Its queues take records only while a transaction is open.
 * Batches of a queue leave only once its partition belongs to the transaction. Locks are taken in the order session,
 * member, queue.
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
   * Returns the sequence numbers of a partition. They continue when its producer is closed and another one is opened.
   * Any thread.
   */
  public SequenceNumbers numbers(int partition) {
    return session.numbers(topic, partition);
  }

  /**
   * Takes the queues of the producer. Called before records can reach a new one; any thread.
   *
   * @param all the queues; a former one is missing only if its partition no longer exists
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
      if (!queue.isIdle()) { // its partition no longer exists, but one of its batches is still in flight
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

  /** Notifies the producer that its queues may send more or less than before. Any thread. */
  void resume() {
    onChange.run();
  }

  /** Returns true if no batch is left, sent or not. Any thread. */
  boolean isIdle() {
    for (TransactionQueue queue : queues) {
      if (!queue.isIdle()) {
        return false;
      }
    }
    return true;
  }

  /**
   * Throws the reason why a record has found its queue closed, unless the next transaction has just begun. Any thread.
   *
   * @throws RuntimeException with the state of the transaction
   */
  public void requireAccepting() {
    session.requireAccepting("send to " + topic);
  }

  /** Returns true while batches may leave: the transaction is open, or is being flushed. */
  public boolean isSending() {
    return session.isSending();
  }

  /**
   * Returns why a batch that was not sent will not be sent: the failure of the transaction, or its abort. Any thread.
   */
  public KafkaException reason() {
    return session.reason();
  }

  /** Returns the last error of the coordinator or the cluster; null if nothing has failed. Any thread. */
  public @Nullable Throwable lastError() {
    return session.lastError();
  }

  /**
   * Returns true if the partition belongs to the transaction and its batches can be numbered; false while the
   * coordinator is being asked to add it. Owner of the loop only.
   *
   * @param queue with a batch
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

  /**
   * Notes that a batch leaves: with it at the latest, the transaction begins for the cluster. Owner of the loop only.
   */
  public void sends() {
    session.mayHaveStarted(true);
  }

  /**
   * Returns true if the partition joins the transaction with its next batch: its first one, with {@code
   * transaction.version} 2. Owner of the loop only.
   */
  public boolean hasToJoin(TransactionQueue queue) {
    return session.isImplicit() && !queue.sequenceNumbers().isConfirmed();
  }

  /** Returns the turns of requests that add partitions, which all members share. Owner of the loop only. */
  public TransactionJoins joins() {
    return session.joins();
  }

  /**
   * Returns true if partitions join by their first batch: with {@code transaction.version} 2. Owner of the loop only.
   */
  public boolean isImplicit() {
    return session.isImplicit();
  }

  /**
   * Notes that records have failed. The next transaction gets another epoch, as with Apache's producer, even if none of
   * these records was sent. In that case a coordinator without a next epoch (before Kafka 2.5) keeps the present one.
   * Owner of the loop only.
   *
   * @param wereNumbered true if the records had numbers of the present epoch: those are lost, so it cannot be used
   *     again
   */
  public void recordsFailed(KafkaException cause, boolean wereNumbered) {
    session.recordsFailed(cause, wereNumbered);
  }

  /** Removes the producer, which is closed. Any thread. */
  public void leave() {
    session.leave(this);
  }
}
