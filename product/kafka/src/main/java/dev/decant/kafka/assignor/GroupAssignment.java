package dev.decant.kafka.assignor;

import dev.decant.kafka.TopicPartition;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The assignment that a leader sends to its group.
 *
 * @param partitions by member id; members without an entry get none; no partition may occur twice
 * @param userData for {@link Assignor#onAssignment}, by member id; members without an entry get no bytes
 */
public record GroupAssignment(Map<String, List<TopicPartition>> partitions, Map<String, ByteBuffer> userData) {
  /** Copies the maps. */
  public GroupAssignment {
    partitions = Map.copyOf(Objects.requireNonNull(partitions, "partitions"));
    userData = Map.copyOf(Objects.requireNonNull(userData, "userData"));
  }
}
