package dev.decant.kafka.consumer;

import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.fetch.PartitionFetchState;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The application's position in a partition. Written by the polling thread. The loop's fetch position is in {@link
 * #fetch}.
 */
final class AssignedPartition {
  static final long UNKNOWN = PartitionFetchState.UNKNOWN;
  static final int NO_EPOCH = PartitionFetchState.NO_EPOCH;
  /** Value of {@link #requested} without a seek. */
  private static final long NONE = -2;
  private static final VarHandle POSITION;
  private static final VarHandle SEEKS;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      POSITION = lookup.findVarHandle(AssignedPartition.class, "position", long.class);
      SEEKS = lookup.findVarHandle(AssignedPartition.class, "seeks", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  final String topic;
  final int partition;
  /** State of fetching. Owner of the loop only. */
  final PartitionFetchState fetch;

  // Written by the polling thread. Other threads read both by known(), and may see an older value.
  /** Offset of the next record to deliver; -1 while it is not known. */
  long position = UNKNOWN;
  /** Number of seeks. Records and lookups that carry an older number are dropped. */
  int seeks;

  // Polling thread only.
  /** Number of seeks and pauses. A delivery compares it before and after each call of the handler. */
  int turns;
  /** Epoch of the leader that appended the record before the position; -1 if not known (KIP-320). */
  int epoch = NO_EPOCH;
  /** True while the application has paused the partition. */
  boolean paused;
  /** Position of the last commit; {@link #UNKNOWN} if there is none since the last seek. */
  long submitted = UNKNOWN;

  /** Offset that another thread wants to seek to; NONE once the polling thread has done so. */
  private volatile long requested = NONE;

  AssignedPartition(String topic, int partition) {
    this.topic = topic;
    this.partition = partition;
    this.fetch = new PartitionFetchState(topic, partition);
  }

  TopicPartition name() {
    return new TopicPartition(topic, partition);
  }

  /** Publishes a seek that the polling thread will make. Any thread. */
  void request(long offset) {
    requested = offset;
  }

  /** Withdraws a seek that is done, unless a later one has replaced it. Polling thread. */
  void requestDone(long offset) {
    if (requested == offset) {
      requested = NONE;
    }
  }

  /** Returns the offset of the next record to deliver; -1 while it is not known. Any thread. */
  long known() {
    long sought = requested;
    if (sought != NONE) {
      return sought;
    }
    long at = (long) POSITION.getOpaque(this);
    if (at >= 0) {
      return at;
    }
    return fetch.isFound((int) SEEKS.getOpaque(this)) ? fetch.found() : UNKNOWN;
  }

  /** Returns position and log end. Any thread. */
  ConsumerStatus.PartitionStatus status() {
    return new ConsumerStatus.PartitionStatus(topic, partition, known(), fetch.logEnd());
  }

  /** Sets the position to the offset that a lookup has found. Polling thread. */
  void takeFound() {
    if (position < 0 && fetch.isFound(seeks)) {
      position = fetch.found();
      epoch = fetch.foundEpoch();
      submitted = fetch.isFoundCommitted() ? position : UNKNOWN;
    }
  }

  @Override
  public String toString() {
    return topic + "-" + partition;
  }
}
