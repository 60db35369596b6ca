package dev.decant.kafka.cluster;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The content of the last metadata responses, immutable.
 *
 * @param version grows with every response
 * @param clusterId the cluster's id; null before the first response
 * @param controllerId node id of the broker for requests to the controller; -1 if not known
 * @param brokers addresses by node id
 * @param racks racks by node id, without brokers that have none
 * @param topics topics that were requested, by name
 */
public record ClusterSnapshot(long version, @Nullable String clusterId, int controllerId,
    Map<Integer, BrokerAddress> brokers, Map<Integer, String> racks, Map<String, TopicMetadata> topics) {

  static final ClusterSnapshot EMPTY = new ClusterSnapshot(0, null, -1, Map.of(), Map.of(), Map.of());

  /** Returns a copy with another leader of a known partition. */
  ClusterSnapshot withLeader(TopicMetadata topic, int partition, PartitionMetadata leader) {
    List<PartitionMetadata> partitions = new ArrayList<>(topic.partitions());
    Replicas replicas = partitions.get(partition).replicas();
    partitions.set(partition, new PartitionMetadata(leader.leaderId(), leader.leaderEpoch(), replicas));
    Map<String, TopicMetadata> all = new HashMap<>(topics);
    all.put(topic.name(), new TopicMetadata(topic.name(), topic.id(), topic.error(), List.copyOf(partitions)));
    return new ClusterSnapshot(version + 1, clusterId, controllerId, brokers, racks, Map.copyOf(all));
  }

  /** Returns a copy with another address of a broker. */
  ClusterSnapshot withBroker(int nodeId, BrokerAddress address) {
    Map<Integer, BrokerAddress> all = new HashMap<>(brokers);
    all.put(nodeId, address);
    return new ClusterSnapshot(version + 1, clusterId, controllerId, Map.copyOf(all), racks, topics);
  }

  /** Returns a topic; null if the client has not requested it yet. */
  public @Nullable TopicMetadata topic(String name) {
    return topics.get(name);
  }
}
