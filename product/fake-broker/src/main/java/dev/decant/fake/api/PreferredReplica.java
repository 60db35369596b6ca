package dev.decant.fake.api;

import dev.decant.fake.cluster.Broker;
import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Partition;

/**
 * The replica that a leader names to a consumer: one in the consumer's rack, if the brokers select by rack and the
 * leader is in another one (KIP-392).
 */
final class PreferredReplica {
  /** The consumer stays with the leader. */
  static final int NONE = -1;
  private static final String BY_RACK = "org.apache.kafka.common.replica.RackAwareReplicaSelector";
  private static final int FIRST_WITH_RACK = 11;

  private final Cluster cluster;
  private final String rack;
  private final int asked;
  private final boolean isSelected;

  PreferredReplica(Cluster cluster, String rack, RequestContext context) {
    this.cluster = cluster;
    this.rack = rack;
    this.asked = context.broker().id();
    this.isSelected = !rack.isEmpty() && context.version() >= FIRST_WITH_RACK
        && cluster.settings().get("replica.selector.class").equals(BY_RACK);
  }

  /** Returns the replica for a partition and an offset; of several the one with the largest id. */
  int of(Partition partition, long offset) {
    if (!isSelected || partition.leader() != asked || isInRack(asked)) {
      return NONE;
    }
    int best = NONE;
    for (int replica : partition.inSync()) {
      boolean has = partition.endAt(replica) >= offset && partition.log().logStart() <= offset;
      if (replica > best && has && isInRack(replica)) {
        best = replica;
      }
    }
    return best;
  }

  private boolean isInRack(int id) {
    Broker broker = cluster.broker(id);
    return broker != null && broker.isAlive() && rack.equals(broker.rack());
  }
}
