package dev.decant.fake.group;

import dev.decant.kafka.protocol.Uuid;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The partitions of a member. Immutable.
 *
 * @param partitions by the ids of their topics
 */
record Assignment(Set<Partition> partitions) {
  static final Assignment NONE = new Assignment(Set.of());

  record Partition(Uuid topicId, int index) {}

  static Assignment of(Collection<Partition> partitions) {
    return new Assignment(Set.copyOf(partitions));
  }

  /** Returns the partitions that are in the other assignment, too. */
  Assignment and(Assignment other) {
    Set<Partition> left = new LinkedHashSet<>(partitions);
    left.retainAll(other.partitions);
    return of(left);
  }

  /** Returns the partitions that are not in the other assignment. */
  Assignment without(Assignment other) {
    Set<Partition> left = new LinkedHashSet<>(partitions);
    left.removeAll(other.partitions);
    return of(left);
  }

  /** Returns the partitions of both assignments. */
  Assignment plus(Assignment other) {
    Set<Partition> all = new LinkedHashSet<>(partitions);
    all.addAll(other.partitions);
    return of(all);
  }

  boolean isEmpty() {
    return partitions.isEmpty();
  }

  /** Returns the numbers by topic, in order. */
  Map<Uuid, List<Integer>> byTopic() {
    Map<Uuid, TreeSet<Integer>> sorted = new LinkedHashMap<>();
    partitions.forEach(p -> sorted.computeIfAbsent(p.topicId(), id -> new TreeSet<>()).add(p.index()));
    Map<Uuid, List<Integer>> lists = new LinkedHashMap<>();
    sorted.forEach((id, indexes) -> lists.put(id, new ArrayList<>(indexes)));
    return lists;
  }
}
