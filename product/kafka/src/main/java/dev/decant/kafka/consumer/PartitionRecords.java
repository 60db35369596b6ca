package dev.decant.kafka.consumer;

import static java.util.Objects.requireNonNull;

import dev.decant.kafka.fetch.FetchedRecords;
import org.jspecify.annotations.Nullable;

/**
 * Cursor over fetched records of one partition, in order, for a {@link PartitionHandler}. Nothing is copied. Valid
 * during that call, on that thread.
 *
 * @param <K> type of keys
 * @param <V> type of values
 */
public final class PartitionRecords<K, V> {
  private final Delivery<K, V> delivery;
  private final ConsumerRecord<K, V> view;
  private @Nullable FetchedRecords records;
  /** Partition of {@link #records}. */
  private @Nullable AssignedPartition partition;
  /** The partition's number of turns at the beginning of the call. */
  private int turns;
  /** Most records for this call. */
  private int most;
  /** Records that the handler has moved to. */
  private int taken;

  PartitionRecords(Delivery<K, V> delivery, ConsumerRecord<K, V> view) {
    this.delivery = delivery;
    this.view = view;
  }

  void begin(FetchedRecords of, AssignedPartition in, int atMost) {
    records = of;
    partition = in;
    turns = in.turns;
    most = atMost;
    taken = 0;
  }

  void end() {
    records = null;
  }

  int taken() {
    return taken;
  }

  /**
   * Returns the topic.
   *
   * @return its name
   */
  public String topic() {
    return view.topic();
  }

  /**
   * Returns the partition.
   *
   * @return its number
   */
  public int partition() {
    return view.partition();
  }

  /**
   * Moves to the next record, and the position of the partition behind it. The next poll delivers records that this
   * call does not reach.
   *
   * @return false at the end of the broker's response or of {@code max.poll.records}, and after a pause or seek of the
   *     partition
   * @throws UnreadableBatchException if the following bytes are no records
   */
  public boolean next() {
    FetchedRecords from = records;
    AssignedPartition p = partition;
    records = null; // stays null at the end, and after an error
    if (from == null || p == null || taken == most || p.turns != turns || !delivery.advance(from)) {
      return false;
    }
    records = from;
    taken++;
    return true;
  }

  /**
   * Puts the position back before the record that {@link #next()} has moved to, for a handler that cannot take it now.
   * The next poll begins with that record. This call has no more records, and its poll ends.
   *
   * @throws IllegalStateException if the last {@link #next()} of this call did not move to a record
   */
  public void putBack() {
    if (!putBackLast()) {
      throw new IllegalStateException("there is no record to put back: next() has not moved to one");
    }
    delivery.endPoll();
  }

  /** Puts the last record back after the handler has failed. Returns false if there is none. */
  boolean putBackLast() {
    FetchedRecords from = records;
    records = null;
    if (from == null || taken == 0) {
      return false;
    }
    taken--;
    delivery.putBack(from);
    return true;
  }

  /**
   * Returns the position of the partition: behind the record that {@link #next()} has moved to, or behind the batch at
   * whose end it returned false.
   *
   * @return the offset of the next record to be delivered
   */
  public long position() {
    return requireNonNull(partition, "partition").position;
  }

  /**
   * Returns the leader epoch that belongs to {@link #position()}.
   *
   * @return the epoch of the leader that appended the record before; -1 if it is not known
   */
  public int positionEpoch() {
    return requireNonNull(partition, "partition").epoch;
  }

  /**
   * Returns the record that {@link #next()} has moved to.
   *
   * @return a view, always the same object, valid until the next call of {@link #next()}
   */
  public ConsumerRecord<K, V> record() {
    return view;
  }
}
