package dev.decant.kafka.consumer;

import dev.decant.buffer.Uuid;

/** A partition a consumer reads: where the application is, and where fetching is. */
final class AssignedPartition {
  static final long UNKNOWN = -1;

  final String topic;
  final int partition;

  // Polling thread only.
  /** Offset of the next record to hand out; -1 if not known yet. */
  long position = UNKNOWN;
  /** Grows with each seek: what was fetched for an earlier one is dropped. */
  int seeks;

  // Owner of the loop only.
  Uuid topicId = Uuid.ZERO;
  /** Offset to fetch next; -1 if it has to be asked for. */
  long fetchOffset = UNKNOWN;
  /** What to ask for: a special timestamp of ListOffsets. */
  long resetTimestamp;
  boolean asking;
  /** The number of seeks that {@link #fetchOffset} belongs to. */
  int fetchSeeks;
  long retryAtNanos;
  boolean removed;

  // Written by the owner of the loop, foundSeeks last; read by the polling thread, foundSeeks first.
  /** The offset that a lookup has found. */
  long found = UNKNOWN;
  /** The number of seeks that {@link #found} answers; -1 for none. */
  volatile int foundSeeks = -1;

  AssignedPartition(String topic, int partition) {
    this.topic = topic;
    this.partition = partition;
  }

  @Override
  public String toString() {
    return topic + "-" + partition;
  }
}
