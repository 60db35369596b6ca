package dev.decant.kafka.assignor;

import dev.decant.kafka.TopicPartition;
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
}
