package dev.decant.fake.api;

import dev.decant.fake.cluster.Cluster;
import dev.decant.kafka.protocol.ErrorCode;
import java.util.List;
import java.util.TreeSet;

/**
 * Checks the replicas that a client has chosen for new partitions, in the order and with the texts of Kafka's
 * controllers.
 */
final class ReplicaAssignments {
  private static final int ANY = -1;

  private ReplicaAssignments() {}

  /** Checks that replicas are registered brokers, each named once. */
  static void check(Cluster cluster, List<Integer> replicas) throws Refusal {
    if (replicas.isEmpty()) {
      throw wrong("The manual partition assignment includes an empty replica list.");
    }
    TreeSet<Integer> seen = new TreeSet<>();
    for (int broker : replicas.stream().sorted().toList()) {
      if (cluster.broker(broker) == null) {
        throw wrong("The manual partition assignment includes broker " + broker
            + ", but no such broker is registered.");
      }
      if (!seen.add(broker)) {
        throw wrong("The manual partition assignment includes the broker " + broker + " more than once.");
      }
    }
  }

  /**
   * Checks the replicas of one new partition.
   *
   * @param replicas brokers that the client has chosen
   * @param replication number of replicas of the other partitions, {@code -1} for the first one
   */
  static void check(Cluster cluster, int partition, List<Integer> replicas, int replication) throws Refusal {
    check(cluster, replicas);
    if (replication != ANY && replicas.size() != replication) {
      throw wrong("The manual partition assignment includes a partition with " + replicas.size()
          + " replica(s), but this is not consistent with previous partitions, which have " + replication
          + " replica(s).");
    }
    if (replicas.stream().noneMatch(cluster::isAlive)) {
      throw wrong("All brokers specified in the manual partition assignment for partition " + partition
          + " are fenced or in controlled shutdown.");
    }
  }

  static Refusal wrong(String message) {
    return new Refusal(ErrorCode.INVALID_REPLICA_ASSIGNMENT, message);
  }
}
