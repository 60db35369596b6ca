package dev.decant.fake.group;

import dev.decant.fake.cluster.Topic;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Assigns the partitions to the members of a {@link ConsumerGroup}, as the assignors of brokers do. */
enum ServerAssignor {
  /**
   * Gives members numbers of partitions as equal as their subscriptions allow; members keep their partitions where
   * possible.
   */
  UNIFORM {
    @Override
    Map<String, Assignment> assign(Map<String, Set<Topic>> subscriptions, Map<String, Assignment> before) {
      if (areEqual(subscriptions.values())) {
        return shareEqually(subscriptions, before);
      }
      Map<Assignment.Partition, List<String>> readers = new LinkedHashMap<>();
      subscriptions.forEach((member, topics) -> partitionsOf(topics)
          .forEach(p -> readers.computeIfAbsent(p, k -> new ArrayList<>()).add(member)));
      Map<String, Set<Assignment.Partition>> shares = new LinkedHashMap<>();
      subscriptions.keySet().forEach(member -> shares.put(member, new HashSet<>()));
      readers.forEach((partition, members) -> members.stream()
          .filter(m -> before.getOrDefault(m, Assignment.NONE).partitions().contains(partition)).findFirst()
          .ifPresent(m -> shares.getOrDefault(m, new HashSet<>()).add(partition)));
      Set<Assignment.Partition> owned = new HashSet<>();
      shares.values().forEach(owned::addAll);
      readers.forEach((partition, members) -> {
        if (!owned.contains(partition)) {
          share(shares, least(members, shares)).add(partition);
        }
      });
      balance(readers, shares);
      Map<String, Assignment> result = new HashMap<>();
      shares.forEach((member, partitions) -> result.put(member, Assignment.of(partitions)));
      return result;
    }
  },
  /** Gives each member a range of the partitions of each topic. */
  RANGE {
    @Override
    Map<String, Assignment> assign(Map<String, Set<Topic>> subscriptions, Map<String, Assignment> before) {
      Map<Topic, List<String>> readers = new LinkedHashMap<>();
      subscriptions.forEach((member, topics) -> topics
          .forEach(topic -> readers.computeIfAbsent(topic, t -> new ArrayList<>()).add(member)));
      Map<String, Set<Assignment.Partition>> shares = new LinkedHashMap<>();
      subscriptions.keySet().forEach(member -> shares.put(member, new HashSet<>()));
      readers.forEach((topic, members) -> {
        int total = topic.partitions().size();
        int next = 0;
        for (int i = 0; i < members.size(); i++) {
          int size = total / members.size() + (i < total % members.size() ? 1 : 0);
          for (int end = next + size; next < end; next++) {
            share(shares, members.get(i)).add(new Assignment.Partition(topic.id(), next));
          }
        }
      });
      Map<String, Assignment> result = new HashMap<>();
      shares.forEach((member, partitions) -> result.put(member, Assignment.of(partitions)));
      return result;
    }
  };

  /**
   * Assigns the partitions.
   *
   * @param subscriptions topics of each member, in the order in which members joined
   * @param before the assignment before
   */
  abstract Map<String, Assignment> assign(Map<String, Set<Topic>> subscriptions, Map<String, Assignment> before);

  /** Returns the name in settings and requests. */
  String label() {
    return this == UNIFORM ? "uniform" : "range";
  }

  private static List<Assignment.Partition> partitionsOf(Collection<Topic> topics) {
    List<Assignment.Partition> all = new ArrayList<>();
    topics.stream().sorted(Comparator.comparing(Topic::name))
        .forEach(topic -> topic.partitions().forEach(p -> all.add(new Assignment.Partition(topic.id(), p.index()))));
    return all;
  }

  private static boolean areEqual(Collection<Set<Topic>> subscriptions) {
    Set<Topic> first = subscriptions.isEmpty() ? Set.of() : subscriptions.iterator().next();
    return subscriptions.stream().allMatch(first::equals);
  }

  /**
   * Assigns partitions to members that all read the same topics, as in nearly all groups: one pass over members and
   * partitions is enough. The general way multiplies members by partitions for each new member, so a group of a
   * thousand
   * members took minutes to settle.
   */
  private static Map<String, Assignment> shareEqually(Map<String, Set<Topic>> subscriptions,
      Map<String, Assignment> before) {
    if (subscriptions.isEmpty()) {
      return new HashMap<>();
    }
    List<Assignment.Partition> all = partitionsOf(subscriptions.values().iterator().next());
    Map<Assignment.Partition, Integer> order = new HashMap<>();
    all.forEach(partition -> order.put(partition, order.size()));
    Set<Assignment.Partition> free = new LinkedHashSet<>(all);
    int least = free.size() / subscriptions.size();
    int withOneMore = free.size() % subscriptions.size();
    Map<String, List<Assignment.Partition>> shares = new LinkedHashMap<>();
    for (String member : subscriptions.keySet()) {
      List<Assignment.Partition> kept = new ArrayList<>(before.getOrDefault(member, Assignment.NONE).partitions());
      kept.removeIf(partition -> !free.contains(partition));
      kept.sort(Comparator.comparing(order::get)); // the order of a set must not decide which partitions move
      if (kept.size() > least) {
        kept = kept.subList(0, withOneMore > 0 ? least + 1 : least);
        withOneMore -= withOneMore > 0 ? 1 : 0;
      }
      kept.forEach(free::remove);
      shares.put(member, new ArrayList<>(kept));
    }
    Iterator<Assignment.Partition> next = free.iterator();
    for (List<Assignment.Partition> share : shares.values()) {
      while (share.size() < least) {
        share.add(next.next());
      }
      if (share.size() == least && withOneMore > 0) {
        share.add(next.next());
        withOneMore--;
      }
    }
    Map<String, Assignment> result = new HashMap<>();
    shares.forEach((member, partitions) -> result.put(member, Assignment.of(partitions)));
    return result;
  }

  private static Set<Assignment.Partition> share(Map<String, Set<Assignment.Partition>> shares, String member) {
    return shares.computeIfAbsent(member, m -> new HashSet<>());
  }

  private static String least(List<String> members, Map<String, Set<Assignment.Partition>> shares) {
    String best = members.getFirst();
    for (String member : members) {
      if (share(shares, member).size() < share(shares, best).size()) {
        best = member;
      }
    }
    return best;
  }

  /** Moves partitions to members that may have them and have at least two fewer, the last ones first. */
  private static void balance(Map<Assignment.Partition, List<String>> readers,
      Map<String, Set<Assignment.Partition>> shares) {
    List<Map.Entry<Assignment.Partition, List<String>>> lastFirst = new ArrayList<>(readers.entrySet()).reversed();
    boolean moved = true;
    while (moved) { // each move reduces the sum of the squares of the shares, so the loop ends
      moved = false;
      for (Map.Entry<Assignment.Partition, List<String>> entry : lastFirst) {
        String least = least(entry.getValue(), shares);
        for (String owner : entry.getValue()) {
          Set<Assignment.Partition> owned = share(shares, owner);
          if (owned.contains(entry.getKey()) && owned.size() > share(shares, least).size() + 1) {
            owned.remove(entry.getKey());
            share(shares, least).add(entry.getKey());
            moved = true;
            break;
          }
        }
      }
    }
  }
}
