package dev.decant.kafka.consumer;

import dev.decant.buffer.Uuid;
import dev.decant.kafka.TopicPartition;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** A partition a consumer reads: where the application is, and where fetching is. */
final class AssignedPartition {
  static final long UNKNOWN = -1;
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

  // Written by the polling thread; other threads read them by known(), and get what was there a moment ago.
  /** Offset of the next record to hand out; -1 if not known yet. */
  long position = UNKNOWN;
  /** Grows with each seek: what was fetched for an earlier one is dropped. */
  int seeks;

  // Polling thread only.
  boolean paused;
  /** The position that was last given to a commit. */
  long submitted = UNKNOWN;

  // Owner of the loop only.
  Uuid topicId = Uuid.ZERO;
  /** Offset to fetch next; -1 if it has to be asked for. */
  long fetchOffset = UNKNOWN;
  /** What to ask for: a special timestamp of ListOffsets, or one in epoch milliseconds. */
  long resetTimestamp;
  /** The group's committed offset comes first; until it is known nobody asks for another. */
  boolean asksCommitted;
  boolean asking;
  boolean fetchPaused;
  /** The number of seeks that {@link #fetchOffset} belongs to. */
  int fetchSeeks;
  long retryAtNanos;
  boolean removed;

  // Written by the owner of the loop, foundSeeks last; read by any thread, foundSeeks first.
  /** The offset that a lookup has found. */
  long found = UNKNOWN;
  /** Whether that is what the group has committed. */
  boolean foundCommitted;
  /** The number of seeks that {@link #found} answers; -1 for none. */
  volatile int foundSeeks = -1;

  /** The number of seeks for which the group has no offset, and none is to be looked for. Written by the loop. */
  volatile int withoutOffset = -1;

  /** Where another thread wants the polling thread to seek to; NONE once it has. */
  private volatile long requested = NONE;

  AssignedPartition(String topic, int partition) {
    this.topic = topic;
    this.partition = partition;
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
    return foundSeeks == (int) SEEKS.getOpaque(this) ? found : UNKNOWN;
  }

  /** Takes over what a lookup has found. Polling thread. */
  void takeFound() {
    if (position < 0 && foundSeeks == seeks) {
      position = found;
      submitted = foundCommitted ? found : UNKNOWN;
    }
  }

  @Override
  public String toString() {
    return topic + "-" + partition;
  }
}
