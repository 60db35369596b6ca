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
 * Each topic by itself, in runs of partitions, the first members with one more where it does not divide evenly. Where
 * racks matter (KIP-881), members first take partitions of their rack within their share; topics with the same members
 * and as many partitions do so together, so that the same numbers stay with the same member.
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

  /** What divides alike. */
  private record Likeness(List<Subscriber> members, int partitions) {}

  @Override
  public Map<String, List<TopicPartition>> assign(Map<String, TopicLayout> topics, List<Subscriber> members) {
    Map<String, List<Subscriber>> readers = new TreeMap<>();
    members.stream().sorted(Subscriber.ORDER)
        .forEach(m -> new LinkedHashSet<>(m.topics())
            .forEach(topic -> readers.computeIfAbsent(topic, key -> new ArrayList<>()).add(m)));
    Map<String, List<TopicPartition>> assignment = new HashMap<>();
    Map<Likeness, List<Division>> alike = new LinkedHashMap<>();
    List<Division> divisions = new ArrayList<>();
    boolean racksMatter = false;
    for (Map.Entry<String, List<Subscriber>> entry : readers.entrySet()) {
      TopicLayout layout = topics.get(entry.getKey());
      if (layout != null && layout.partitions() > 0) {
        Division division = new Division(entry.getKey(), layout, entry.getValue(), assignment);
        divisions.add(division);
        alike.computeIfAbsent(new Likeness(entry.getValue(), layout.partitions()), key -> new ArrayList<>())
            .add(division);
        racksMatter |= division.racksMatter;
      }
    }
    if (racksMatter) {
      alike.values().forEach(RangeAssignor::assignByRack);
    }
    divisions.forEach(division -> division.takeRuns(false));
    if (racksMatter) {
      assignment.values().forEach(list -> list.sort(BY_NAME));
    }
    return assignment;
  }

  private static void assignByRack(List<Division> alike) {
    Division first = alike.getFirst();
    if (alike.size() == 1) {
      if (first.racksMatter) {
        first.takeRuns(true);
      }
      return;
    }
    for (int p = 0; p < first.layout.partitions(); p++) {
      Subscriber taker = together(alike, p);
      if (taker != null) {
        for (Division division : alike) {
          division.give(taker, List.of(p));
        }
      }
    }
  }

  /** The first member that may take a partition of all these topics, each of them in its rack. */
  private static @Nullable Subscriber together(Collection<Division> alike, int partition) {
    for (Subscriber member : alike.iterator().next().members) {
      if (alike.stream().allMatch(d -> d.inRack(member, partition) && d.room(member) > 0)) {
        return member;
      }
    }
    return null;
  }

  /** One topic on its way to its members. */
  private static final class Division {
    private final String topic;
    private final TopicLayout layout;
    private final List<Subscriber> members;
    private final Map<String, List<TopicPartition>> assignment;
    private final boolean racksMatter;
    private final Map<String, Integer> given = new HashMap<>();
    private final Set<Integer> left = new LinkedHashSet<>();
    private final int share;
    private int extra;

    Division(String topic, TopicLayout layout, List<Subscriber> members,
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

    /** Not if no member is where a replica is, nor if every partition is in all racks. */
    private static boolean racksMatter(TopicLayout layout, List<Subscriber> members) {
      Set<String> all = new HashSet<>();
      layout.racks().forEach(all::addAll);
      boolean met = members.stream().anyMatch(m -> m.rack() != null && all.contains(m.rack()));
      return met && !layout.racks().stream().allMatch(all::equals);
    }

    /** Who does not say where it is is near to everything. */
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

    /** Each member in its order takes of the first that are left. */
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
