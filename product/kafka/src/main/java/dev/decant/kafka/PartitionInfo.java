package dev.decant.kafka;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A partition and its brokers, as one broker reports them.
 *
 * @param topic the topic
 * @param partition its number
 * @param leader takes and serves its records; null if there is none now
 * @param replicas all brokers with a replica
 * @param inSync the replicas that have all committed records
 * @param offline the replicas that are down now
 */
public record PartitionInfo(String topic, int partition, @Nullable Broker leader, List<Broker> replicas,
    List<Broker> inSync, List<Broker> offline) {
  /** Copies the lists. */
  public PartitionInfo {
    Objects.requireNonNull(topic, "topic");
    replicas = List.copyOf(Objects.requireNonNull(replicas, "replicas"));
    inSync = List.copyOf(Objects.requireNonNull(inSync, "inSync"));
    offline = List.copyOf(Objects.requireNonNull(offline, "offline"));
  }
}
