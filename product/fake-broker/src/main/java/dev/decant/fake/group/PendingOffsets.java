package dev.decant.fake.group;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * Offsets of transactions that are open: they count when the transaction of their producer commits (KIP-98). A producer
 * has one transaction at a time. Owner of the loop only.
 */
final class PendingOffsets {
  /** By producer id and group. */
  private final Map<Long, Map<String, Map<TopicPartition, GroupOffsets.Entry>>> ofProducers = new HashMap<>();
  /** By group the producers that have offsets here. */
  private final Map<String, Set<Long>> producersOfGroups = new HashMap<>();

  /** Adds offsets to the transaction of a producer; later ones of a partition replace earlier ones. */
  void add(long producerId, String groupId, Map<TopicPartition, GroupOffsets.Entry> offsets) {
    if (offsets.isEmpty()) {
      return;
    }
    ofProducers.computeIfAbsent(producerId, id -> new LinkedHashMap<>())
        .computeIfAbsent(groupId, id -> new LinkedHashMap<>()).putAll(offsets);
    producersOfGroups.computeIfAbsent(groupId, id -> new HashSet<>()).add(producerId);
  }

  /** Ends the transaction of a producer, and passes on its offsets by group. */
  void commit(long producerId, BiConsumer<String, Map<TopicPartition, GroupOffsets.Entry>> into) {
    remove(producerId).forEach(into);
  }

  /** Ends the transaction of a producer, and forgets its offsets. */
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

  /** Whether a transaction that is open has an offset for a partition: what is committed is not stable (KIP-447). */
  boolean has(String groupId, TopicPartition partition) {
    for (long producerId : producersOfGroups.getOrDefault(groupId, Set.of())) {
      if (ofProducers.getOrDefault(producerId, Map.of()).getOrDefault(groupId, Map.of()).containsKey(partition)) {
        return true;
      }
    }
    return false;
  }

  /** Forgets all. */
  void clear() {
    ofProducers.clear();
    producersOfGroups.clear();
  }

  /** Forgets what is pending for a partition of a group. */
  void forget(String groupId, TopicPartition partition) {
    for (long producerId : producersOfGroups.getOrDefault(groupId, Set.of())) {
      ofProducers.getOrDefault(producerId, Map.of()).getOrDefault(groupId, Map.of()).remove(partition);
    }
  }

  /** Forgets what is pending for a group. */
  void forget(String groupId) {
    Set<Long> producers = producersOfGroups.remove(groupId);
    if (producers != null) {
      producers.forEach(producerId -> ofProducers.getOrDefault(producerId, new HashMap<>()).remove(groupId));
    }
  }
}
