package dev.decant.kafka.cluster;

import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.Uuid;
import java.util.List;

/**
 * The metadata of a topic.
 *
 * @param id its id (KIP-516); zero if unknown
 * @param error NONE, or why there is no metadata
 * @param partitions by partition number
 */
public record TopicMetadata(String name, Uuid id, ErrorCode error, List<PartitionMetadata> partitions) {
  /** Returns the node id of a partition's leader; -1 if there is no leader or no such partition. */
  public int leader(int partition) {
    return partition < partitions.size() ? partitions.get(partition).leaderId() : -1;
  }
}
