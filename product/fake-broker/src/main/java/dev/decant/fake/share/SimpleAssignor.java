package dev.decant.fake.share;

import dev.decant.kafka.protocol.Uuid;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Assigns partitions to the members of a share group as Kafka's assignor of that name does: members share partitions if
 * there are more members, and have several if there are more partitions. A member keeps its partitions where possible.
 */
final class SimpleAssignor {
  static final String NAME = "simple";

  private SimpleAssignor() {}

  /**
   * Assigns partitions.
   *
   * @param subscriptions topics of each member
   * @param topics partitions of each topic that may be assigned
   * @param before present partitions of each member
   */
  static Map<String, Set<ShareKey>> assign(Map<String, Set<Uuid>> subscriptions, Map<Uuid, List<Integer>> topics,
      Map<String, Set<ShareKey>> before) {
    Map<String, Set<ShareKey>> after = new LinkedHashMap<>();
    subscriptions.keySet().forEach(member -> after.put(member, new LinkedHashSet<>()));
    Set<Set<Uuid>> different = Set.copyOf(subscriptions.values());
    if (different.size() <= 1) { // all topics at once, so that members have equal numbers
      Set<Uuid> subscribed = new LinkedHashSet<>(topics.keySet());
      // A topic of earlier subscriptions would take the members' room: one of two members that had changed to another
      // topic never had a partition.
      different.forEach(subscribed::retainAll);
      share(List.copyOf(subscriptions.keySet()), keys(subscribed, topics), before, after);
      return after;
    }
    for (Uuid topic : topics.keySet()) {
      List<String> members = subscriptions.entrySet().stream().filter(e -> e.getValue().contains(topic))
          .map(Map.Entry::getKey).toList();
      share(members, keys(Set.of(topic), topics), before, after);
    }
    return after;
  }

  private static List<ShareKey> keys(Set<Uuid> of, Map<Uuid, List<Integer>> topics) {
    List<ShareKey> keys = new ArrayList<>();
    of.forEach(topic -> topics.getOrDefault(topic, List.of()).forEach(p -> keys.add(new ShareKey(topic, p))));
    return keys;
  }

  private static void share(List<String> members, List<ShareKey> partitions, Map<String, Set<ShareKey>> before,
      Map<String, Set<ShareKey>> after) {
    if (members.isEmpty() || partitions.isEmpty()) {
      return;
    }
    int sharing = (members.size() + partitions.size() - 1) / partitions.size();
    double precise = (double) sharing * partitions.size() / members.size();
    Map<String, Integer> room = new LinkedHashMap<>();
    Map<ShareKey, Integer> sharers = new HashMap<>();
    Set<ShareKey> assignable = new HashSet<>(partitions);
    for (int i = 0; i < members.size(); i++) {
      room.put(members.get(i), (int) Math.ceil(precise * (i + 1)) - (int) Math.ceil(precise * i));
    }
    for (String member : members) {
      for (ShareKey kept : before.getOrDefault(member, Set.of())) {
        if (assignable.contains(kept) && room.getOrDefault(member, 0) > 0 && sharers.getOrDefault(kept, 0) < sharing) {
          give(member, kept, room, sharers, after);
        }
      }
    }
    for (ShareKey partition : partitions) {
      fill(partition, sharing, room, sharers, after);
    }
  }

  /** Gives a partition to members that have room for it, those with most room first. */
  private static void fill(ShareKey partition, int sharing, Map<String, Integer> room,
      Map<ShareKey, Integer> sharers, Map<String, Set<ShareKey>> after) {
    while (sharers.getOrDefault(partition, 0) < sharing) {
      String next = null;
      for (Map.Entry<String, Integer> member : room.entrySet()) {
        boolean canTake = member.getValue() > 0 && !after.getOrDefault(member.getKey(), Set.of()).contains(partition);
        if (canTake && (next == null || member.getValue() > room.getOrDefault(next, 0))) {
          next = member.getKey();
        }
      }
      if (next == null) {
        return;
      }
      give(next, partition, room, sharers, after);
    }
  }

  private static void give(String member, ShareKey partition, Map<String, Integer> room,
      Map<ShareKey, Integer> sharers, Map<String, Set<ShareKey>> after) {
    if (after.computeIfAbsent(member, m -> new LinkedHashSet<>()).add(partition)) {
      room.merge(member, -1, Integer::sum);
      sharers.merge(partition, 1, Integer::sum);
    }
  }
}
