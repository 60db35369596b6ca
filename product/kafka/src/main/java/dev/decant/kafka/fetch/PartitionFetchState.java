package dev.decant.kafka.fetch;

import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.protocol.Uuid;

/**
 * Where the fetching of a partition stands: the offset to fetch next, and what is known of its leader. The owner of the
 * loop writes all of it. The polling thread has the position of the application in an object of its own; it reads what
 * is {@code public} here, and changes it by a task for the loop ({@link Fetcher#seek}, {@link Fetcher#pause}).
 *
 * <p>Both sides count seeks. The polling thread counts first and sends its number with the seek. What was fetched or
 * found for a lower number is dropped.
 */
public final class PartitionFetchState {
  /** An offset that is not known. */
  public static final long UNKNOWN = -1;
  /** A leader epoch that is not known. */
  public static final int NO_EPOCH = -1;
  private static final int NO_NODE = -1;

  final String topic;
  final int partition;
  Uuid topicId = Uuid.ZERO;
  /** Offset to fetch next; -1 if it has to be looked up. */
  long fetchOffset = UNKNOWN;
  /** Epoch of the leader that has appended the record before {@link #fetchOffset}; -1 if not known. */
  int fetchedEpoch = NO_EPOCH;
  /** The epoch of the leader that is known now; -1 if it is not. */
  int leaderEpoch = NO_EPOCH;
  /** The leader's epoch for which the log was seen to have what is before {@link #fetchOffset}. */
  int checkedEpoch = NO_EPOCH;
  /** What to look up: a special timestamp of ListOffsets, or one in epoch milliseconds. */
  long resetTimestamp;
  /** The group's committed offset comes first; until it is known no other one is looked up. */
  boolean awaitsCommitted;
  /**
   * The application has sought between two polls, and may seek again before the next one. Nothing is fetched until
   * then: a broker holds a fetch at the end of the log, and the fetch of the last seek would have to wait for that.
   */
  boolean awaitsPoll;
  /** A lookup or a check is in flight. */
  boolean asking;
  boolean paused;
  /** The number of seeks that {@link #fetchOffset} belongs to. */
  int seeks;
  boolean removed;
  /** Version of the cluster's snapshot whose refusal of the topic was told last. */
  long refusedIn = -1;
  /** The loop has changed {@link #fetchOffset} by itself, and the polling thread is to follow. */
  boolean jumps;
  private boolean backingOff;
  private long retryAtNanos;
  /** The follower that the leader has named to be read from; -1 for none. Read by any thread. */
  private volatile int readReplica = NO_NODE;
  private long readReplicaUntilNanos;
  private boolean leaderOnly;
  private long leaderOnlyUntilNanos;

  // Read by any thread. The loop writes foundSeeks last, and readers read it first: who sees it sees the three others.
  private long found = UNKNOWN;
  private int foundEpoch = NO_EPOCH;
  private boolean foundCommitted;
  private volatile int foundSeeks = -1;

  /** The number of seeks for which the group has no offset, and none is to be looked up. Read by any thread. */
  private volatile int seeksWithoutOffset = -1;

  /** Where the log ends for readers like this one. Read by any thread. */
  private volatile long logEnd = UNKNOWN;
  /** Where the log began, as the response with {@link #logEnd} said. Written before that; -1 if it did not say. */
  private long logStart = UNKNOWN;

  /**
   * Begins with nothing known.
   *
   * @param topic its name
   * @param partition its number
   */
  public PartitionFetchState(String topic, int partition) {
    this.topic = topic;
    this.partition = partition;
  }

  /**
   * The topic.
   *
   * @return its name
   */
  public String topic() {
    return topic;
  }

  /**
   * The partition.
   *
   * @return its number
   */
  public int partition() {
    return partition;
  }

  /**
   * Topic and number.
   *
   * @return a new object
   */
  public TopicPartition name() {
    return new TopicPartition(topic, partition);
  }

  /**
   * Tells whether a position was found for the last seek; {@link #found} and the others may be read then. Any thread.
   *
   * @param atSeeks the number of seeks
   * @return true if it was
   */
  public boolean isFound(int atSeeks) {
    return foundSeeks == atSeeks;
  }

  /**
   * The offset that was found.
   *
   * @return valid after {@link #isFound}
   */
  public long found() {
    return found;
  }

  /**
   * The leader's epoch that goes with it.
   *
   * @return -1 if not known
   */
  public int foundEpoch() {
    return foundEpoch;
  }

  /**
   * Tells whether the offset that was found is what the group has committed.
   *
   * @return false if it was looked up
   */
  public boolean isFoundCommitted() {
    return foundCommitted;
  }

  /**
   * Tells whether the group has no offset, and none is to be looked up. Any thread.
   *
   * @param atSeeks the number of seeks
   * @return true until the next seek
   */
  public boolean isWithoutOffset(int atSeeks) {
    return seeksWithoutOffset == atSeeks;
  }

  /**
   * Where the log ended for readers like this one, as the last response said. Any thread.
   *
   * @return -1 before a response
   */
  public long logEnd() {
    return logEnd;
  }

  /**
   * How far a position is behind the start of the log, as the last response said. Any thread.
   *
   * @param position an offset
   * @return -1 if the start is not known
   */
  public long lead(long position) {
    return logEnd < 0 || logStart < 0 ? UNKNOWN : Math.max(0, position - logStart);
  }

  /**
   * How far a position is before the end of the log. Any thread.
   *
   * @param position an offset
   * @return -1 if the end is not known
   */
  public long lag(long position) {
    long end = logEnd;
    return end < 0 ? UNKNOWN : Math.max(0, end - position);
  }

  void log(long start, long end) {
    logStart = start;
    logEnd = end;
  }

  /**
   * Tells whether what was asked for at a number of seeks is still wanted. Owner of the loop.
   *
   * @param atSeeks the number of seeks at that time
   * @return false after a seek, or when the partition is not assigned any more
   */
  public boolean isCurrent(int atSeeks) {
    return seeks == atSeeks && !removed;
  }

  /** The position of the last seek is known: reading goes on there. */
  void foundAt(long offset, int epoch, boolean committed) {
    moveTo(offset, epoch);
    found = offset;
    foundEpoch = epoch;
    foundCommitted = committed;
    foundSeeks = seeks;
  }

  /** There is no position for the last seek. */
  void withoutOffset() {
    seeksWithoutOffset = seeks;
  }

  /** The application goes elsewhere: to an offset, or at -1 to where a lookup says. */
  void seek(int toSeeks, long offset, int epoch, long timestamp) {
    seeks = toSeeks;
    moveTo(offset, epoch);
    topicId = Uuid.ZERO; // the position is one of the topic that is there now
    resetTimestamp = timestamp;
    asking = false;
    awaitsCommitted = false;
    foundCommitted = false;
    jumps = false;
    resume();
  }

  /** The fetch offset is of no use: a lookup says where reading goes on, and the polling thread follows. */
  void reset(long timestamp) {
    moveTo(UNKNOWN, NO_EPOCH);
    resetTimestamp = timestamp;
    jumps = true;
    foundCommitted = false;
  }

  /** Nothing is asked of a broker for it until then. */
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

  /**
   * The follower that is read from. Any thread.
   *
   * @return its id; -1 for the leader
   */
  public int replica() {
    return readReplica;
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
