package dev.decant.kafka;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A partition and the brokers that have it, as one broker said.
 *
 * @param topic the topic
 * @param partition its number
 * @param leader takes and serves its records; null if there is none now
 * @param replicas all that are to have its records
 * @param inSync those of them that have all that is committed
 * @param offline those of them that are not there now
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
