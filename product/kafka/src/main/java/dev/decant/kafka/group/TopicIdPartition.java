package dev.decant.kafka.group;

import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.protocol.message.ConsumerGroupHeartbeatRequest;
import dev.decant.kafka.protocol.message.ConsumerGroupHeartbeatResponse;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A partition as a group coordinator names it. */
public record TopicIdPartition(Uuid topicId, int partition) {
  /** Checks the number, which a broker has sent. */
  public TopicIdPartition {
    if (partition < 0) {
      throw new IllegalArgumentException("partition " + partition + " of topic " + topicId + " is negative");
    }
  }

  /** Reads an assignment of the broker. */
  static Set<TopicIdPartition> of(ConsumerGroupHeartbeatResponse.Assignment assignment) {
    Set<TopicIdPartition> all = new LinkedHashSet<>();
    for (ConsumerGroupHeartbeatResponse.TopicPartitions topic : assignment.topicPartitions()) {
      for (int partition : topic.partitions()) {
        all.add(new TopicIdPartition(topic.topicId(), partition));
      }
    }
    return all;
  }

  /** Writes the partitions that a member owns. */
  static List<ConsumerGroupHeartbeatRequest.TopicPartitions> toRequest(Collection<TopicIdPartition> owned) {
    Map<Uuid, ConsumerGroupHeartbeatRequest.TopicPartitions> topics = new LinkedHashMap<>();
    for (TopicIdPartition p : owned) {
      topics.computeIfAbsent(p.topicId, id -> new ConsumerGroupHeartbeatRequest.TopicPartitions().topicId(id)
          .partitions(new ArrayList<>())).partitions().add(p.partition);
    }
    return new ArrayList<>(topics.values());
  }

  /** Returns the partitions of the first set that are not in the second. */
  static Set<TopicIdPartition> minus(Set<TopicIdPartition> from, Set<TopicIdPartition> without) {
    Set<TopicIdPartition> left = new LinkedHashSet<>(from);
    left.removeAll(without);
    return left;
  }
}
