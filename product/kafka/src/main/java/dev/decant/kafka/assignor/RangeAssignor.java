package dev.decant.kafka.assignor;

import dev.decant.kafka.TopicPartition;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Assigns each topic by itself, in runs of partitions; if the number does not divide evenly, the first members get one
 * more. If racks matter (KIP-881), members first take partitions of their rack within their share. Topics with the same
 * members and number of partitions are assigned together, so that each member has the same numbers of all.
 */
final class RangeAssignor implements Assignor {
  private static final Comparator<TopicPartition> BY_NAME = Comparator.comparing(TopicPartition::topic)
      .thenComparingInt(TopicPartition::partition);

  @Override
  public String name() {
    return "range";
  }

  @Override
  public Kind kind() {
    return Kind.EAGER;
  }

  /** Topics with equal values are assigned together. */
  private record Likeness(List<Subscriber> members, int partitions) {}

  @Override
  public Map<String, List<TopicPartition>> assign(Map<String, TopicLayout> topics, List<Subscriber> members) {
    Map<String, List<Subscriber>> readers = new TreeMap<>();
    members.stream().sorted(Subscriber.ORDER)
        .forEach(m -> new LinkedHashSet<>(m.topics())
            .forEach(topic -> readers.computeIfAbsent(topic, key -> new ArrayList<>()).add(m)));
    Map<String, List<TopicPartition>> assignment = new HashMap<>();
    Map<Likeness, List<TopicShare>> alike = new LinkedHashMap<>();
    List<TopicShare> topicShares = new ArrayList<>();
    boolean racksMatter = false;
    for (Map.Entry<String, List<Subscriber>> entry : readers.entrySet()) {
      TopicLayout layout = topics.get(entry.getKey());
      if (layout != null && layout.partitions() > 0) {
        TopicShare topicShare = new TopicShare(entry.getKey(), layout, entry.getValue(), assignment);
        topicShares.add(topicShare);
        alike.computeIfAbsent(new Likeness(entry.getValue(), layout.partitions()), key -> new ArrayList<>())
            .add(topicShare);
        racksMatter |= topicShare.racksMatter;
      }
    }
    if (racksMatter) {
      alike.values().forEach(RangeAssignor::assignByRack);
    }
    topicShares.forEach(topicShare -> topicShare.takeRuns(false));
    if (racksMatter) {
      assignment.values().forEach(list -> list.sort(BY_NAME));
    }
    return assignment;
  }

  private static void assignByRack(List<TopicShare> alike) {
    TopicShare first = alike.getFirst();
    if (alike.size() == 1) {
      if (first.racksMatter) {
        first.takeRuns(true);
      }
      return;
    }
    for (int p = 0; p < first.layout.partitions(); p++) {
      Subscriber taker = together(alike, p);
      if (taker != null) {
        for (TopicShare topicShare : alike) {
          topicShare.give(taker, List.of(p));
        }
      }
    }
  }

  /**
   * Returns the first member that may take a partition of all these topics, each of them in its rack; null if there is
   * none.
   */
  private static @Nullable Subscriber together(Collection<TopicShare> alike, int partition) {
    for (Subscriber member : alike.iterator().next().members) {
      if (alike.stream().allMatch(d -> d.inRack(member, partition) && d.room(member) > 0)) {
        return member;
      }
    }
    return null;
  }

  /** One topic while it is being assigned. */
  private static final class TopicShare {
    private final String topic;
    private final TopicLayout layout;
    private final List<Subscriber> members;
    private final Map<String, List<TopicPartition>> assignment;
    private final boolean racksMatter;
    private final Map<String, Integer> given = new HashMap<>();
    private final Set<Integer> left = new LinkedHashSet<>();
    private final int share;
    private int extra;

    TopicShare(String topic, TopicLayout layout, List<Subscriber> members,
        Map<String, List<TopicPartition>> assignment) {
      this.topic = topic;
      this.layout = layout;
      this.members = members;
      this.assignment = assignment;
      this.share = layout.partitions() / members.size();
      this.extra = layout.partitions() % members.size();
      this.racksMatter = racksMatter(layout, members);
      for (int p = 0; p < layout.partitions(); p++) {
        left.add(p);
      }
    }

    /** Returns false if no member is in the rack of a replica, or if every partition has replicas in all racks. */
    private static boolean racksMatter(TopicLayout layout, List<Subscriber> members) {
      Set<String> all = new HashSet<>();
      layout.racks().forEach(all::addAll);
      boolean met = members.stream().anyMatch(m -> m.rack() != null && all.contains(m.rack()));
      return met && !layout.racks().stream().allMatch(all::equals);
    }

    /** Returns true if a replica is in the member's rack. A member without a rack is near to all replicas. */
    private boolean inRack(Subscriber member, int partition) {
      return member.rack() == null || layout.racks().get(partition).contains(member.rack());
    }

    private int room(Subscriber member) {
      return share + (extra > 0 ? 1 : 0) - given.getOrDefault(member.memberId(), 0);
    }

    private void give(Subscriber member, List<Integer> partitions) {
      List<TopicPartition> list = assignment.computeIfAbsent(member.memberId(), key -> new ArrayList<>());
      partitions.forEach(p -> list.add(new TopicPartition(topic, p)));
      partitions.forEach(left::remove);
      if (given.merge(member.memberId(), partitions.size(), Integer::sum) > share) {
        extra--;
      }
    }

    /** Gives each member in order the first partitions that are left, within its share. */
    private void takeRuns(boolean onlyInRack) {
      for (Subscriber member : members) {
        List<Integer> run = left.stream().filter(p -> !onlyInRack || inRack(member, p))
            .limit(Math.max(0, room(member))).toList();
        if (!run.isEmpty()) {
          give(member, run);
        }
      }
    }
  }
}
