package dev.decant.kafka.assignor;

import dev.decant.kafka.TopicPartition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Deals out all partitions in turns, and skips members that do not subscribe to a topic. */
final class RoundRobinAssignor implements Assignor {
  @Override
  public String name() {
    return "roundrobin";
  }

  @Override
  public Kind kind() {
    return Kind.EAGER;
  }

  @Override
  public Map<String, List<TopicPartition>> assign(Map<String, TopicLayout> topics, List<Subscriber> members) {
    List<Subscriber> circle = members.stream().sorted(Subscriber.ORDER).toList();
    List<Set<String>> wanted = new ArrayList<>();
    circle.forEach(member -> wanted.add(new HashSet<>(member.topics())));
    Set<String> all = new TreeSet<>();
    wanted.forEach(all::addAll);
    Map<String, List<TopicPartition>> assignment = new HashMap<>();
    int turn = 0;
    for (String topic : all) {
      TopicLayout layout = topics.get(topic);
      for (int p = 0; layout != null && p < layout.partitions(); p++) {
        while (!wanted.get(turn).contains(topic)) {
          turn = (turn + 1) % circle.size();
        }
        assignment.computeIfAbsent(circle.get(turn).memberId(), key -> new ArrayList<>())
            .add(new TopicPartition(topic, p));
        turn = (turn + 1) % circle.size();
      }
    }
    return assignment;
  }
}
