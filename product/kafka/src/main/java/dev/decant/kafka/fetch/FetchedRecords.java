package dev.decant.kafka.fetch;

import java.nio.ByteBuffer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Record batches of one partition in a fetch response, on their way to the polling thread. The owner of the loop fills
 * them; all {@code public} methods are for the polling thread. If they belong to a {@link FetchBuffer}, they are used
 * again with it, and must not be read after {@link #release()}.
 */
public final class FetchedRecords {
  private static final ByteBuffer NO_RECORDS = ByteBuffer.allocate(0);

  private final String broker;
  private final @Nullable FetchBuffer owner;
  private PartitionFetchState partition;
  private int seeks;
  private long fetchOffset;
  private ByteBuffer buffer = NO_RECORDS;
  private int from;
  private int to;
  private @Nullable AbortedTransactions aborted;

  FetchedRecords(String broker, @Nullable FetchBuffer owner, PartitionFetchState partition) {
    this.broker = broker;
    this.owner = owner;
    this.partition = partition;
  }

  /**
   * Returns a message without records: fetching continues at another offset than the polling thread's. Owner of the
   * loop.
   */
  static FetchedRecords jump(PartitionFetchState p) {
    return new FetchedRecords("", null, p).requested(p, p.seeks, p.fetchOffset);
  }

  /** Sets the partition, and its number of seeks and offset when the fetch was sent. */
  FetchedRecords requested(PartitionFetchState of, int atSeeks, long atOffset) {
    partition = of;
    seeks = atSeeks;
    fetchOffset = atOffset;
    return this;
  }

  /** Sets the position of the batches, and the transactions whose records must not be delivered. */
  FetchedRecords in(ByteBuffer memory, int begin, int end, @Nullable AbortedTransactions notWanted) {
    buffer = memory;
    from = begin;
    to = end;
    aborted = notWanted;
    return this;
  }

  /**
   * Returns the records from an index on, in memory of their own.
   *
   * @param memory allocates it, if the records have none yet
   */
  public FetchedRecords keep(int begin, IntFunction<ByteBuffer> memory) {
    if (owner == null) {
      from = begin;
      return this;
    }
    ByteBuffer copy = memory.apply(to - begin);
    copy.put(0, buffer, begin, to - begin);
    return new FetchedRecords(broker, null, partition).requested(partition, seeks, fetchOffset).in(copy, 0, to - begin,
        aborted);
  }

  /** Returns true if this has no records, and the position moves to {@link #fetchOffset}. */
  public boolean isJump() {
    return from == to;
  }

  /** Returns the name of the broker, for messages. */
  public String broker() {
    return broker;
  }

  public PartitionFetchState partition() {
    return partition;
  }

  /** Returns the number of seeks at the fetch. Records with another number than the partition's are dropped. */
  public int seeks() {
    return seeks;
  }

  /** Returns the offset of the fetch. Records before it must not be delivered. */
  public long fetchOffset() {
    return fetchOffset;
  }

  /** Returns the memory, with the records from {@link #from} to {@link #to}. */
  public ByteBuffer buffer() {
    return buffer;
  }

  public int from() {
    return from;
  }

  public int to() {
    return to;
  }

  /** Returns the size in bytes; 0 for a jump. */
  public int bytes() {
    return to - from;
  }

  /** Returns the transactions whose records must not be delivered; null if there are none. */
  public @Nullable AbortedTransactions aborted() {
    return aborted;
  }

  /** Returns the memory: the next response may be written over it at once. */
  public void release() {
    if (owner != null) {
      owner.release();
    }
  }
}
