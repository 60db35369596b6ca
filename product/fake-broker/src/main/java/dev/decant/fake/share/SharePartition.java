package dev.decant.fake.share;

import dev.decant.fake.cluster.Broker;
import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Partition;
import dev.decant.fake.cluster.Settings;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.loop.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The records of a partition in a share group, from the first one that is not finished to the last one that was
 * delivered (KIP-932).
 *
 * <pre>
 *   | finished | acquired, available, finished | not delivered yet |
 *              start                         end   end + 1
 * </pre>
 *
 * <p>The leader of the partition keeps this in memory. The share coordinator stores each end of a delivery, and the
 * next leader starts with that: it does not know which records are acquired.
 */
final class SharePartition {
  static final long UNKNOWN = -1;
  private static final String BY_DURATION = "by_duration:";

  private final Cluster cluster;
  private final String groupId;
  private final Partition partition;
  private final TreeMap<Long, InFlightBatch> batches = new TreeMap<>();
  private final Set<Runnable> watchers = new LinkedHashSet<>();
  private final Runnable leaderWatch = this::followLeader;
  private final Timer locks = new Timer(this::endLocks);
  private long nextLockEndMillis;
  private long start;
  private long end;
  private long storedStart = UNKNOWN;
  private int storedDone = (int) UNKNOWN;
  private int storedEpoch;
  /** The broker, in one of its lives, that has this state in its memory; null for none. */
  private @Nullable Host host;

  private record Host(int broker, int incarnation) {}

  SharePartition(Cluster cluster, String groupId, Partition partition) {
    this.cluster = cluster;
    this.groupId = groupId;
    this.partition = partition;
    partition.watch(leaderWatch);
  }

  Partition partition() {
    return partition;
  }

  String groupId() {
    return groupId;
  }

  Settings settings() {
    return cluster.groupSettings(groupId);
  }

  /** Returns the in-flight records, by the first offset of their batches. */
  NavigableMap<Long, InFlightBatch> batches() {
    return batches;
  }

  /** Returns the last batch that begins at an offset or before it, or null. */
  @Nullable
  InFlightBatch floor(long offset) {
    Long first = batches.floorKey(offset);
    return first == null ? null : batches.get(first);
  }

  long start() {
    return start;
  }

  /** Returns the last delivered offset; while nothing is in flight, the next offset to deliver. */
  long end() {
    return end;
  }

  /** Returns the start in the share coordinator; {@link #UNKNOWN} before anything was stored. */
  long storedStart() {
    return storedStart;
  }

  /** Returns the number of finished records behind the stored start. */
  int storedDone() {
    return storedDone;
  }

  int storedEpoch() {
    return storedEpoch;
  }

  int mostDeliveries() {
    return settings().getInt("share.delivery.count.limit");
  }

  int mostLocks() {
    return settings().getInt("share.partition.max.record.locks");
  }

  /** Returns true if a broker has this state in its memory. */
  boolean isAt(Broker broker) {
    return new Host(broker.id(), broker.incarnation()).equals(host);
  }

  /**
   * Loads the state into a leader's memory.
   *
   * @return an error if the first offset of the group cannot be found
   */
  ErrorCode load(Broker leader) {
    if (isAt(leader)) {
      return ErrorCode.NONE;
    }
    if (storedStart == UNKNOWN) {
      long offset = firstOffset();
      if (offset < 0) {
        return ErrorCode.OFFSET_NOT_AVAILABLE;
      }
      batches.clear();
      start = offset;
      end = offset;
    }
    host = new Host(leader.id(), leader.incarnation());
    storedEpoch = partition.leaderEpoch();
    return ErrorCode.NONE;
  }

  /** Returns the start of a group without stored state, by share.auto.offset.reset. */
  private long firstOffset() {
    String reset = settings().get("share.auto.offset.reset");
    if (reset.equals("latest")) {
      return partition.log().highWatermark();
    }
    if (reset.equals("earliest")) {
      return partition.log().logStart();
    }
    Duration ago = Duration.parse(reset.substring(BY_DURATION.length()));
    return partition.log().firstSince(cluster.nowMillis() - ago.toMillis(), partition.log().highWatermark()).offset();
  }

  private void followLeader() {
    Broker leader = cluster.broker(partition.leader());
    if (host != null && (leader == null || !leader.isAlive() || !isAt(leader))) {
      unload();
    }
  }

  /** Drops the state from the broker's memory. */
  void unload() {
    if (host != null) {
      host = null;
      cluster.cancel(locks);
      forgetDeliveries();
      changed();
    }
  }

  /** Drops all but the stored state: ended deliveries, and for the others the number of earlier deliveries. */
  private void forgetDeliveries() {
    List<InFlightBatch> runs = new ArrayList<>();
    batches.values().forEach(batch -> batch.forEachRun(run -> {
      Delivery stored = run.whole().copy();
      stored.forget();
      InFlightBatch before = runs.isEmpty() ? null : runs.getLast();
      if (before != null && before.last() + 1 == run.first() && before.whole().isSame(stored)) {
        runs.set(runs.size() - 1, new InFlightBatch(before.first(), run.last(), stored));
      } else {
        runs.add(new InFlightBatch(run.first(), run.last(), stored));
      }
    }));
    while (!runs.isEmpty() && runs.getLast().whole().isAvailable() && runs.getLast().whole().count() == 0) {
      runs.removeLast();
    }
    batches.clear();
    runs.forEach(run -> batches.put(run.first(), run));
    end = runs.isEmpty() ? start : runs.getLast().last();
  }

  /** Sets the start of the group, or resets it with {@link #UNKNOWN}. The group has no members. */
  void reset(long offset) {
    host = null;
    cluster.cancel(locks);
    batches.clear();
    start = offset;
    end = offset;
    storedStart = offset;
    storedDone = offset == UNKNOWN ? (int) UNKNOWN : 0;
    storedEpoch = 0;
    changed();
  }

  /** Cancels the timer and the watch of a deleted group or topic. */
  void close() {
    host = null;
    cluster.cancel(locks);
    partition.unwatch(leaderWatch);
    changed();
  }

  /** Calls a watcher after changes that allow deliveries, until {@link #unwatch}. */
  void watch(Runnable watcher) {
    watchers.add(watcher);
  }

  void unwatch(Runnable watcher) {
    watchers.remove(watcher);
  }

  void changed() {
    for (Runnable watcher : List.copyOf(watchers)) {
      if (watchers.contains(watcher)) { // an earlier watcher may have ended this one
        watcher.run();
      }
    }
  }

  /** Returns the offset to read at for the next delivery. */
  long nextOffset() {
    if (batches.isEmpty() || start > batches.lastEntry().getValue().last()) {
      return end;
    }
    for (InFlightBatch batch : batches.values()) {
      long offset = batch.firstAvailable();
      if (offset >= 0) {
        return offset;
      }
    }
    return end + 1;
  }

  long inFlight() {
    return batches.isEmpty() ? 0 : end - start + 1;
  }

  /** Returns true if records may be delivered: some are available again, or fewer are in flight than allowed. */
  boolean canAcquire() {
    return nextOffset() != end + 1 || inFlight() < mostLocks();
  }

  /** Records the first delivery of records. */
  void delivered(long from, long to) {
    if (batches.firstKey() == from) {
      start = from;
    }
    end = Math.max(end, to);
  }

  /** Returns when a lock expires that starts now. */
  long lockEndMillis() {
    int millis = settings().getInt("share.record.lock.duration.ms");
    long lockEnd = cluster.nowMillis() + millis;
    if (!locks.isScheduled() || lockEnd < nextLockEndMillis) {
      nextLockEndMillis = lockEnd;
      cluster.schedule(locks, millis);
    }
    return lockEnd;
  }

  private void endLocks() {
    long now = cluster.nowMillis();
    boolean isAny = false;
    nextLockEndMillis = Long.MAX_VALUE;
    for (InFlightBatch batch : batches.values()) {
      isAny |= endDeliveries(batch, delivery -> delivery.isExpired(now));
      for (long offset = batch.first(); offset <= (batch.isSplit() ? batch.last() : batch.first()); offset++) {
        if (batch.at(offset).isAcquired()) {
          nextLockEndMillis = Math.min(nextLockEndMillis, batch.at(offset).lockedUntilMillis());
        }
      }
    }
    if (nextLockEndMillis < Long.MAX_VALUE) {
      cluster.schedule(locks, Math.max(1, nextLockEndMillis - now));
    }
    if (isAny) {
      store();
      changed();
    }
  }

  /** Releases the acquired records of a member whose session has ended. */
  void release(String member) {
    boolean isAny = false;
    for (InFlightBatch batch : batches.values()) {
      isAny |= endDeliveries(batch, delivery -> delivery.isAcquired() && delivery.member().equals(member));
    }
    if (isAny) {
      store();
    }
    changed();
  }

  /** Chooses deliveries of a batch that end. */
  private interface Choice {
    boolean ends(Delivery delivery);
  }

  private boolean endDeliveries(InFlightBatch batch, Choice choice) {
    if (!batch.isSplit() && choice.ends(batch.whole()) && batch.isCutBy(start)) {
      batch.split();
    }
    if (!batch.isSplit()) {
      boolean ends = choice.ends(batch.whole());
      if (ends) {
        batch.whole().end(batch.last() < start ? RecordState.ARCHIVED : RecordState.AVAILABLE, mostDeliveries());
      }
      return ends;
    }
    boolean isAny = false;
    for (long offset = batch.first(); offset <= batch.last(); offset++) {
      Delivery delivery = batch.at(offset);
      if (choice.ends(delivery)) {
        isAny = true;
        delivery.end(offset < start ? RecordState.ARCHIVED : RecordState.AVAILABLE, mostDeliveries());
      }
    }
    return isAny;
  }

  /** Stores the ends of deliveries, and moves the start behind the finished records. */
  void store() {
    storedStart = start;
    storedDone = countDone();
    storedEpoch = partition.leaderEpoch();
    advance();
  }

  /** Returns the number of finished records from the start on. */
  private int countDone() {
    long done = 0;
    for (InFlightBatch batch : batches.values()) {
      if (!batch.isSplit()) {
        done += batch.whole().state().isFinal() ? Math.max(0, batch.last() - Math.max(start, batch.first()) + 1) : 0;
        continue;
      }
      for (long offset = Math.max(start, batch.first()); offset <= batch.last(); offset++) {
        done += batch.at(offset).state().isFinal() ? 1 : 0;
      }
    }
    return (int) done;
  }

  private void advance() {
    InFlightBatch atStart = floor(start);
    if (atStart == null || atStart.last() < start || !atStart.at(start).state().isFinal()) {
      return;
    }
    while (!batches.isEmpty()) {
      InFlightBatch batch = batches.firstEntry().getValue();
      long offset = batch.first();
      while (offset <= batch.last() && batch.at(offset).state().isFinal()) {
        offset = batch.isSplit() ? offset + 1 : batch.last() + 1;
      }
      if (offset <= batch.last()) {
        start = Math.max(start, offset);
        return;
      }
      batches.pollFirstEntry();
      start = Math.max(start, batches.isEmpty() ? offset : batches.firstKey());
    }
    end = start;
  }

  /** Handles a later start of the log: the records before it are not delivered any more. */
  void logStartMoved(long logStart) {
    if (logStart <= start) {
      return;
    }
    archive(start, logStart - 1, batches, RecordState.AVAILABLE);
    start = logStart;
    end = batches.isEmpty() ? start : Math.max(end, start);
  }

  /** Archives available records that the log does not have any more: it was read from one offset to another. */
  void archiveMissing(long fromOffset, long firstFound) {
    if (batches.isEmpty() || fromOffset >= firstFound) {
      return;
    }
    InFlightBatch floor = floor(fromOffset);
    long from = floor != null && floor.last() >= fromOffset ? floor.first() : fromOffset;
    archive(fromOffset, firstFound - 1, batches.subMap(from, true, firstFound, false), RecordState.AVAILABLE);
  }

  /** Archives the records of a range that have a state. */
  void archive(long from, long to, NavigableMap<Long, InFlightBatch> among, RecordState state) {
    for (InFlightBatch batch : among.headMap(to, true).values()) {
      if (!batch.isSplit() && batch.whole().state() != state) {
        continue;
      }
      if (!batch.isSplit() && batch.isWithin(from, to)) {
        batch.whole().archive();
        continue;
      }
      batch.split();
      for (long offset = Math.max(from, batch.first()); offset <= Math.min(to, batch.last()); offset++) {
        if (batch.at(offset).state() == state) {
          batch.at(offset).archive();
        }
      }
    }
  }

  /** Returns the progress of the group. */
  ShareProgress progress() {
    List<ShareProgress.Record> records = new ArrayList<>();
    for (InFlightBatch batch : batches.values()) {
      for (long offset = Math.max(start, batch.first()); offset <= batch.last(); offset++) {
        Delivery delivery = batch.at(offset);
        records.add(new ShareProgress.Record(offset, delivery.state(), delivery.count(), delivery.member()));
      }
    }
    return new ShareProgress(start, storedStart, List.copyOf(records));
  }

  @Override
  public String toString() {
    return groupId + "/" + partition + " from " + start + ": " + batches.values();
  }
}
