package dev.decant.kafka.consumer;

import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.fetch.PartitionFetchState;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Where the application is in a partition. Written by the polling thread; the loop has where fetching is in
 * {@link #fetch}.
 */
final class AssignedPartition {
  static final long UNKNOWN = PartitionFetchState.UNKNOWN;
  static final int NO_EPOCH = PartitionFetchState.NO_EPOCH;
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
  /** The loop's half. */
  final PartitionFetchState fetch;

  // Written by the polling thread; other threads read them by known(), and get what was there a moment ago.
  /** Offset of the next record to hand out; -1 if not known yet. */
  long position = UNKNOWN;
  /** Grows with each seek: what was fetched for an earlier one is dropped. */
  int seeks;

  // Polling thread only.
  /** Grows with each seek and each pause: a handler that is at work looks whether it may go on. */
  int turns;
  /** Epoch of the leader that has appended the record before the position; -1 if not known. */
  int epoch = NO_EPOCH;
  boolean paused;
  /** The position that was last given to a commit. */
  long submitted = UNKNOWN;

  /** Where another thread wants the polling thread to seek to; NONE once it has. */
  private volatile long requested = NONE;

  AssignedPartition(String topic, int partition) {
    this.topic = topic;
    this.partition = partition;
    this.fetch = new PartitionFetchState(topic, partition);
  }

  TopicPartition name() {
    return new TopicPartition(topic, partition);
  }

  /** A seek that the polling thread will do; any thread. */
  void request(long offset) {
    requested = offset;
  }

  /** It has been done; polling thread. */
  void requestDone(long offset) {
    if (requested == offset) {
      requested = NONE;
    }
  }

  /** Offset of the next record to hand out; -1 if not known yet. Any thread. */
  long known() {
    long asked = requested;
    if (asked != NONE) {
      return asked;
    }
    long at = (long) POSITION.getOpaque(this);
    if (at >= 0) {
      return at;
    }
    return fetch.isFound((int) SEEKS.getOpaque(this)) ? fetch.found() : UNKNOWN;
  }

  /** How it stands. Any thread. */
  ConsumerStatus.PartitionStatus status() {
    return new ConsumerStatus.PartitionStatus(topic, partition, known(), fetch.logEnd());
  }

  /** Takes over what a lookup has found. Polling thread. */
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
