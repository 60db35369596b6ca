package dev.decant.kafka.cluster;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the last metadata answers said, immutable.
 *
 * @param version grows with every answer
 * @param clusterId the cluster's id, null before the first answer
 * @param brokers address by node id
 * @param topics by name; topics nobody asked for are not there
 */
public record ClusterSnapshot(long version, @Nullable String clusterId, Map<Integer, BrokerAddress> brokers,
    Map<String, TopicMetadata> topics) {

  static final ClusterSnapshot EMPTY = new ClusterSnapshot(0, null, Map.of(), Map.of());

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
