package dev.decant.kafka.assignor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.TopicPartition;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.internals.AbstractPartitionAssignor;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.junit.jupiter.api.Test;

/** Compares the client's assignors with Apache's of the same names. */
class AssignorsTest {
  private static final long SEED = System.nanoTime();
  private static final int ROUNDS = 2_000;
  private static final int RACKS = 3;

  private final Random random = new Random(SEED);

  private Map<String, TopicLayout> topics(boolean racks) {
    Map<String, TopicLayout> topics = new HashMap<>();
    for (int t = 1 + random.nextInt(5); t > 0; t--) {
      List<Set<String>> partitions = new ArrayList<>();
      int spread = 1 + random.nextInt(RACKS);
      for (int p = random.nextInt(9); p > 0; p--) {
        Set<String> racksOfPartition = new HashSet<>();
        for (int r = 0; racks && r < spread; r++) {
          racksOfPartition.add("rack-" + random.nextInt(RACKS));
        }
        partitions.add(racksOfPartition);
      }
      topics.put("topic-" + random.nextInt(20), new TopicLayout(partitions));
    }
    return topics;
  }

  private List<Subscriber> members(Set<String> topics, boolean racks) {
    List<Subscriber> members = new ArrayList<>();
    boolean same = random.nextBoolean();
    for (int m = 1 + random.nextInt(6); m > 0; m--) {
      List<String> wanted = new ArrayList<>(topics);
      wanted.add("absent");
      if (!same) {
        wanted.removeIf(topic -> random.nextInt(3) == 0);
      }
      members.add(new Subscriber("member-" + random.nextInt(1_000_000) + "-" + m, random.nextInt(3) == 0
          ? "instance-" + random.nextInt(1_000_000) + "-" + m
          : null, wanted, List.of(), -1,
          racks && random.nextInt(6) > 0 ? "rack-" + random.nextInt(RACKS) : null, ByteBuffer.allocate(0)));
    }
    return members;
  }

  private static Map<String, List<String>> apache(AbstractPartitionAssignor assignor, Map<String, TopicLayout> topics,
      List<Subscriber> members) {
    Map<String, List<PartitionInfo>> infos = new HashMap<>();
    topics.forEach((name, layout) -> {
      List<PartitionInfo> partitions = new ArrayList<>();
      for (int p = 0; p < layout.partitions(); p++) {
        Node[] replicas = layout.racks().get(p).stream().map(rack -> new Node(rack.hashCode(), "h", 1, rack))
            .toArray(Node[]::new);
        partitions.add(new PartitionInfo(name, p, Node.noNode(), replicas, replicas));
      }
      if (!partitions.isEmpty()) {
        infos.put(name, partitions);
      }
    });
    Map<String, Subscription> subscriptions = new HashMap<>();
    for (Subscriber m : members) {
      Subscription subscription = new Subscription(m.topics(), null, m.owned().stream()
          .map(p -> new org.apache.kafka.common.TopicPartition(p.topic(), p.partition())).toList(),
          m.ownedGeneration(), Optional.ofNullable(m.rack()));
      subscription.setGroupInstanceId(Optional.ofNullable(m.instanceId()));
      subscriptions.put(m.memberId(), subscription);
    }
    Map<String, List<String>> texts = new TreeMap<>();
    assignor.assignPartitions(infos, subscriptions).forEach((id, partitions) -> texts.put(id, partitions.stream()
        .map(org.apache.kafka.common.TopicPartition::toString).sorted().toList()));
    return texts;
  }

  private static Map<String, List<String>> ours(Assignor assignor, Map<String, TopicLayout> topics,
      List<Subscriber> members) {
    Map<String, List<String>> texts = new TreeMap<>();
    members.forEach(m -> texts.put(m.memberId(), List.of()));
    assignor.assign(topics, members).forEach((id, partitions) -> texts.put(id, partitions.stream()
        .map(TopicPartition::toString).sorted().toList()));
    return texts;
  }

  @Test
  void rangeGivesWhatApachesGives() {
    for (int i = 0; i < ROUNDS; i++) {
      Map<String, TopicLayout> topics = topics(false);
      List<Subscriber> members = members(topics.keySet(), false);
      assertThat(ours(Assignors.range(), topics, members)).as("seed %d, %s", SEED, topics).isEqualTo(
          apache(new org.apache.kafka.clients.consumer.RangeAssignor(), topics, members));
    }
  }

  @Test
  void rangeGivesWhatApachesGivesWhereRacksAreKnown() {
    int different = 0;
    for (int i = 0; i < ROUNDS; i++) {
      Map<String, TopicLayout> topics = topics(true);
      List<Subscriber> members = members(topics.keySet(), true);
      Map<String, List<String>> ours = ours(Assignors.range(), topics, members);
      assertThat(ours).as("seed %d, %s, %s", SEED, topics, members).isEqualTo(
          apache(new org.apache.kafka.clients.consumer.RangeAssignor(), topics, members));
      Map<String, TopicLayout> rackless = new HashMap<>();
      topics.forEach((name, layout) -> rackless.put(name,
          new TopicLayout(Collections.nCopies(layout.partitions(), Set.of()))));
      different += ours.equals(ours(Assignors.range(), rackless, members)) ? 0 : 1;
    }
    assertThat(different).as("rounds in which racks mattered").isGreaterThan(ROUNDS / 10);
  }

  @Test
  void roundRobinGivesWhatApachesGives() {
    for (int i = 0; i < ROUNDS; i++) {
      Map<String, TopicLayout> topics = topics(false);
      List<Subscriber> members = members(topics.keySet(), false);
      assertThat(ours(Assignors.roundRobin(), topics, members)).as("seed %d, %s", SEED, topics).isEqualTo(
          apache(new org.apache.kafka.clients.consumer.RoundRobinAssignor(), topics, members));
    }
  }

  @Test
  void namesAndKindsAreApaches() {
    for (Assignor ours : List.of(Assignors.range(), Assignors.roundRobin(), Assignors.cooperativeSticky())) {
      ConsumerPartitionAssignor theirs = switch (ours.name()) {
        case "range" -> new org.apache.kafka.clients.consumer.RangeAssignor();
        case "roundrobin" -> new org.apache.kafka.clients.consumer.RoundRobinAssignor();
        default -> new org.apache.kafka.clients.consumer.CooperativeStickyAssignor();
      };
      assertThat(theirs.name()).isEqualTo(ours.name());
      assertThat(theirs.supportedProtocols().stream().anyMatch(p -> p.name().equals(ours.kind().name()))).isTrue();
      assertThat(Assignors.named(theirs.getClass().getName())).isSameAs(ours);
      assertThat(Assignors.named(" " + ours.name())).isSameAs(ours);
    }
    assertThatThrownBy(() -> Assignors.named("fair")).isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("\"fair\" is no assignor: use range, roundrobin, cooperative-sticky");
  }
}
