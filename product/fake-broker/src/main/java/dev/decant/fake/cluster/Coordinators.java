package dev.decant.fake.cluster;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which broker coordinates which group, transactional id or share partition: the leader of the partition that the key
 * hashes to, as in Kafka. The topics of the coordinators are made when the first one is
 * looked for.
 */
public final class Coordinators {
  private final Cluster cluster;

  /** The kinds of coordinators, by their number in FindCoordinator requests. */
  public enum Type {
    /** Of groups. */
    GROUP(Topics.OFFSETS, "offsets.topic.num.partitions"),
    /** Of transactional ids. */
    TRANSACTION(Topics.TRANSACTIONS, "transaction.state.log.num.partitions"),
    /** Of partitions in share groups, by {@code group:topicId:partition} (KIP-932). */
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

  /** The broker that coordinates a key; null if it is dead and no other one can. */
  public @Nullable Broker of(Type type, String key) {
    Broker broker = cluster.broker(partition(type, key).leader());
    return broker == null || !broker.isAlive() ? null : broker;
  }

  /** Whether a broker coordinates a key: if not, it answers NOT_COORDINATOR. */
  public boolean isAt(Broker broker, Type type, String key) {
    Broker coordinator = of(type, key);
    return coordinator != null && coordinator.id() == broker.id();
  }

  /** The partition of the coordinators' topic that a key belongs to. */
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

  /** Has another broker coordinate a key from now on, and all that belong to the same partition. */
  public void move(Type type, String key, int broker) {
    cluster.lead(partition(type, key), broker);
  }
}
