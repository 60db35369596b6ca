package dev.decant.kafka.group;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.assignor.Assignor;
import dev.decant.kafka.assignor.GroupAssignment;
import dev.decant.kafka.assignor.Ownership;
import dev.decant.kafka.assignor.Subscriber;
import dev.decant.kafka.assignor.TopicLayout;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.telemetry.LastError;
import dev.decant.net.Printable;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Work of the leader of one generation: computes the assignment, and notices when its topics change. Owner of the loop
 * only, except for {@link #assign}.
 */
final class Leadership {
  private final String groupId;
  private final int generation;
  private final Assignor assignor;
  private final List<Subscriber> members;
  /** All topics to which a member subscribes. */
  private final Set<String> topics = new TreeSet<>();
  /** Layouts that the assignment was computed from; null before. */
  private @Nullable Map<String, TopicLayout> layouts;

  Leadership(String groupId, int generation, Assignor assignor, List<Subscriber> members) {
    this.groupId = groupId;
    this.generation = generation;
    this.assignor = assignor;
    this.members = members;
    members.forEach(m -> topics.addAll(m.topics()));
  }

  int generation() {
    return generation;
  }

  /** Returns all topics to which a member subscribes. */
  Set<String> topics() {
    return topics;
  }

  boolean hasAssigned() {
    return layouts != null;
  }

  /** Returns true if the polling thread computes the assignment. */
  boolean runsWithinPoll() {
    return assignor.runsWithinPolls();
  }

  /**
   * Computes the assignment from the layouts of {@link #adopt}, on any thread.
   *
   * @return the bytes for each member
   * @throws KafkaException if the assignor fails, or returns an illegal assignment
   */
  Map<String, ByteBuffer> assign(Map<String, TopicLayout> mine) {
    Map<String, List<TopicPartition>> assignment;
    Map<String, ByteBuffer> userData;
    try {
      GroupAssignment result = assignor.assignWithUserData(Map.copyOf(mine), members);
      assignment = result.partitions();
      userData = result.userData();
      check(assignment, mine);
    } catch (Throwable e) {
      // Also errors: an Error that got through left the leader without a sync, and its group without an assignment.
      throw new KafkaException(ErrorCode.ASSIGNMENT_FAILED,
          "group " + groupId + ", generation " + generation + ": assignor "
              + assignor.name() + " has failed: " + LastError.message(e),
          e);
    }
    Map<String, List<TopicPartition>> safe = assignor.kind() == Assignor.Kind.COOPERATIVE
        ? withoutHandovers(assignment, members)
        : assignment;
    Map<String, ByteBuffer> bytes = new HashMap<>();
    members.forEach(m -> bytes.put(m.memberId(),
        ConsumerProtocol.assignment(safe.getOrDefault(m.memberId(), List.of()),
            userData.getOrDefault(m.memberId(), ByteBuffer.allocate(0)))));
    return bytes;
  }

  /** Remembers the layouts of the members' topics, from which an assignment is or will be computed. */
  Map<String, TopicLayout> adopt(Map<String, TopicLayout> found) {
    Map<String, TopicLayout> mine = of(found);
    layouts = mine;
    return mine;
  }

  /**
   * Removes partitions that another member still owns. The next assignment may include them, after that member has
   * revoked them (KIP-429). It is done here for every cooperative assignor: an application's own one cannot give a
   * partition two readers.
   */
  private static Map<String, List<TopicPartition>> withoutHandovers(Map<String, List<TopicPartition>> assignment,
      List<Subscriber> members) {
    Map<TopicPartition, Subscriber> owners = Ownership.of(members);
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

  private void check(Map<String, List<TopicPartition>> assignment, Map<String, TopicLayout> mine) {
    Set<String> ids = new HashSet<>();
    members.forEach(m -> ids.add(m.memberId()));
    Set<TopicPartition> given = new HashSet<>();
    assignment.forEach((id, partitions) -> {
      if (!ids.contains(id)) {
        throw new IllegalArgumentException("it has given partitions to " + Printable.of(id) + ", which is no member");
      }
      for (TopicPartition p : partitions) {
        TopicLayout layout = mine.get(p.topic());
        if (layout == null ? !assignor.runsWithinPolls() : p.partition() >= layout.partitions()) {
          throw new IllegalArgumentException("it has given " + p + ", which is not there");
        }
        if (!given.add(p)) {
          throw new IllegalArgumentException("it has given " + p + " twice");
        }
      }
    });
  }

  private Map<String, TopicLayout> of(Map<String, TopicLayout> found) {
    Map<String, TopicLayout> mine = new HashMap<>(found);
    mine.keySet().retainAll(topics);
    return mine;
  }

  /** Returns a topic whose number of partitions has changed since the assignment; null if there is none. */
  @Nullable
  String changedTopic(Map<String, TopicLayout> found) {
    Map<String, TopicLayout> before = layouts;
    if (before == null) {
      return null;
    }
    Map<String, TopicLayout> now = of(found);
    for (String topic : topics) {
      if (partitions(before.get(topic)) != partitions(now.get(topic))) {
        return topic;
      }
    }
    return null;
  }

  private static int partitions(@Nullable TopicLayout layout) {
    return layout == null ? 0 : layout.partitions();
  }
}
