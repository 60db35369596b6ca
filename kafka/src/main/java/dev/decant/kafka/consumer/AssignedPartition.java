package dev.decant.kafka.consumer;

import dev.decant.kafka.ConsumerStatus;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.protocol.Uuid;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** A partition a consumer reads: where the application is, and where fetching is. */
final class AssignedPartition {
  static final long UNKNOWN = -1;
  static final int NO_EPOCH = -1;
  private static final int NO_NODE = -1;
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
  /** Grows with each seek and each pause: a handler that is at work looks whether it may go on. */
  int turns;
  /** Epoch of the leader that has appended the record before the position; -1 if not known. */
  int epoch = NO_EPOCH;
  boolean paused;
  /** The position that was last given to a commit. */
  long submitted = UNKNOWN;

  // Owner of the loop only.
  Uuid topicId = Uuid.ZERO;
  /** Offset to fetch next; -1 if it has to be asked for. */
  long fetchOffset = UNKNOWN;
  /** Epoch of the leader that has appended the record before {@link #fetchOffset}; -1 if not known. */
  int fetchedEpoch = NO_EPOCH;
  /** The epoch of the leader that is known now; -1 if it is not. */
  int leaderEpoch = NO_EPOCH;
  /** The leader's epoch for which the log was seen to have what is before {@link #fetchOffset}. */
  int checkedEpoch = NO_EPOCH;
  /** What to ask for: a special timestamp of ListOffsets, or one in epoch milliseconds. */
  long resetTimestamp;
  /** The group's committed offset comes first; until it is known nobody asks for another. */
  boolean asksCommitted;
  boolean asking;
  boolean fetchPaused;
  /** The number of seeks that {@link #fetchOffset} belongs to. */
  int fetchSeeks;
  boolean removed;
  /** The loop has changed {@link #fetchOffset} by itself, and the polling thread is to follow. */
  boolean jumps;
  private boolean backingOff;
  private long retryAtNanos;
  /** The follower that the leader has named to be read from; -1 for none. */
  private int readReplica = NO_NODE;
  private long readReplicaUntilNanos;
  private boolean leaderOnly;
  private long leaderOnlyUntilNanos;

  // Written by the owner of the loop, foundSeeks last; read by any thread, foundSeeks first.
  /** The offset that a lookup has found. */
  long found = UNKNOWN;
  /** The leader's epoch that goes with it; -1 if not known. */
  int foundEpoch = NO_EPOCH;
  /** Whether that is what the group has committed. */
  boolean foundCommitted;
  /** The number of seeks that {@link #found} answers; -1 for none. */
  volatile int foundSeeks = -1;

  /** Where the log ended for readers like this one, as the last answer said; -1 before one. Written by the loop. */
  volatile long logEnd = UNKNOWN;

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

  /** How it stands. Any thread. */
  ConsumerStatus.PartitionStatus status() {
    return new ConsumerStatus.PartitionStatus(topic, partition, known(), logEnd);
  }

  /** Takes over what a lookup has found. Polling thread. */
  void takeFound() {
    if (position < 0 && foundSeeks == seeks) {
      position = found;
      epoch = foundEpoch;
      submitted = foundCommitted ? found : UNKNOWN;
    }
  }

  /** Nothing is asked of a broker for it until then. Owner of the loop, as all that follows. */
  void backOff(long untilNanos) {
    backingOff = true;
    retryAtNanos = untilNanos;
  }

  boolean backsOff(long nowNanos) {
    backingOff = backingOff && retryAtNanos - nowNanos > 0;
    return backingOff;
  }

  long retryAtNanos() {
    return retryAtNanos;
  }

  void goOn() {
    backingOff = false;
  }

  /** Reading goes on elsewhere. */
  void moveTo(long offset, int epoch) {
    fetchOffset = offset;
    fetchedEpoch = epoch;
    checkedEpoch = NO_EPOCH;
  }

  /** Takes over who leads; another leader may name another follower. */
  void ledIn(int epoch) {
    if (epoch != leaderEpoch) {
      leaderEpoch = epoch;
      readReplica = NO_NODE;
    }
  }

  /** The follower to read from; -1 for the leader. */
  int readReplica(long nowNanos) {
    if (readReplica != NO_NODE && readReplicaUntilNanos - nowNanos <= 0) {
      readReplica = NO_NODE;
    }
    return readReplica;
  }

  boolean readsFollower() {
    return readReplica != NO_NODE;
  }

  void readFrom(int follower, long untilNanos) {
    readReplica = follower;
    readReplicaUntilNanos = untilNanos;
  }

  /** The follower was of no use: for a while the leader is not told of our rack, so that it does not name it again. */
  void readLeaderOnly(long untilNanos) {
    readReplica = NO_NODE;
    leaderOnly = true;
    leaderOnlyUntilNanos = untilNanos;
  }

  boolean readsLeaderOnly(long nowNanos) {
    leaderOnly = leaderOnly && leaderOnlyUntilNanos - nowNanos > 0;
    return leaderOnly;
  }

  /**
   * The epoch by which the broker is to check the position. A follower that lags behind would take it for one that is
   * cut off.
   */
  int sentEpoch() {
    return readsFollower() ? NO_EPOCH : fetchedEpoch;
  }

  @Override
  public String toString() {
    return topic + "-" + partition;
  }
}
