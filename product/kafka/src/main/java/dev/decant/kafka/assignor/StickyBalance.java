package dev.decant.kafka.assignor;

import dev.decant.kafka.TopicPartition;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Computes one sticky assignment. Each member keeps the partitions that it owns rightfully. Partitions without an owner
 * go to the member with the fewest. Then partitions move, one at a time, from a member to one with at least two less,
 * while there is a pair like that. If the two read different topics, each member of a chain between them passes one
 * partition on.
 *
 * <p>The algorithm ends, since each move makes the sum of the squared counts smaller.
 */
final class StickyBalance {
  /** A member and the partitions it will have. */
  private static final class Holder {
    final Subscriber member;
    final Set<TopicPartition> kept = new HashSet<>();
    final Map<String, LinkedHashSet<TopicPartition>> byTopic = new TreeMap<>();
    int count;

    Holder(Subscriber member) {
      this.member = member;
    }

    void add(TopicPartition p) {
      byTopic.computeIfAbsent(p.topic(), key -> new LinkedHashSet<>()).add(p);
      count++;
    }

    void remove(TopicPartition p) {
      Set<TopicPartition> ofTopic = byTopic.get(p.topic());
      if (ofTopic != null && ofTopic.remove(p)) {
        count--;
      }
    }

    /** Returns the partition to move away first: one that the member did not own before, if there is one. */
    @Nullable
    TopicPartition spare(String topic) {
      TopicPartition last = null;
      for (TopicPartition p : byTopic.getOrDefault(topic, new LinkedHashSet<>())) {
        if (!kept.contains(p)) {
          return p;
        }
        last = p;
      }
      return last;
    }
  }

  /** Ordered by member id, so that every leader computes the same assignment. */
  private final Map<String, Holder> holders = new TreeMap<>();
  private final Map<String, List<Holder>> readers = new TreeMap<>();

  StickyBalance(Map<String, TopicLayout> topics, List<Subscriber> members) {
    members.forEach(m -> holders.put(m.memberId(), new Holder(m)));
    for (Holder holder : holders.values()) {
      for (String topic : new LinkedHashSet<>(holder.member.topics())) {
        TopicLayout layout = topics.get(topic);
        if (layout != null && layout.partitions() > 0) {
          readers.computeIfAbsent(topic, key -> new ArrayList<>()).add(holder);
        }
      }
    }
    Set<TopicPartition> taken = keepOwned(topics);
    giveRest(topics, taken);
    balance();
  }

  Map<String, List<TopicPartition>> assignment() {
    Map<String, List<TopicPartition>> all = new LinkedHashMap<>();
    holders.forEach((id, holder) -> {
      List<TopicPartition> list = new ArrayList<>();
      holder.byTopic.values().forEach(set -> set.stream().sorted(Comparator.comparingInt(TopicPartition::partition))
          .forEach(list::add));
      all.put(id, list);
    });
    return all;
  }

  /** Keeps owned partitions with their members, as {@link Ownership} decides. */
  private Set<TopicPartition> keepOwned(Map<String, TopicLayout> topics) {
    Map<TopicPartition, Subscriber> owners = Ownership.of(holders.values().stream().map(h -> h.member).toList());
    Set<TopicPartition> taken = new HashSet<>();
    for (Holder holder : holders.values()) {
      Set<String> wanted = new HashSet<>(holder.member.topics());
      for (TopicPartition p : holder.member.owned()) {
        TopicLayout layout = topics.get(p.topic());
        if (holder.member.equals(owners.get(p)) && wanted.contains(p.topic()) && layout != null
            && p.partition() < layout.partitions() && taken.add(p)) {
          holder.kept.add(p);
          holder.add(p);
        }
      }
    }
    return taken;
  }

  /** Assigns the rest, topics with the fewest readers first, since the others leave more choice. */
  private void giveRest(Map<String, TopicLayout> topics, Set<TopicPartition> taken) {
    List<String> order = new ArrayList<>(readers.keySet());
    order.sort(Comparator.comparingInt((String topic) -> readers.getOrDefault(topic, List.of()).size()));
    for (String topic : order) {
      List<Holder> able = readers.getOrDefault(topic, List.of());
      TopicLayout layout = topics.get(topic);
      for (int p = 0; layout != null && p < layout.partitions(); p++) {
        TopicPartition partition = new TopicPartition(topic, p);
        if (!taken.contains(partition)) {
          least(able).add(partition);
        }
      }
    }
  }

  private static Holder least(List<Holder> able) {
    Holder least = able.getFirst();
    for (Holder holder : able) {
      least = holder.count < least.count ? holder : least;
    }
    return least;
  }

  private void balance() {
    boolean moved = true;
    while (moved) {
      moved = false;
      List<Holder> byCount = new ArrayList<>(holders.values());
      byCount.sort(Comparator.comparingInt((Holder h) -> -h.count));
      for (Holder rich : byCount) {
        if (relieve(rich)) {
          moved = true;
          break;
        }
      }
    }
  }

  /** A step on the way of a partition from member to member. */
  private record Step(@Nullable Step before, Holder holder, String topic) {}

  private boolean relieve(Holder rich) {
    ArrayDeque<Step> open = new ArrayDeque<>();
    Set<Holder> seen = new HashSet<>(Set.of(rich));
    open.add(new Step(null, rich, ""));
    Step best = null;
    while (!open.isEmpty() && best == null) {
      int width = open.size();
      for (int i = 0; i < width; i++) { // of equally near members, choose the one with the fewest partitions
        Step step = open.remove();
        for (Map.Entry<String, LinkedHashSet<TopicPartition>> entry : step.holder.byTopic.entrySet()) {
          for (Holder next : entry.getValue().isEmpty()
              ? List.<Holder>of()
              : readers.getOrDefault(entry.getKey(), List.of())) {
            if (seen.add(next)) {
              Step reached = new Step(step, next, entry.getKey());
              open.add(reached);
              boolean poor = next.count + 1 < rich.count;
              best = poor && (best == null || next.count < best.holder.count) ? reached : best;
            }
          }
        }
      }
    }
    if (best == null) {
      return false;
    }
    pass(best);
    return true;
  }

  private static void pass(Step to) {
    for (Step step = to; step.before != null; step = step.before) {
      TopicPartition p = step.before.holder.spare(step.topic);
      if (p == null) {
        throw new IllegalStateException("a step over a topic of which there is no partition");
      }
      step.before.holder.remove(p);
      step.holder.add(p);
    }
  }
}
