package dev.decant.kafka.consumer;

import java.nio.ByteBuffer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Record batches of one partition in a fetch response, on their way to the polling thread. Those that belong to a
 * {@link FetchedAnswer} are used again with it: nothing of them may be looked at after {@link #release()}.
 */
final class FetchedRecords {
  private static final ByteBuffer NO_RECORDS = ByteBuffer.allocate(0);

  private final String broker;
  private final @Nullable FetchedAnswer answer;
  private AssignedPartition partition;
  private int seeks;
  private long fetchOffset;
  private ByteBuffer buffer = NO_RECORDS;
  private int from;
  private int to;
  private @Nullable AbortedTransactions aborted;

  FetchedRecords(String broker, @Nullable FetchedAnswer answer, AssignedPartition partition) {
    this.broker = broker;
    this.answer = answer;
    this.partition = partition;
  }

  /** No records, but word that reading goes on elsewhere than the polling thread believes. Owner of the loop. */
  static FetchedRecords jump(AssignedPartition p) {
    return new FetchedRecords("", null, p).asked(p, p.fetchSeeks, p.fetchOffset);
  }

  /** Whose they are, the partition's number of seeks when they were asked for, and the offset that was asked for. */
  FetchedRecords asked(AssignedPartition of, int atSeeks, long atOffset) {
    partition = of;
    seeks = atSeeks;
    fetchOffset = atOffset;
    return this;
  }

  /** Where the batches are, and what of them is not for the application. */
  FetchedRecords in(ByteBuffer memory, int begin, int end, @Nullable AbortedTransactions notWanted) {
    buffer = memory;
    from = begin;
    to = end;
    aborted = notWanted;
    return this;
  }

  /** The same from an index on, in memory of their own, which is asked for if they have none. */
  FetchedRecords keep(int begin, IntFunction<ByteBuffer> memory) {
    if (answer == null) {
      from = begin;
      return this;
    }
    ByteBuffer copy = memory.apply(to - begin);
    copy.put(0, buffer, begin, to - begin);
    return new FetchedRecords(broker, null, partition).asked(partition, seeks, fetchOffset).in(copy, 0, to - begin,
        aborted);
  }

  boolean isJump() {
    return from == to;
  }

  /** Who sent them, for messages. */
  String broker() {
    return broker;
  }

  AssignedPartition partition() {
    return partition;
  }

  int seeks() {
    return seeks;
  }

  long fetchOffset() {
    return fetchOffset;
  }

  ByteBuffer buffer() {
    return buffer;
  }

  int from() {
    return from;
  }

  int to() {
    return to;
  }

  int bytes() {
    return to - from;
  }

  /** Transactions of which no record is for the application; null for none. */
  @Nullable
  AbortedTransactions aborted() {
    return aborted;
  }

  /** The polling thread is done with them. */
  void release() {
    if (answer != null) {
      answer.release();
    }
  }
}
