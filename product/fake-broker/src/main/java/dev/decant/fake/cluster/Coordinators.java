package dev.decant.fake.cluster;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The coordinators of groups, transactional ids and share partitions: each is the leader of the partition to which the
 * key hashes, as in Kafka. The coordinators' topics are created at the first lookup.
 */
public final class Coordinators {
  private final Cluster cluster;

  /** The kinds of coordinators, by their number in FindCoordinator requests. */
  public enum Type {
    /** The coordinators of groups. */
    GROUP(Topics.OFFSETS, "offsets.topic.num.partitions"),
    /** The coordinators of transactional ids. */
    TRANSACTION(Topics.TRANSACTIONS, "transaction.state.log.num.partitions"),
    /** The coordinators of partitions in share groups, by {@code group:topicId:partition} (KIP-932). */
    SHARE(Topics.SHARE_STATE, "share.coordinator.state.topic.num.partitions");

    private final String topic;
    private final String partitionsSetting;

    Type(String topic, String partitionsSetting) {
      this.topic = topic;
      this.partitionsSetting = partitionsSetting;
    }
  }

  Coordinators(Cluster cluster) {
    this.cluster = cluster;
  }

  /** Returns the coordinator of a key; null if it is dead and no other broker can take over. */
  public @Nullable Broker of(Type type, String key) {
    Broker broker = cluster.broker(partition(type, key).leader());
    return broker == null || !broker.isAlive() ? null : broker;
  }

  /** Returns true if a broker coordinates a key; otherwise it responds NOT_COORDINATOR. */
  public boolean isAt(Broker broker, Type type, String key) {
    Broker coordinator = of(type, key);
    return coordinator != null && coordinator.id() == broker.id();
  }

  /** Returns the partition of the coordinators' topic to which a key belongs. */
  public Partition partition(Type type, String key) {
    Topic topic = topic(type);
    int hash = key.hashCode();
    int index = (hash == Integer.MIN_VALUE ? 0 : Math.abs(hash)) % topic.partitions().size();
    return topic.partitions().get(index);
  }

  private Topic topic(Type type) {
    Topic topic = cluster.topics().named(type.topic);
    if (topic == null) {
      int replication = Math.min(3, cluster.brokers().size());
      topic = cluster.createTopic(type.topic, cluster.settings().getInt(type.partitionsSetting), replication,
          Map.of("cleanup.policy", "compact"));
    }
    return topic;
  }

  /** Makes another broker the coordinator of a key, and of all keys of the same partition. */
  public void move(Type type, String key, int broker) {
    cluster.lead(partition(type, key), broker);
  }
}
