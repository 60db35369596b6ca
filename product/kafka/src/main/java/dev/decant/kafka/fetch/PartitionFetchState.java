package dev.decant.kafka.fetch;

import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.protocol.Uuid;

/**
 * State of fetching a partition: the next fetch offset, and what is known of the leader. The owner of the loop writes
 * all fields. The polling thread holds the application's position in an object of its own. It reads the {@code public}
 * methods here, and requests changes by tasks for the loop ({@link Fetcher#seek}, {@link Fetcher#pause}).
 *
 * <p>Both sides count seeks. The polling thread counts first and sends its number with the seek. Records and lookups
 * for a lower number are dropped.
 */
public final class PartitionFetchState {
  /** An offset that is not known. */
  public static final long UNKNOWN = -1;
  /** A leader epoch that is not known. */
  public static final int NO_EPOCH = -1;
  private static final int NO_NODE = -1;

  final String topic;
  final int partition;
  /** Id of the topic that {@link #fetchOffset} belongs to; zero while it is not known. */
  Uuid topicId = Uuid.ZERO;
  /** Offset to fetch next; -1 while it has to be looked up. */
  long fetchOffset = UNKNOWN;
  /** Epoch of the leader that appended the record before {@link #fetchOffset}; -1 if not known. */
  int fetchedEpoch = NO_EPOCH;
  /** Epoch of the current leader; -1 if not known. */
  int leaderEpoch = NO_EPOCH;
  /** Leader epoch for which the log was checked up to {@link #fetchOffset} (KIP-320). */
  int checkedEpoch = NO_EPOCH;
  /** Timestamp of the lookup: a special one of ListOffsets, or epoch milliseconds. */
  long resetTimestamp;
  /** True while the group's committed offset is being looked up; no other lookup begins meanwhile. */
  boolean awaitsCommitted;
  /**
   * True after a seek or an assignment between two polls. Nothing is fetched until the next poll, since the application
   * may seek again: a broker holds a fetch at the end of the log, and the fetch after it would wait.
   */
  boolean awaitsPoll;
  /** True while a lookup or an epoch check is in flight. */
  boolean lookupInFlight;
  /** True while the application has paused the partition. */
  boolean paused;
  /** Number of seeks that {@link #fetchOffset} belongs to. */
  int seeks;
  /** True once the partition is no longer assigned: responses that arrive later are dropped. */
  boolean removed;
  /** Version of the metadata whose refusal of the topic was reported last. */
  long refusedIn = -1;
  /** True if the loop has moved {@link #fetchOffset} by itself, and the polling thread has to follow. */
  boolean jumps;
  /** True until {@link #retryAtNanos}, unless new metadata or a connection ends the back-off before. */
  private boolean backingOff;
  private long retryAtNanos;
  /** Follower that the leader has named for reading; -1 for none. Read by any thread. */
  private volatile int readReplica = NO_NODE;
  /** Until when the follower is read from; then the leader may name another one. */
  private long readReplicaUntilNanos;
  /** True until {@link #leaderOnlyUntilNanos}, while the leader gets no rack. */
  private boolean leaderOnly;
  private long leaderOnlyUntilNanos;

  // Result of the last lookup. Read by any thread: foundSeeks is written last and read first, so a thread that sees it
  // also sees the three fields before.
  private long found = UNKNOWN;
  private int foundEpoch = NO_EPOCH;
  private boolean foundCommitted;
  private volatile int foundSeeks = -1;

  /** Number of seeks for which the group has no offset and no lookup is allowed. Read by any thread. */
  private volatile int seeksWithoutOffset = -1;

  /** End of the log for this isolation level. Read by any thread. */
  private volatile long logEnd = UNKNOWN;
  /** Start of the log in the response with {@link #logEnd}, and written before it; -1 if the response had none. */
  private long logStart = UNKNOWN;

  public PartitionFetchState(String topic, int partition) {
    this.topic = topic;
    this.partition = partition;
  }

  public String topic() {
    return topic;
  }

  public int partition() {
    return partition;
  }

  public TopicPartition name() {
    return new TopicPartition(topic, partition);
  }

  /** Returns true if the position of a seek was found; {@link #found} and its companions are valid then. Any thread. */
  public boolean isFound(int atSeeks) {
    return foundSeeks == atSeeks;
  }

  /** Returns the offset that was found. Valid after {@link #isFound}. */
  public long found() {
    return found;
  }

  /** Returns the leader epoch that belongs to {@link #found}; -1 if not known. */
  public int foundEpoch() {
    return foundEpoch;
  }

  /** Returns true if the offset is the group's committed one, false if it was looked up. */
  public boolean isFoundCommitted() {
    return foundCommitted;
  }

  /** Returns true if the group has no offset and no lookup is allowed, until the next seek. Any thread. */
  public boolean isWithoutOffset(int atSeeks) {
    return seeksWithoutOffset == atSeeks;
  }

  /** Returns the log end of the last response; -1 before one. Any thread. */
  public long logEnd() {
    return logEnd;
  }

  /** Returns the distance of a position from the start of the log; -1 if the start is not known. Any thread. */
  public long lead(long position) {
    return logEnd < 0 || logStart < 0 ? UNKNOWN : Math.max(0, position - logStart);
  }

  /** Returns the distance of a position from the end of the log; -1 if the end is not known. Any thread. */
  public long lag(long position) {
    long end = logEnd;
    return end < 0 ? UNKNOWN : Math.max(0, end - position);
  }

  void log(long start, long end) {
    logStart = start;
    logEnd = end;
  }

  /**
   * Returns true if the result of a request is still wanted. Owner of the loop.
   *
   * @param atSeeks number of seeks when the request was sent
   * @return false after another seek, and after the partition was removed
   */
  public boolean isCurrent(int atSeeks) {
    return seeks == atSeeks && !removed;
  }

  /** Continues at the position that was looked up. */
  void foundAt(long offset, int epoch, boolean committed) {
    moveTo(offset, epoch);
    found = offset;
    foundEpoch = epoch;
    foundCommitted = committed;
    foundSeeks = seeks;
  }

  /** Notes that the last seek has no position. */
  void withoutOffset() {
    seeksWithoutOffset = seeks;
  }

  /** Moves to an offset, or for -1 to the result of a lookup. */
  void seek(int toSeeks, long offset, int epoch, long timestamp) {
    seeks = toSeeks;
    moveTo(offset, epoch);
    topicId = Uuid.ZERO; // the position belongs to the topic that exists now
    resetTimestamp = timestamp;
    lookupInFlight = false;
    awaitsCommitted = false;
    foundCommitted = false;
    jumps = false;
    resume();
  }

  /** Looks up another offset because this one has no use; the polling thread will follow. */
  void reset(long timestamp) {
    moveTo(UNKNOWN, NO_EPOCH);
    resetTimestamp = timestamp;
    jumps = true;
    foundCommitted = false;
  }

  /** Holds back requests for this partition. */
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

  /** Ends the back-off. */
  void resume() {
    backingOff = false;
  }

  /** Moves the fetch offset. */
  void moveTo(long offset, int epoch) {
    fetchOffset = offset;
    fetchedEpoch = epoch;
    checkedEpoch = NO_EPOCH;
  }

  /** Sets the leader epoch. The new leader may name another follower, so the former one is dropped. */
  void ledIn(int epoch) {
    if (epoch != leaderEpoch) {
      leaderEpoch = epoch;
      readReplica = NO_NODE;
    }
  }

  /** Returns the follower that is read from; -1 for the leader. Any thread. */
  public int replica() {
    return readReplica;
  }

  /** Returns the follower to read from; -1 for the leader. */
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

  /**
   * Leaves a follower that had no use. For a while the leader gets no rack, so that it does not name the follower
   * again.
   */
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
   * Returns the epoch with which the broker checks the position. A follower gets none: if it lags behind, it would take
   * the position for one that was cut off.
   */
  int sentEpoch() {
    return readsFollower() ? NO_EPOCH : fetchedEpoch;
  }

  @Override
  public String toString() {
    return topic + "-" + partition;
  }
}
