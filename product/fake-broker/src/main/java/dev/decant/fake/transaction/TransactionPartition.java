package dev.decant.fake.transaction;

import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Partition;
import dev.decant.fake.cluster.Topic;
import org.jspecify.annotations.Nullable;

/**
 * A partition of a transaction. Coordinators know it by name, so the partition of a topic that was created again
 * replaces the old one.
 */
record TransactionPartition(String topic, int index) {
  static TransactionPartition of(Partition partition) {
    return new TransactionPartition(partition.topic().name(), partition.index());
  }

  /** Returns the partition; null if it does not exist any more. */
  @Nullable
  Partition find(Cluster cluster) {
    Topic named = cluster.topics().named(topic);
    return named == null ? null : named.partition(index);
  }
}
