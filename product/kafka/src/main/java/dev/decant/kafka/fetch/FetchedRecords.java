package dev.decant.kafka.fetch;

import java.nio.ByteBuffer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Record batches of one partition in a fetch response, on their way to the polling thread. Filled by the owner of the
 * loop; all {@code public} methods are for the polling thread. Those that belong to a {@link FetchBuffer} are used
 * again with it: nothing of them may be looked at after {@link #release()}.
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

  /** No records, but word that reading goes on elsewhere than the polling thread believes. Owner of the loop. */
  static FetchedRecords jump(PartitionFetchState p) {
    return new FetchedRecords("", null, p).asked(p, p.seeks, p.fetchOffset);
  }

  /** Whose they are, the partition's number of seeks when they were asked for, and the offset that was asked for. */
  FetchedRecords asked(PartitionFetchState of, int atSeeks, long atOffset) {
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

  /**
   * The same from an index on, in memory of their own.
   *
   * @param begin the index
   * @param memory is asked for as many bytes, if they have no memory of their own yet
   * @return a copy, or this
   */
  public FetchedRecords keep(int begin, IntFunction<ByteBuffer> memory) {
    if (owner == null) {
      from = begin;
      return this;
    }
    ByteBuffer copy = memory.apply(to - begin);
    copy.put(0, buffer, begin, to - begin);
    return new FetchedRecords(broker, null, partition).asked(partition, seeks, fetchOffset).in(copy, 0, to - begin,
        aborted);
  }

  /**
   * Tells whether they are no records, but say that reading goes on at {@link #fetchOffset}.
   *
   * @return true if so
   */
  public boolean isJump() {
    return from == to;
  }

  /**
   * The broker that sent them.
   *
   * @return for messages
   */
  public String broker() {
    return broker;
  }

  /**
   * Whose they are.
   *
   * @return the partition
   */
  public PartitionFetchState partition() {
    return partition;
  }

  /**
   * The number of seeks that they were fetched for.
   *
   * @return of another number, they are not wanted any more
   */
  public int seeks() {
    return seeks;
  }

  /**
   * The offset that was asked for.
   *
   * @return records before it are not wanted
   */
  public long fetchOffset() {
    return fetchOffset;
  }

  /**
   * The memory that they are in.
   *
   * @return from {@link #from} to {@link #to}
   */
  public ByteBuffer buffer() {
    return buffer;
  }

  /**
   * Where they begin.
   *
   * @return an index
   */
  public int from() {
    return from;
  }

  /**
   * Where they end.
   *
   * @return an index
   */
  public int to() {
    return to;
  }

  /**
   * How many bytes they have.
   *
   * @return 0 for a jump
   */
  public int bytes() {
    return to - from;
  }

  /**
   * Transactions of which no record is for the application.
   *
   * @return null for none
   */
  public @Nullable AbortedTransactions aborted() {
    return aborted;
  }

  /** Gives them back: the next response may be written over them at once. */
  public void release() {
    if (owner != null) {
      owner.release();
    }
  }
}
