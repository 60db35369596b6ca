package dev.decant.kafka.assignor;

import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * The partitions of a topic, with the racks of their replicas.
 *
 * @param racks by partition number; an empty set if brokers do not send racks
 */
public record TopicLayout(List<Set<String>> racks) {
  /** Copies the list. */
  public TopicLayout {
    racks = List.copyOf(Objects.requireNonNull(racks, "racks"));
  }

  /**
   * Returns the number of partitions.
   *
   * @return partitions are numbered from 0
   */
  public int partitions() {
    return racks.size();
  }
}
