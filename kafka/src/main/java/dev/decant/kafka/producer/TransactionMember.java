package dev.decant.kafka.producer;

import dev.decant.kafka.KafkaException;
import org.jspecify.annotations.Nullable;

/**
 * A producer's part in the transactions of a session: its queues take records only while a transaction is open, and a
 * queue is sent from only once its partition belongs to the transaction. Locks are taken in the order session, member,
 * queue.
 */
final class TransactionMember {
  private final TransactionSession session;
  private final String topic;
  private final Runnable onChange;
  /** Written under the monitor, read by any thread. */
  private volatile PartitionQueue[] queues = {};
  private boolean accepting;

  TransactionMember(TransactionSession session, String topic, Runnable onChange) {
    this.session = session;
    this.topic = topic;
    this.onChange = onChange;
  }

  String topic() {
    return topic;
  }

  /** The numbers of a partition, which go on when its producer is closed and another one opened. */
  SequenceNumbers numbers(int partition) {
    return session.numbers(topic, partition);
  }

  /** The producer has these queues now; before records can reach a new one. */
  synchronized void adopt(PartitionQueue[] all) {
    for (int i = queues.length; i < all.length; i++) {
      all[i].accept(accepting);
    }
    queues = all;
  }

  synchronized void accept(boolean records) {
    accepting = records;
    for (PartitionQueue queue : queues) {
      queue.accept(records);
    }
    onChange.run();
  }

  /** What its queues may send has changed. Any thread. */
  void mayGoOn() {
    onChange.run();
  }

  /** Whether no batch is left, sent or not; any thread. */
  boolean isIdle() {
    for (PartitionQueue queue : queues) {
      if (!queue.hasFinished(queue.begunBatches())) {
        return false;
      }
    }
    return true;
  }

  /** Any thread: a record found its queue closed; throws why, unless the next transaction has just begun. */
  void requireAccepting() {
    session.requireAccepting("send to " + topic);
  }

  /** Whether batches may leave. Owner of the loop only. */
  boolean isSending() {
    return session.isSending();
  }

  /** Why a batch that was not sent will not be. */
  KafkaException reason() {
    return session.reason();
  }

  @Nullable
  Throwable lastError() {
    return session.lastError();
  }

  /** Whether the partition belongs to the transaction, and its batches can be numbered. Owner of the loop only. */
  boolean admits(PartitionQueue queue) {
    long number = session.number();
    if (!queue.isInTransaction(number)) {
      if (!session.admits(topic, queue.partition)) {
        return false;
      }
      queue.joinTransaction(number);
    }
    session.identify(queue.sequenceNumbers());
    return true;
  }

  /** A batch leaves: with it at the latest the transaction begins for the cluster. Owner of the loop only. */
  void sends() {
    session.mayHaveStarted(true);
  }

  /** Whether the partition joins the transaction with its next batch. Owner of the loop only. */
  boolean hasToJoin(PartitionQueue queue) {
    return session.isImplicit() && !queue.sequenceNumbers().isConfirmed();
  }

  TransactionJoins joins() {
    return session.joins();
  }

  boolean isImplicit() {
    return session.isImplicit();
  }

  /** Records were given up, of which some may be stored if they were ever sent. Owner of the loop only. */
  void recordsFailed(KafkaException cause, boolean sent) {
    session.recordsFailed(cause, sent);
  }

  void leave() {
    session.leave(this);
  }
}
