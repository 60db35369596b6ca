package dev.decant.kafka.cluster;

import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.Uuid;
import java.util.List;

/**
 * What the cluster says of a topic.
 *
 * @param name its name
 * @param id its id (KIP-516), zero if unknown
 * @param error NONE, or why there is nothing to say
 * @param partitions by partition number
 */
public record TopicMetadata(String name, Uuid id, ErrorCode error, List<PartitionMetadata> partitions) {
  /**
   * The leader of a partition.
   *
   * @param partition its number
   * @return the node id, -1 if there is no leader or no such partition
   */
  public int leader(int partition) {
    return partition < partitions.size() ? partitions.get(partition).leaderId() : -1;
  }
}
