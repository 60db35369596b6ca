package dev.decant.kafka.apache;

import dev.decant.kafka.GroupMetadata;
import dev.decant.kafka.assignor.Assignor;
import dev.decant.kafka.assignor.GroupAssignment;
import dev.decant.kafka.assignor.Subscriber;
import dev.decant.kafka.assignor.TopicLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupSubscription;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.RebalanceProtocol;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Adapts an assignor of Apache's or of the application to Decant's interface. The polling thread calls it, so an
 * assignor that blocks delays only this consumer, and heartbeats continue.
 */
final class AssignorAdapter implements Assignor {
  private static final byte[] NOTHING = {};

  private final ConsumerPartitionAssignor assignor;

  AssignorAdapter(ConsumerPartitionAssignor assignor) {
    this.assignor = assignor;
  }

  @Override
  public String name() {
    return assignor.name();
  }

  @Override
  public Kind kind() {
    return assignor.supportedProtocols().contains(RebalanceProtocol.COOPERATIVE) ? Kind.COOPERATIVE : Kind.EAGER;
  }

  /**
   * Returns true, as Apache's consumer behaves: Kafka Streams locks directories for the thread that calls its assignor,
   * and waits for topics there.
   */
  @Override
  public boolean runsWithinPolls() {
    return true;
  }

  @Override
  public Map<String, List<dev.decant.kafka.TopicPartition>> assign(Map<String, TopicLayout> topics,
      List<Subscriber> members) {
    return assignWithUserData(topics, members).partitions();
  }

  @Override
  public GroupAssignment assignWithUserData(Map<String, TopicLayout> topics, List<Subscriber> members) {
    Map<String, Subscription> subscriptions = new LinkedHashMap<>();
    members.forEach(m -> subscriptions.put(m.memberId(), subscription(m)));
    Map<String, List<dev.decant.kafka.TopicPartition>> partitions = new HashMap<>();
    Map<String, ByteBuffer> userData = new HashMap<>();
    assignor.assign(cluster(topics), new GroupSubscription(subscriptions)).groupAssignment()
        .forEach((member, assignment) -> {
          partitions.put(member, PartitionConversion.decant(assignment.partitions()));
          ByteBuffer added = assignment.userData();
          if (added != null) {
            userData.put(member, added);
          }
        });
    return new GroupAssignment(partitions, userData);
  }

  private static Subscription subscription(Subscriber m) {
    List<TopicPartition> owned = new ArrayList<>();
    m.owned().forEach(p -> owned.add(PartitionConversion.apache(p)));
    Subscription subscription = new Subscription(m.topics(), orNull(m.userData()), owned, m.ownedGeneration(),
        Optional.ofNullable(m.rack()));
    subscription.setGroupInstanceId(Optional.ofNullable(m.instanceId()));
    return subscription;
  }

  private static @Nullable ByteBuffer orNull(ByteBuffer bytes) {
    return bytes.hasRemaining() ? bytes.duplicate() : null;
  }

  /** Returns a cluster with topics, partitions and racks. The leader of a group knows no more of the brokers. */
  private static Cluster cluster(Map<String, TopicLayout> topics) {
    Map<String, Node> byRack = new TreeMap<>();
    Node some = new Node(0, "broker", -1);
    List<PartitionInfo> partitions = new ArrayList<>();
    topics.forEach((topic, layout) -> {
      for (int p = 0; p < layout.partitions(); p++) {
        Node[] replicas = layout.racks().get(p).stream()
            .map(rack -> byRack.computeIfAbsent(rack, r -> new Node(byRack.size() + 1, "broker", -1, r)))
            .toArray(Node[]::new);
        partitions.add(new PartitionInfo(topic, p, replicas.length == 0 ? some : replicas[0], replicas, replicas));
      }
    });
    List<Node> nodes = new ArrayList<>(byRack.values());
    nodes.add(some);
    return new Cluster(null, nodes, partitions, Set.of(), Set.of());
  }

  @Override
  public byte[] userData(Set<String> topics, int ownedGeneration) {
    ByteBuffer added = assignor.subscriptionUserData(topics);
    if (added == null) {
      return NOTHING;
    }
    byte[] bytes = new byte[added.remaining()];
    added.duplicate().get(bytes);
    return bytes;
  }

  @Override
  public void onAssignment(List<dev.decant.kafka.TopicPartition> partitions, ByteBuffer userData,
      GroupMetadata member) {
    List<TopicPartition> all = new ArrayList<>();
    partitions.forEach(p -> all.add(PartitionConversion.apache(p)));
    assignor.onAssignment(new Assignment(all, orNull(userData)), metadata(member));
  }

  /**
   * Returns Apache's metadata of a member. Its class will become an interface; until then the constructor is the only
   * way.
   */
  @SuppressWarnings("removal")
  static ConsumerGroupMetadata metadata(GroupMetadata member) {
    return new ConsumerGroupMetadata(member.groupId(), member.generation(), member.memberId(),
        Optional.ofNullable(member.instanceId()));
  }
}
