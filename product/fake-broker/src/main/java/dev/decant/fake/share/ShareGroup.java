package dev.decant.fake.share;

import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Topic;
import dev.decant.fake.group.Committer;
import dev.decant.fake.group.ModernGroup;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.Uuid;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A share group (KIP-932): its members share partitions, and add or drop them at once. A partition is assigned as soon
 * as the share coordinator has it, which is after the first heartbeat that subscribes to its topic.
 */
final class ShareGroup extends ModernGroup<ShareMember> {
  private final Runnable onEnd;
  /** The partitions of each topic in the share coordinator. */
  private final Map<Uuid, TreeSet<Integer>> initialized = new LinkedHashMap<>();
  private long targetMillis;
  private boolean hasTarget;
  private Map<String, Set<ShareKey>> target = new HashMap<>();
  /** The topics and numbers of partitions to which members had subscribed in the last epoch. */
  private Map<Uuid, Integer> subscribed = Map.of();

  ShareGroup(String id, Cluster cluster, Runnable onEnd) {
    super(id, "share", cluster);
    this.onEnd = onEnd;
  }

  @Override
  public String stateLabel() {
    return isEmpty() ? "Empty" : "Stable";
  }

  @Override
  public boolean isSubscribedTo(String topic) {
    return members().stream().anyMatch(member -> member.topics().contains(topic));
  }

  /** Returns the partitions in the share coordinator, by topic. */
  Map<Uuid, List<Integer>> initialized() {
    Map<Uuid, List<Integer>> known = new LinkedHashMap<>();
    initialized.forEach((topicId, partitions) -> {
      if (cluster().topics().of(topicId) != null) {
        known.put(topicId, List.copyOf(partitions));
      }
    });
    return known;
  }

  /** Adds a partition to the share coordinator. */
  void initialize(Uuid topicId, int partition) {
    initialized.computeIfAbsent(topicId, id -> new TreeSet<>()).add(partition);
  }

  /** Removes a topic from the share coordinator. */
  boolean uninitialize(Uuid topicId) {
    return initialized.remove(topicId) != null;
  }

  ShareMember add(String memberId) {
    ShareMember member = new ShareMember(memberId, () -> remove(memberId));
    put(member);
    return member;
  }

  @Override
  protected void forget(ShareMember member) {
    super.forget(member);
    target.remove(member.id());
  }

  /**
   * Moves the group to its next epoch if anything has changed, and a member to the present target.
   *
   * @param isChanged true if members or their topics have changed
   */
  void update(ShareMember member, boolean isChanged) {
    Map<Uuid, Integer> topics = topics();
    boolean isNext = isChanged || !topics.equals(subscribed) || (targetEpoch() >= epoch() && isAssignmentPending());
    subscribed = topics;
    if (isNext) {
      advance();
    }
    long interval = cluster().groupSettings(id()).getInt("share.assignment.interval.ms");
    if (targetEpoch() < epoch() && (!hasTarget || cluster().nowMillis() >= targetMillis + interval)) {
      target = SimpleAssignor.assign(subscriptions(), initialized(), target);
      targetComputed();
      targetMillis = cluster().nowMillis();
      hasTarget = true;
    }
    if (member.epoch() != targetEpoch() || isNext) {
      Set<Uuid> own = subscriptions().getOrDefault(member.id(), Set.of());
      member.assign(target.getOrDefault(member.id(), Set.of()).stream().filter(p -> own.contains(p.topicId()))
          .toList());
    }
    member.epoch(targetEpoch());
    topics.forEach((topicId, count) -> {
      for (int i = 0; i < count; i++) {
        initialize(topicId, i);
      }
    });
  }

  private Map<Uuid, Integer> topics() {
    Map<Uuid, Integer> topics = new HashMap<>();
    members().forEach(member -> member.topics().forEach(name -> {
      Topic topic = cluster().topics().named(name);
      if (topic != null) {
        topics.put(topic.id(), topic.partitions().size());
      }
    }));
    return topics;
  }

  private Map<String, Set<Uuid>> subscriptions() {
    Map<String, Set<Uuid>> all = new LinkedHashMap<>();
    members().forEach(member -> {
      Set<Uuid> topics = new HashSet<>();
      member.topics().forEach(name -> {
        Topic topic = cluster().topics().named(name);
        if (topic != null) {
          topics.add(topic.id());
        }
      });
      all.put(member.id(), topics);
    });
    return all;
  }

  /** Returns true if subscribed partitions are in the share coordinator, but not in the target yet. */
  private boolean isAssignmentPending() {
    Map<Uuid, Set<Integer>> assigned = new HashMap<>();
    target.values().forEach(all -> all.forEach(
        p -> assigned.computeIfAbsent(p.topicId(), topicId -> new HashSet<>()).add(p.partition())));
    Set<Uuid> topics = topics().keySet();
    return initialized().entrySet().stream().anyMatch(known -> topics.contains(known.getKey())
        && !assigned.getOrDefault(known.getKey(), Set.of()).equals(Set.copyOf(known.getValue())));
  }

  /** Returns the partitions of a member by topic, in order. */
  static Map<Uuid, List<Integer>> byTopic(Set<ShareKey> partitions) {
    Map<Uuid, List<Integer>> lists = new TreeMap<>((a, b) -> a.toString().compareTo(b.toString()));
    partitions.forEach(p -> lists.computeIfAbsent(p.topicId(), topicId -> new ArrayList<>()).add(p.partition()));
    lists.values().forEach(Collections::sort);
    return lists;
  }

  @Override
  public ErrorCode checkCommit(Committer committer, boolean isTransactional) {
    return ErrorCode.GROUP_ID_NOT_FOUND; // the offsets of a share group are not those of a consumer group
  }

  @Override
  public ErrorCode checkFetch(@Nullable String memberId, int memberEpoch) {
    return ErrorCode.GROUP_ID_NOT_FOUND;
  }

  @Override
  public void end() {
    super.end();
    onEnd.run();
  }
}
