package dev.decant.kafka.assignor;

import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * The partitions of a topic, and the racks of the brokers that have them.
 *
 * @param racks for each partition by its number; an empty set where brokers do not say
 */
public record TopicLayout(List<Set<String>> racks) {
  /** Copies the list. */
  public TopicLayout {
    racks = List.copyOf(Objects.requireNonNull(racks, "racks"));
  }

  /**
   * How many partitions there are.
   *
   * @return they count from 0
   */
  public int partitions() {
    return racks.size();
  }
}
