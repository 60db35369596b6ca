package dev.decant.kafka.cluster;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the last metadata responses said, immutable.
 *
 * @param version grows with every response
 * @param clusterId the cluster's id, null before the first response
 * @param controllerId node id of the broker that takes requests for the controller; -1 if not known
 * @param brokers address by node id
 * @param racks rack by node id; brokers that tell none are not there
 * @param topics by name; topics nobody asked for are not there
 */
public record ClusterSnapshot(long version, @Nullable String clusterId, int controllerId,
    Map<Integer, BrokerAddress> brokers, Map<Integer, String> racks, Map<String, TopicMetadata> topics) {

  static final ClusterSnapshot EMPTY = new ClusterSnapshot(0, null, -1, Map.of(), Map.of(), Map.of());

  /** The same with another leader of a partition that is known. */
  ClusterSnapshot withLeader(TopicMetadata topic, int partition, PartitionMetadata leader) {
    List<PartitionMetadata> partitions = new ArrayList<>(topic.partitions());
    Replicas replicas = partitions.get(partition).replicas();
    partitions.set(partition, new PartitionMetadata(leader.leaderId(), leader.leaderEpoch(), replicas));
    Map<String, TopicMetadata> all = new HashMap<>(topics);
    all.put(topic.name(), new TopicMetadata(topic.name(), topic.id(), topic.error(), List.copyOf(partitions)));
    return new ClusterSnapshot(version + 1, clusterId, controllerId, brokers, racks, Map.copyOf(all));
  }

  /** The same with another address of a broker. */
  ClusterSnapshot withBroker(int nodeId, BrokerAddress address) {
    Map<Integer, BrokerAddress> all = new HashMap<>(brokers);
    all.put(nodeId, address);
    return new ClusterSnapshot(version + 1, clusterId, controllerId, Map.copyOf(all), racks, topics);
  }

  /**
   * A topic.
   *
   * @param name its name
   * @return null if the cluster was not asked yet
   */
  public @Nullable TopicMetadata topic(String name) {
    return topics.get(name);
  }
}
