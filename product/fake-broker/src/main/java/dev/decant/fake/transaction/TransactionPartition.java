package dev.decant.fake.transaction;

import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Partition;
import dev.decant.fake.cluster.Topic;
import org.jspecify.annotations.Nullable;

/**
 * A partition that a transaction writes to. Coordinators know it by name, so that of a topic that was made again takes
 * the place of the old one.
 *
 * @param topic the topic
 * @param index the number
 */
record TransactionPartition(String topic, int index) {
  static TransactionPartition of(Partition partition) {
    return new TransactionPartition(partition.topic().name(), partition.index());
  }

  /** The partition; null if it does not exist, or no longer. */
  @Nullable
  Partition find(Cluster cluster) {
    Topic named = cluster.topics().named(topic);
    return named == null ? null : named.partition(index);
  }
}
