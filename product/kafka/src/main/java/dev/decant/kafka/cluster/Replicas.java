package dev.decant.kafka.cluster;

import java.util.List;

/** Node ids of the replicas of a partition. Immutable. */
public final class Replicas {
  private static final int[] NO_NODES = {};

  /** No replica is known. */
  public static final Replicas NONE = new Replicas(NO_NODES, NO_NODES, NO_NODES);

  private final int[] all;
  private final int[] inSync;
  private final int[] offline;

  private Replicas(int[] all, int[] inSync, int[] offline) {
    this.all = all;
    this.inSync = inSync;
    this.offline = offline;
  }

  static Replicas of(List<Integer> all, List<Integer> inSync, List<Integer> offline) {
    return new Replicas(nodes(all), nodes(inSync), nodes(offline));
  }

  private static int[] nodes(List<Integer> ids) {
    return ids.isEmpty() ? NO_NODES : ids.stream().mapToInt(Integer::intValue).toArray();
  }

  /** Returns a copy of all node ids, the preferred leader first. */
  public int[] all() {
    return all.clone();
  }

  /** Returns a copy of the node ids in sync with the leader. */
  public int[] inSync() {
    return inSync.clone();
  }

  /** Returns a copy of the node ids whose brokers are down or whose disks have failed. */
  public int[] offline() {
    return offline.clone();
  }
}
