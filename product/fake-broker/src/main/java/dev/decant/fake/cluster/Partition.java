package dev.decant.fake.cluster;

import dev.decant.fake.log.AppendException;
import dev.decant.fake.log.Appended;
import dev.decant.fake.log.PartitionLog;
import dev.decant.fake.log.TransactionMarker;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A partition: its replicas, its leader and its log. All replicas in sync share one log, so they have a record as soon
 * as the leader has it, unless a test {@linkplain #holdReplication holds} replication.
 */
public final class Partition {
  /** The leader of a partition that no broker leads. */
  public static final int NO_LEADER = -1;

  private final Topic topic;
  private final int index;
  private final PartitionLog.Shared shared;
  /**
   * The log, created at the first access; null before. Most partitions of a large cluster are never written to: 100,000
   * partitions took 83 MB, most of it for empty logs, and take 12 MB now.
   */
  private @Nullable PartitionLog log;
  private List<Integer> replicas;
  private List<Integer> inSync;
  /** Replicas that a reassignment has added and that are not in sync yet. */
  private List<Integer> adding = List.of();
  /** Replicas that the reassignment will remove. */
  private List<Integer> removing = List.of();
  private int leader;
  private int leaderEpoch;
  /** The epoch of the last leader, with which a new log begins. */
  private int ledEpoch;
  private boolean replicationIsHeld;
  /** For each replica that is not in sync, the end of its copy, by broker. */
  private Map<Integer, Long> ends = Map.of();
  /** Requests that wait for records, for replicas, or for another leader. */
  private Set<Runnable> watchers = Set.of();

  Partition(Topic topic, int index, List<Integer> replicas, PartitionLog.Shared shared) {
    this.topic = topic;
    this.index = index;
    this.replicas = List.copyOf(replicas);
    this.inSync = this.replicas;
    this.leader = this.replicas.getFirst();
    this.shared = shared;
  }

  /** Starts a new partition with its living replicas; the first one leads. */
  void begin(List<Integer> living) {
    boolean isWhole = living.isEmpty() || living.size() == replicas.size();
    inSync = isWhole ? replicas : List.copyOf(living);
    leader = living.isEmpty() ? NO_LEADER : living.getFirst();
  }

  /** Returns the topic. */
  public Topic topic() {
    return topic;
  }

  /** Returns the number. */
  public int index() {
    return index;
  }

  /** Returns the log. Change it through {@link #append} and the other methods here, which inform waiting requests. */
  public PartitionLog log() {
    PartitionLog made = log;
    if (made == null) {
      made = new PartitionLog(shared);
      made.beginEpoch(ledEpoch);
      log = made;
    }
    return made;
  }

  /** Returns true if there is a log; a partition that was never accessed has none. */
  boolean hasLog() {
    return log != null;
  }

  /** Takes over a copied log, with the epoch after its leader's. */
  void adopt(PartitionLog copied, int formerEpoch) {
    log = copied;
    leaderEpoch = formerEpoch;
    bumpEpoch();
    grown();
  }

  /** Returns the log; null if it was never accessed, and is therefore empty. */
  public @Nullable PartitionLog usedLog() {
    return log;
  }

  /**
   * Returns the offset after the last record of a replica. Followers have less than the leader while replication is
   * held, or after they were out of sync.
   */
  public long endAt(int broker) {
    if (log == null) {
      return 0;
    }
    long end = replicationIsHeld && broker != leader ? log.highWatermark() : log.logEnd();
    return Math.min(end, ends.getOrDefault(broker, end));
  }

  /**
   * Removes a dead replica from the replicas in sync, if others remain: its copy stands still until it is in sync
   * again.
   */
  void leave(int broker) {
    Map<Integer, Long> all = new HashMap<>(ends);
    all.put(broker, endAt(broker));
    ends = Map.copyOf(all);
  }

  /** Returns the brokers with a replica, the preferred leader first. */
  public List<Integer> replicas() {
    return replicas;
  }

  /** Returns the replicas that have all records. */
  public List<Integer> inSync() {
    return inSync;
  }

  /**
   * Returns true if too few replicas are in sync for producers with {@code acks=all}. From 3.8 on a topic with fewer
   * replicas than {@code min.insync.replicas} needs all of them; before, it rejected all batches.
   *
   * @param release release that the brokers imitate
   */
  public boolean lacksReplicas(Release release) {
    int least = topic.settings().getInt("min.insync.replicas");
    return inSync.size() < (release.isAtLeast(3, 8) ? Math.min(least, replicas.size()) : least);
  }

  /** Returns the broker that leads the partition, {@link #NO_LEADER} if none does. */
  public int leader() {
    return leader;
  }

  /** Returns the leader epoch: the number of changes of the leader or of the replicas in sync. */
  public int leaderEpoch() {
    return leaderEpoch;
  }

  /** Appends the batch of a Produce request; see {@link PartitionLog#append}. */
  public Appended append(ByteBuffer records, short requestVersion, long nowMillis) throws AppendException {
    Appended appended = log().append(records, requestVersion, leaderEpoch, topic.logSettings(), nowMillis);
    grown();
    return appended;
  }

  /** Appends the end of a transaction; see {@link PartitionLog#appendMarker}. */
  public Appended appendMarker(TransactionMarker marker, long nowMillis) throws AppendException {
    Appended appended = log().appendMarker(marker, leaderEpoch, topic.logSettings(), nowMillis);
    grown();
    return appended;
  }

  private void grown() {
    if (!replicationIsHeld && log != null) {
      log.replicatedTo(log.logEnd());
    }
    progressed();
  }

  /** Deletes the records below an offset; see {@link PartitionLog#deleteBelow}. */
  public void deleteBelow(long offset) throws AppendException {
    log().deleteBelow(offset);
    progressed();
  }

  /** Deletes segments that are too old or too many; see {@link PartitionLog#applyRetention}. */
  public void applyRetention(long nowMillis) {
    try {
      if (log != null && log.applyRetention(topic.retention(), nowMillis)) {
        progressed();
      }
    } catch (AppendException e) {
      throw new IllegalStateException(this + ": retention goes up to the high watermark alone", e);
    }
  }

  /** Removes records that later records of their keys replace; see {@link PartitionLog#compact}. */
  public void compact(long nowMillis) {
    log().compact(topic.settings().getLong("min.compaction.lag.ms"), topic.settings().getLong("delete.retention.ms"),
        nowMillis);
    progressed();
  }

  /** Holds replication, or resumes it. */
  public void holdReplication(boolean held) {
    replicationIsHeld = held;
    if (!held) {
      grown();
    }
  }

  /** Sets another leader, or none, with the next epoch. */
  public void lead(int broker) {
    leader = broker;
    bumpEpoch();
  }

  /** Raises the epoch and keeps the leader. */
  public void bumpEpoch() {
    leaderEpoch++;
    if (leader != NO_LEADER) {
      ledEpoch = leaderEpoch;
      if (log != null) {
        log.beginEpoch(leaderEpoch);
      }
    }
    progressed();
  }

  /** Sets the replicas in sync. */
  public void inSync(List<Integer> brokers) {
    inSync = List.copyOf(brokers);
    if (!ends.isEmpty()) {
      Map<Integer, Long> others = new HashMap<>(ends);
      others.keySet().removeAll(inSync);
      ends = Map.copyOf(others);
    }
    progressed();
  }

  /** Adds a broker to the replicas in sync. */
  public void join(int broker) {
    if (!replicas.contains(broker)) {
      replicas = with(replicas, broker);
    }
    if (!inSync.contains(broker)) {
      inSync(with(inSync, broker));
    }
  }

  private static List<Integer> with(List<Integer> brokers, int one) {
    List<Integer> all = new ArrayList<>(brokers);
    all.add(one);
    return List.copyOf(all);
  }

  /** Returns true while the partition moves to other replicas (KIP-455). */
  public boolean isReassigning() {
    return !adding.isEmpty() || !removing.isEmpty();
  }

  /** Returns the replicas that a reassignment adds. */
  public List<Integer> addingReplicas() {
    return adding;
  }

  /** Returns the replicas that the reassignment will remove. */
  public List<Integer> removingReplicas() {
    return removing;
  }

  /** Starts a move to other replicas; those that it will remove stay replicas until its end. */
  void beginReassignment(List<Integer> target) {
    List<Integer> awaited = adding; // replicas that an earlier, replaced reassignment has added
    adding = target.stream().filter(b -> !replicas.contains(b) || awaited.contains(b)).sorted().toList();
    removing = replicas.stream().filter(b -> !target.contains(b)).sorted().toList();
    List<Integer> all = new ArrayList<>(target);
    all.addAll(removing);
    replicas = List.copyOf(all);
  }

  /** Ends a move and removes replicas. If the leader is among them, call {@link #lead} next. */
  void endReassignment(List<Integer> gone) {
    adding = List.of();
    removing = List.of();
    replicas = replicas.stream().filter(b -> !gone.contains(b)).toList();
    Map<Integer, Long> others = new HashMap<>(ends);
    others.keySet().retainAll(replicas);
    ends = Map.copyOf(others);
    inSync(inSync.stream().filter(b -> !gone.contains(b)).toList());
  }

  /** Sets the replicas. */
  public void replicas(List<Integer> brokers) {
    replicas = List.copyOf(brokers);
  }

  /** Deletes all records from an offset on: a replica without them has become the leader. */
  public void truncate(long offset) {
    if (log != null) {
      log.truncate(offset);
    }
    progressed();
  }

  /**
   * Calls a watcher after each change of the log or the leader, until {@link #unwatch}, which the watcher may call,
   * too.
   */
  public void watch(Runnable watcher) {
    if (watchers.isEmpty()) {
      watchers = new LinkedHashSet<>(watchers);
    }
    watchers.add(watcher);
  }

  /** Ends a watch. */
  public void unwatch(Runnable watcher) {
    if (!watchers.isEmpty()) {
      watchers.remove(watcher);
    }
  }

  /** Calls the watchers after a change, also after the deletion of the partition. */
  void progressed() {
    if (watchers.isEmpty()) {
      return;
    }
    for (Runnable watcher : List.copyOf(watchers)) {
      // An earlier watcher may have changed the partition, and so have ended this one. A fetch that had ended was
      // called again without this check.
      if (watchers.contains(watcher)) {
        watcher.run();
      }
    }
  }

  @Override
  public String toString() {
    return topic.name() + "-" + index;
  }
}
