package dev.decant.fake.share;

import dev.decant.fake.api.RequestContext;
import dev.decant.fake.cluster.Broker;
import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Partition;
import dev.decant.fake.cluster.Topic;
import dev.decant.fake.group.GroupCoordinator;
import dev.decant.kafka.protocol.Uuid;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The state of share groups in a cluster's brokers: partitions, and the sessions of members. */
public final class ShareGroups {
  private final Cluster cluster;
  private final GroupCoordinator coordinator;
  private final Map<String, Map<ShareKey, SharePartition>> partitions = new HashMap<>();
  private final List<ShareSessions> sessions = new ArrayList<>();

  public ShareGroups(Cluster cluster, GroupCoordinator coordinator) {
    this.cluster = cluster;
    this.coordinator = coordinator;
    cluster.onDisconnect(this::disconnected);
  }

  Cluster cluster() {
    return cluster;
  }

  GroupCoordinator coordinator() {
    return coordinator;
  }

  /** Returns true if the release has share groups by default, or has them as a preview that the test has enabled. */
  boolean areEnabled() {
    return cluster.release().isAtLeast(4, 2) || cluster.settings().getBoolean("group.share.enable");
  }

  /** Returns true if records with many deliveries are delivered apart from others: from 4.2 on. */
  boolean areThrottling() {
    return cluster.release().isAtLeast(4, 2);
  }

  /** Returns a share group, or null. */
  @Nullable
  ShareGroup find(String groupId) {
    return coordinator.find(groupId) instanceof ShareGroup group ? group : null;
  }

  /** Creates a share group in the coordinator. */
  ShareGroup make(String groupId) {
    ShareGroup group = new ShareGroup(groupId, cluster, () -> forget(groupId));
    coordinator.put(group);
    return group;
  }

  /** Returns a partition of a group, and creates it if needed. */
  SharePartition share(String groupId, Partition partition) {
    ShareKey key = new ShareKey(partition.topic().id(), partition.index());
    Map<ShareKey, SharePartition> ofGroup = partitions.computeIfAbsent(groupId, id -> new LinkedHashMap<>());
    ofGroup.values().removeIf(share -> {
      boolean isGone = cluster.topics().of(share.partition().topic().id()) == null;
      if (isGone) {
        share.close();
      }
      return isGone;
    });
    return ofGroup.computeIfAbsent(key, k -> new SharePartition(cluster, groupId, partition));
  }

  /** Returns a partition of a group, null if it has no state. */
  @Nullable
  SharePartition known(String groupId, ShareKey key) {
    return partitions.getOrDefault(groupId, Map.of()).get(key);
  }

  /**
   * Returns the progress of a group in a partition.
   *
   * @return null if no member has fetched it
   */
  public @Nullable ShareProgress progress(String groupId, Partition partition) {
    SharePartition share = known(groupId, new ShareKey(partition.topic().id(), partition.index()));
    return share == null ? null : share.progress();
  }

  /** Returns the partition of the cluster, or null. */
  @Nullable
  Partition partition(ShareKey key) {
    Topic topic = cluster.topics().of(key.topicId());
    return topic == null ? null : topic.partition(key.partition());
  }

  private void forget(String groupId) {
    Map<ShareKey, SharePartition> ofGroup = partitions.remove(groupId);
    if (ofGroup != null) {
      ofGroup.values().forEach(SharePartition::close);
    }
  }

  /** Deletes the state of a group for a topic. */
  void forget(String groupId, Uuid topicId) {
    partitions.getOrDefault(groupId, Map.of()).forEach((key, share) -> {
      if (key.topicId().equals(topicId)) {
        share.reset(SharePartition.UNKNOWN);
      }
    });
  }

  /** Returns the sessions of the broker that received a request. */
  ShareSessions sessions(RequestContext context) {
    for (ShareSessions known : sessions) {
      if (known.isOf(context.broker().id(), context.incarnation())) {
        return known;
      }
    }
    sessions.removeIf(old -> old.broker() == context.broker().id());
    ShareSessions made = new ShareSessions(context.broker().id(), context.incarnation());
    sessions.add(made);
    return made;
  }

  /** Closes a session: the member's acquired records are available again. */
  void close(ShareSessions ofBroker, ShareSessions.Key member) {
    ShareSession session = ofBroker.remove(member);
    Broker broker = cluster.broker(ofBroker.broker());
    if (session != null && broker != null && broker.isAlive()) {
      for (ShareSession.Fetched one : session.partitions()) {
        SharePartition share = known(member.groupId(), one.key());
        if (share != null && share.isAt(broker)) {
          share.release(member.member());
        }
      }
    }
  }

  /** Closes the session of a connection. After the last session of a group a broker drops the group's state. */
  private void disconnected(long connection) {
    for (ShareSessions ofBroker : List.copyOf(sessions)) {
      ShareSessions.Key member = ofBroker.removeConnection(connection);
      Broker broker = cluster.broker(ofBroker.broker());
      if (member == null || broker == null) {
        continue;
      }
      ShareSession session = ofBroker.of(member);
      if (session != null && session.connection() == connection) {
        close(ofBroker, member);
      }
      if (ofBroker.isEmpty(member.groupId())) {
        List.copyOf(partitions.getOrDefault(member.groupId(), Map.of()).values()).stream()
            .filter(share -> share.isAt(broker)).forEach(SharePartition::unload);
      }
    }
  }
}
