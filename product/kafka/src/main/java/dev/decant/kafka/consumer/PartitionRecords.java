package dev.decant.kafka.consumer;

import static java.util.Objects.requireNonNull;

import dev.decant.kafka.fetch.FetchedRecords;
import org.jspecify.annotations.Nullable;

/**
 * Records of one partition, in order, for a {@link PartitionHandler}: a cursor over what was fetched, nothing is
 * copied. Valid during that call, on that thread.
 *
 * @param <K> type of keys
 * @param <V> type of values
 */
public final class PartitionRecords<K, V> {
  private final Delivery<K, V> delivery;
  private final ConsumerRecord<K, V> view;
  private @Nullable FetchedRecords records;
  /** Whose they are. */
  private @Nullable AssignedPartition partition;
  private int turns;
  private int most;
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
   * The topic.
   *
   * @return its name
   */
  public String topic() {
    return view.topic();
  }

  /**
   * The partition.
   *
   * @return its number
   */
  public int partition() {
    return view.partition();
  }

  /**
   * Moves to the next record; with that the position of the partition is behind it. Records that are not moved to are
   * handed out by the next poll.
   *
   * @return false if there is no more for this call: the response of the broker is used up, or
   *         {@code max.poll.records}, or the partition was paused or sought in
   * @throws UnreadableBatchException if what follows is no records
   */
  public boolean next() {
    FetchedRecords from = records;
    AssignedPartition p = partition;
    records = null; // stays so if that was the end, or an error
    if (from == null || p == null || taken == most || p.turns != turns || !delivery.advance(from)) {
      return false;
    }
    records = from;
    taken++;
    return true;
  }

  /**
   * Puts the position back before the record that {@link #next()} has moved to: the next poll begins with that record.
   * For a handler that cannot take it now. There are no more records for this call, and the poll ends with it.
   *
   * @throws IllegalStateException if the last {@link #next()} of this call did not move to a record
   */
  public void putBack() {
    if (!putBackLast()) {
      throw new IllegalStateException("there is no record to put back: next() has not moved to one");
    }
    delivery.endPoll();
  }

  /** The same for a handler that has failed; false if there is no such record. */
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
   * The position of the partition: behind the record that {@link #next()} has moved to, and behind the batch where it
   * has returned false at its end.
   *
   * @return the offset of the record that is handed out next
   */
  public long position() {
    return requireNonNull(partition, "partition").position;
  }

  /**
   * The leader epoch that belongs to {@link #position()}.
   *
   * @return the epoch of the leader that has appended the record before; -1 if it is not known
   */
  public int positionEpoch() {
    return requireNonNull(partition, "partition").epoch;
  }

  /**
   * The record that {@link #next()} has moved to.
   *
   * @return a view, always the same object, valid until the next call of {@link #next()}
   */
  public ConsumerRecord<K, V> record() {
    return view;
  }
}
