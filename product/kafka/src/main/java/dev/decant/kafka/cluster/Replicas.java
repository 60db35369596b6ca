package dev.decant.kafka.cluster;

import java.util.List;

/** Node ids of the replicas of a partition. Immutable. */
public final class Replicas {
  private static final int[] NO_NODES = {};

  /** None is known. */
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

  /**
   * All replicas, the preferred leader first.
   *
   * @return a copy
   */
  public int[] all() {
    return all.clone();
  }

  /**
   * Those in sync with the leader.
   *
   * @return a copy
   */
  public int[] inSync() {
    return inSync.clone();
  }

  /**
   * Those on brokers that are down, or on failed disks.
   *
   * @return a copy
   */
  public int[] offline() {
    return offline.clone();
  }
}
