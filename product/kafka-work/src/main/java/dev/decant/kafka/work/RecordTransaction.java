package dev.decant.kafka.work;

import dev.decant.kafka.GroupMetadata;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.TransactionException;
import dev.decant.kafka.producer.AnyTopicProducer;
import dev.decant.kafka.producer.SendListener;
import dev.decant.kafka.protocol.ErrorCode;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Records that are done, and the offsets that are committed with their results. The loop fills the transaction, the
 * thread of transactions owns it until its end, and then the loop does again.
 */
final class RecordTransaction<K, V> implements SendListener {
  /** How a transaction has ended. */
  enum End {
    COMMITTED,
    /** No result is visible. */
    ABORTED,
    /** No further transaction is possible. This one may have been committed. */
    FATAL
  }

  private final List<Slot<K, V>> records;
  private final Map<PartitionWork, OffsetAndMetadata> offsets = new LinkedHashMap<>();
  private final CountDownLatch ended = new CountDownLatch(1);
  private @Nullable GroupMetadata group;
  private long begunNanos;
  /** True once a partition of the transaction was lost. Written by the loop. */
  private volatile boolean isCancelled;
  /** Written before {@link #ended}. */
  private End end = End.FATAL;
  private @Nullable Throwable error;
  /**
   * Indexes of records whose results were refused for their form or size. Guarded by the monitor, as is
   * {@link #refusal}.
   */
  private final List<Integer> refused = new ArrayList<>();
  private @Nullable Throwable refusal;

  /** Makes an empty transaction, which owns the list of records until its end. */
  RecordTransaction(List<Slot<K, V>> records) {
    this.records = records;
  }

  /** The records, in the order in which their results are sent. */
  List<Slot<K, V>> records() {
    return records;
  }

  Map<PartitionWork, OffsetAndMetadata> offsets() {
    return offsets;
  }

  boolean isEmpty() {
    return offsets.isEmpty();
  }

  /** Sets the member that commits, and the time at which the commit begins. The loop. */
  void begin(GroupMetadata member, long nowNanos) {
    group = member;
    begunNanos = nowNanos;
  }

  long begunNanos() {
    return begunNanos;
  }

  GroupMetadata group() {
    GroupMetadata of = group;
    if (of == null) {
      throw new IllegalStateException("a transaction of no group");
    }
    return of;
  }

  Map<TopicPartition, OffsetAndMetadata> offsetsByName() {
    Map<TopicPartition, OffsetAndMetadata> byName = new LinkedHashMap<>();
    offsets.forEach((partition, offset) -> byName.put(partition.id, offset));
    return byName;
  }

  /** Cancels the transaction if one of its partitions was cancelled. The loop. */
  void cancelIfLost() {
    for (PartitionWork partition : offsets.keySet()) {
      isCancelled |= partition.isCancelled();
    }
  }

  void cancel() {
    isCancelled = true;
  }

  boolean isCancelled() {
    return isCancelled;
  }

  /** Sends all results. The thread of transactions. */
  void send(AnyTopicProducer<ByteBuffer, ByteBuffer> by) {
    for (int i = 0; i < records.size() && !isCancelled; i++) {
      Results results = records.get(i).results();
      if (results != null) {
        try {
          results.send(by, i, this);
        } catch (KafkaException | IllegalArgumentException e) {
          refused(i, e);
          throw e;
        }
      }
    }
  }

  @Override
  public void onAck(long tag, int partition, long offset, long timestamp) {}

  @Override
  public void onFailure(long tag, KafkaException error) {
    refused((int) tag, error);
  }

  /**
   * Notes a record whose result was refused. The other results of the transaction fail with it, and are not to blame.
   */
  private synchronized void refused(int record, Throwable why) {
    if (!(why instanceof TransactionException) && isOfRecord(why) && !refused.contains(record)) {
      refused.add(record);
      refusal = why;
    }
  }

  /** Returns true if the record itself is at fault, so that no other attempt helps. */
  private static boolean isOfRecord(Throwable error) {
    if (!(error instanceof KafkaException kafka)) {
      return true;
    }
    ErrorCode code = kafka.code();
    return code == ErrorCode.MESSAGE_TOO_LARGE || code == ErrorCode.RECORD_LIST_TOO_LARGE
        || code == ErrorCode.INVALID_RECORD || code == ErrorCode.INVALID_TIMESTAMP
        || code == ErrorCode.INVALID_TOPIC_EXCEPTION;
  }

  /**
   * Number of records whose results were refused for their form or size. Others of the same batch of the producer may
   * be among them.
   */
  synchronized int refusedRecords() {
    return refused.size();
  }

  /** Returns the record whose results were refused, if there is one only; null otherwise. */
  synchronized @Nullable Slot<K, V> culprit() {
    return refused.size() == 1 ? records.get(refused.get(0)) : null;
  }

  synchronized Throwable refusal() {
    Throwable why = refusal;
    return why == null ? new IllegalStateException("no cause") : why;
  }

  /** Ends the transaction. The last call of the thread of transactions. */
  void end(End how, @Nullable Throwable why) {
    end = how;
    error = why;
    ended.countDown();
  }

  boolean hasEnded() {
    return ended.getCount() == 0;
  }

  boolean awaitEnd(long nanos) throws InterruptedException {
    return ended.await(Math.max(0, nanos), TimeUnit.NANOSECONDS);
  }

  /** How the transaction has ended. Valid once {@link #hasEnded} is true. */
  End how() {
    return end;
  }

  /** Why the transaction was not committed. */
  Throwable error() {
    Throwable why = error;
    return why == null ? new IllegalStateException("no cause") : why;
  }
}
