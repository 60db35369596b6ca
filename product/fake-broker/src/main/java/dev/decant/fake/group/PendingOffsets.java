package dev.decant.fake.group;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * Offsets of open transactions; the commit of their producer's transaction makes them effective (KIP-98). A producer
 * has one transaction at a time. Owner of the loop only.
 */
final class PendingOffsets {
  /** The offsets by producer id and group. */
  private final Map<Long, Map<String, Map<TopicPartition, GroupOffsets.Entry>>> ofProducers = new HashMap<>();
  /** The producers with offsets here, by group. */
  private final Map<String, Set<Long>> producersOfGroups = new HashMap<>();

  /** Adds offsets to the transaction of a producer; a later offset of a partition replaces an earlier one. */
  void add(long producerId, String groupId, Map<TopicPartition, GroupOffsets.Entry> offsets) {
    if (offsets.isEmpty()) {
      return;
    }
    ofProducers.computeIfAbsent(producerId, id -> new LinkedHashMap<>())
        .computeIfAbsent(groupId, id -> new LinkedHashMap<>()).putAll(offsets);
    producersOfGroups.computeIfAbsent(groupId, id -> new HashSet<>()).add(producerId);
  }

  /** Ends the transaction of a producer, and passes its offsets on by group. */
  void commit(long producerId, BiConsumer<String, Map<TopicPartition, GroupOffsets.Entry>> into) {
    remove(producerId).forEach(into);
  }

  /** Ends the transaction of a producer, and drops its offsets. */
  void abort(long producerId) {
    remove(producerId);
  }

  private Map<String, Map<TopicPartition, GroupOffsets.Entry>> remove(long producerId) {
    Map<String, Map<TopicPartition, GroupOffsets.Entry>> removed = ofProducers.remove(producerId);
    if (removed == null) {
      return Map.of();
    }
    removed.keySet().forEach(groupId -> producersOfGroups.computeIfPresent(groupId, (id, producers) -> {
      producers.remove(producerId);
      return producers.isEmpty() ? null : producers;
    }));
    return removed;
  }

  /**
   * Returns true if an open transaction has an offset for a partition, whose committed offset is then not stable
   * (KIP-447).
   */
  boolean has(String groupId, TopicPartition partition) {
    for (long producerId : producersOfGroups.getOrDefault(groupId, Set.of())) {
      if (ofProducers.getOrDefault(producerId, Map.of()).getOrDefault(groupId, Map.of()).containsKey(partition)) {
        return true;
      }
    }
    return false;
  }

  /** Drops all offsets. */
  void clear() {
    ofProducers.clear();
    producersOfGroups.clear();
  }

  /** Drops the pending offsets for a partition of a group. */
  void forget(String groupId, TopicPartition partition) {
    for (long producerId : producersOfGroups.getOrDefault(groupId, Set.of())) {
      ofProducers.getOrDefault(producerId, Map.of()).getOrDefault(groupId, Map.of()).remove(partition);
    }
  }

  /** Drops the pending offsets for a group. */
  void forget(String groupId) {
    Set<Long> producers = producersOfGroups.remove(groupId);
    if (producers != null) {
      producers.forEach(producerId -> ofProducers.getOrDefault(producerId, new HashMap<>()).remove(groupId));
    }
  }
}
