package dev.decant.kafka.group;

import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.assignor.Subscriber;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Who has which partition while a group rebalances, as far as its members say. */
public final class Ownership {
  private Ownership() {}

  /**
   * Owners by partition. A partition that two members of one generation claim has none.
   *
   * @param members all of them
   * @return whose word counts
   */
  public static Map<TopicPartition, Subscriber> of(List<Subscriber> members) {
    Map<TopicPartition, Subscriber> owners = new HashMap<>();
    Set<TopicPartition> disputed = new HashSet<>();
    for (Subscriber member : members) {
      for (TopicPartition p : member.owned()) {
        Subscriber other = owners.get(p);
        if (other == null || other.equals(member) || other.ownedGeneration() < member.ownedGeneration()) {
          owners.put(p, member);
          disputed.remove(p);
        } else if (other.ownedGeneration() == member.ownedGeneration()) {
          disputed.add(p);
        }
      }
    }
    owners.keySet().removeAll(disputed);
    return owners;
  }

  /**
   * Takes out of an assignment what somebody else still has: the next one may give it, when it was given up (KIP-429).
   *
   * @param assignment partitions by member id
   * @param members all of them
   * @return the same, without what changes hands
   */
  static Map<String, List<TopicPartition>> withoutHandovers(Map<String, List<TopicPartition>> assignment,
      List<Subscriber> members) {
    Map<TopicPartition, Subscriber> owners = of(members);
    Set<TopicPartition> claimed = new HashSet<>();
    members.forEach(m -> claimed.addAll(m.owned()));
    Map<String, List<TopicPartition>> safe = new HashMap<>();
    assignment.forEach((id, partitions) -> {
      List<TopicPartition> now = new ArrayList<>();
      for (TopicPartition p : partitions) {
        Subscriber owner = owners.get(p);
        if (owner == null ? !claimed.contains(p) : owner.memberId().equals(id)) {
          now.add(p);
        }
      }
      safe.put(id, now);
    });
    return safe;
  }
}
