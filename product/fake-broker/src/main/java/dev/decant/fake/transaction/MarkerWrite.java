package dev.decant.fake.transaction;

import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Partition;
import dev.decant.fake.cluster.Topics;
import dev.decant.fake.group.GroupCoordinator;
import dev.decant.fake.log.AppendException;
import dev.decant.fake.log.TransactionMarker;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes the markers that end a transaction, at once where possible. A partition without a leader, or with too few
 * replicas in sync, gets its marker later; a partition of a deleted topic gets none. The transaction is complete when
 * all replicas in sync have all markers.
 */
final class MarkerWrite implements Runnable {
  private static final Append NONE = new Append(-1, -1);

  private final Cluster cluster;
  private final TransactionMarker marker;
  private final GroupCoordinator groups;
  private final Runnable done;
  /** The partitions that lack the marker, with the append if a leader has it. */
  private final Map<TransactionPartition, Append> waiting = new LinkedHashMap<>();
  private final List<Partition> watched = new ArrayList<>();
  /**
   * True during a pass over the partitions. An append calls watchers, this one, too: it must repeat the pass then, not
   * start a nested one.
   */
  private boolean isLooking;
  private boolean hasFailed;

  /** An append of the marker: the offset after it, and the epoch of the leader that has it. */
  private record Append(long endOffset, int leaderEpoch) {}

  MarkerWrite(Cluster cluster, TransactionMarker marker, GroupCoordinator groups, Runnable done) {
    this.cluster = cluster;
    this.marker = marker;
    this.groups = groups;
    this.done = done;
  }

  void start(Collection<TransactionPartition> partitions) {
    partitions.forEach(partition -> waiting.put(partition, NONE));
    run();
    if (!hasFailed) {
      for (TransactionPartition one : waiting.keySet()) {
        Partition partition = one.find(cluster);
        if (partition != null) {
          watched.add(partition);
          partition.watch(this);
        }
      }
    }
  }

  /** Continues after a change of one of the partitions. */
  @Override
  public void run() {
    if (isLooking || hasFailed) {
      return;
    }
    isLooking = true;
    for (Iterator<Map.Entry<TransactionPartition, Append>> all = waiting.entrySet().iterator(); all.hasNext();) {
      if (isWritten(all.next())) {
        all.remove();
      }
    }
    isLooking = false;
    if (waiting.isEmpty() || hasFailed) {
      watched.forEach(partition -> partition.unwatch(this));
      watched.clear();
    }
    if (waiting.isEmpty()) {
      done.run();
    }
  }

  private boolean isWritten(Map.Entry<TransactionPartition, Append> entry) {
    Partition partition = entry.getKey().find(cluster);
    if (partition == null) {
      return true;
    }
    // A new leader may lack a marker that the old one has not replicated, for example after an unclean election: it
    // gets another one. Without it the transaction would stay open in that log.
    boolean isAppended = entry.getValue().endOffset() <= partition.log().highWatermark()
        || entry.getValue().leaderEpoch() == partition.leaderEpoch();
    if ((entry.getValue().equals(NONE) || !isAppended) && !append(partition, entry)) {
      return false;
    }
    if (partition.log().highWatermark() < entry.getValue().endOffset()) {
      return false;
    }
    if (partition.topic().name().equals(Topics.OFFSETS)) {
      groups.endTransaction(marker.producerId(), marker.isCommit());
    }
    return true;
  }

  private boolean append(Partition partition, Map.Entry<TransactionPartition, Append> entry) {
    boolean hasRoom = cluster.hasRoom(partition);
    while (!hasRoom) { // the next replica in sync leads now, or none does
      hasRoom = cluster.hasRoom(partition);
    }
    if (partition.leader() == Partition.NO_LEADER
        || partition.lacksReplicas(cluster.release())) {
      return false;
    }
    try {
      entry.setValue(new Append(partition.appendMarker(marker, cluster.nowMillis()).endOffset(),
          partition.leaderEpoch()));
      return true;
    } catch (AppendException e) {
      // A marker of a later epoch was written (WriteTxnMarkers). Kafka's coordinators stop here, and the transaction
      // stays prepared.
      hasFailed = true;
      return false;
    }
  }
}
