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
  /** No broker leads the partition. */
  public static final int NO_LEADER = -1;

  private final Topic topic;
  private final int index;
  private final PartitionLog.Shared shared;
  /** Made when somebody looks at it: most partitions of a large cluster are never written to. */
  private @Nullable PartitionLog log;
  private List<Integer> replicas;
  private List<Integer> inSync;
  /** Replicas that a reassignment has added and that it waits for. */
  private List<Integer> adding = List.of();
  /** Replicas that go when the reassignment is done. */
  private List<Integer> removing = List.of();
  private int leader;
  private int leaderEpoch;
  /** The epoch of the last leader, which a log begins with. */
  private int ledEpoch;
  private boolean replicationIsHeld;
  /** Where the copies end of replicas that are not in sync, by broker. */
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

  /** Begins a new partition with those of its replicas that live: the first one leads. */
  void begin(List<Integer> living) {
    boolean isWhole = living.isEmpty() || living.size() == replicas.size();
    inSync = isWhole ? replicas : List.copyOf(living);
    leader = living.isEmpty() ? NO_LEADER : living.getFirst();
  }

  /** The topic. */
  public Topic topic() {
    return topic;
  }

  /** The number. */
  public int index() {
    return index;
  }

  /** The log; {@link #append} and its like change it, so that waiting requests hear of it. */
  public PartitionLog log() {
    PartitionLog made = log;
    if (made == null) {
      made = new PartitionLog(shared);
      made.beginEpoch(ledEpoch);
      log = made;
    }
    return made;
  }

  /** Whether there is a log yet; a partition that nobody has written to or read from saves it. */
  boolean hasLog() {
    return log != null;
  }

  /** Has the records of a log that was copied, and the next epoch after that of its leader. */
  void adopt(PartitionLog copied, int formerEpoch) {
    log = copied;
    leaderEpoch = formerEpoch;
    bumpEpoch();
    grown();
  }

  /** The log if somebody has looked at it; null if nobody has, so that it is empty. */
  public @Nullable PartitionLog usedLog() {
    return log;
  }

  /**
   * The offset after the last record that a replica has. Followers have less than the leader while they are held, or
   * after they were out of sync.
   */
  public long endAt(int broker) {
    if (log == null) {
      return 0;
    }
    long end = replicationIsHeld && broker != leader ? log.highWatermark() : log.logEnd();
    return Math.min(end, ends.getOrDefault(broker, end));
  }

  /** A replica dies that others in sync survive: it copies nothing until it is in sync again. */
  void leave(int broker) {
    Map<Integer, Long> all = new HashMap<>(ends);
    all.put(broker, endAt(broker));
    ends = Map.copyOf(all);
  }

  /** The brokers that have it, the preferred leader first. */
  public List<Integer> replicas() {
    return replicas;
  }

  /** Those of them that have all records. */
  public List<Integer> inSync() {
    return inSync;
  }

  /**
   * Whether too few replicas are in sync for producers with {@code acks=all}. From 3.8 on a topic with fewer replicas
   * than {@code min.insync.replicas} needs all of them, and refused all batches before.
   *
   * @param release the one that the brokers play
   */
  public boolean lacksReplicas(Release release) {
    int least = topic.settings().getInt("min.insync.replicas");
    return inSync.size() < (release.isAtLeast(3, 8) ? Math.min(least, replicas.size()) : least);
  }

  /** The broker that leads it, {@link #NO_LEADER} if none does. */
  public int leader() {
    return leader;
  }

  /** How often the leader or the replicas in sync have changed since the topic was made. */
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

  /** Removes records that later ones of their keys replace; see {@link PartitionLog#compact}. */
  public void compact(long nowMillis) {
    log().compact(topic.settings().getLong("min.compaction.lag.ms"), topic.settings().getLong("delete.retention.ms"),
        nowMillis);
    progressed();
  }

  /** Has the followers copy nothing for now, or again. */
  public void holdReplication(boolean held) {
    replicationIsHeld = held;
    if (!held) {
      grown();
    }
  }

  /** Another leader, or none, with another epoch. */
  public void lead(int broker) {
    leader = broker;
    bumpEpoch();
  }

  /** The same leader with another epoch. */
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

  /** Other replicas in sync. */
  public void inSync(List<Integer> brokers) {
    inSync = List.copyOf(brokers);
    if (!ends.isEmpty()) {
      Map<Integer, Long> others = new HashMap<>(ends);
      others.keySet().removeAll(inSync);
      ends = Map.copyOf(others);
    }
    progressed();
  }

  /** Has a broker be a replica in sync. */
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

  /** Whether the partition is being moved to other replicas (KIP-455). */
  public boolean isReassigning() {
    return !adding.isEmpty() || !removing.isEmpty();
  }

  /** Replicas that a reassignment adds. */
  public List<Integer> addingReplicas() {
    return adding;
  }

  /** Replicas that go when the reassignment is done. */
  public List<Integer> removingReplicas() {
    return removing;
  }

  /** Begins a move to other replicas: until it ends, those that go are replicas as well. */
  void beginReassignment(List<Integer> target) {
    List<Integer> awaited = adding; // by a reassignment that this one replaces
    adding = target.stream().filter(b -> !replicas.contains(b) || awaited.contains(b)).sorted().toList();
    removing = replicas.stream().filter(b -> !target.contains(b)).sorted().toList();
    List<Integer> all = new ArrayList<>(target);
    all.addAll(removing);
    replicas = List.copyOf(all);
  }

  /** Ends a move without some of the replicas. A leader among them has to be replaced by {@link #lead}. */
  void endReassignment(List<Integer> gone) {
    adding = List.of();
    removing = List.of();
    replicas = replicas.stream().filter(b -> !gone.contains(b)).toList();
    Map<Integer, Long> others = new HashMap<>(ends);
    others.keySet().retainAll(replicas);
    ends = Map.copyOf(others);
    inSync(inSync.stream().filter(b -> !gone.contains(b)).toList());
  }

  /** Other replicas. */
  public void replicas(List<Integer> brokers) {
    replicas = List.copyOf(brokers);
  }

  /** Loses all records from an offset on: a replica without them has become the leader. */
  public void truncate(long offset) {
    if (log != null) {
      log.truncate(offset);
    }
    progressed();
  }

  /** Calls a watcher after each change of the log or the leader, until {@link #unwatch}. It may end its watch then. */
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

  /** Tells all that wait for the partition that something has changed; also when it is deleted. */
  void progressed() {
    if (watchers.isEmpty()) {
      return;
    }
    for (Runnable watcher : List.copyOf(watchers)) {
      if (watchers.contains(watcher)) { // else one before it has changed the partition, and ended it
        watcher.run();
      }
    }
  }

  @Override
  public String toString() {
    return topic.name() + "-" + index;
  }
}
