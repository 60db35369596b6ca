package dev.decant.kafka.assignor;

import dev.decant.kafka.TopicPartition;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Finds the owners of partitions during a rebalance, by the subscriptions of the members. */
public final class Ownership {
  private Ownership() {}

  /**
   * Returns the owner of each partition. Of several members that claim it, the one with the newest generation owns it;
   * two of one generation cancel each other out.
   *
   * @param members all of them
   * @return owners by partition
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
