package dev.decant.kafka.assignor;

import dev.decant.kafka.TopicPartition;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * What a leader gives to the members of its group.
 *
 * @param partitions by member id; a member that is not there gets none, and no partition may be there twice
 * @param userData for {@link Assignor#onAssignment}, by member id; a member that is not there gets no bytes
 */
public record Division(Map<String, List<TopicPartition>> partitions, Map<String, ByteBuffer> userData) {
  /** Copies the maps. */
  public Division {
    partitions = Map.copyOf(Objects.requireNonNull(partitions, "partitions"));
    userData = Map.copyOf(Objects.requireNonNull(userData, "userData"));
  }
}
