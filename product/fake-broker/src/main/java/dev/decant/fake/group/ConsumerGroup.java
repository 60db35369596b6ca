package dev.decant.fake.group;

import dev.decant.fake.api.Access;
import dev.decant.fake.api.RequestContext;
import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Topic;
import dev.decant.fake.group.ConsumerMember.State;
import dev.decant.kafka.protocol.ErrorCode;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A group whose coordinator divides the partitions (KIP-848). The group's epoch grows with each change of members,
 * subscriptions or topics; a target is computed for it, and each member moves towards the target by its heartbeats.
 */
final class ConsumerGroup implements Group {
  static final int LEFT_FOR_A_WHILE = -2;
  /** The age at which brokers match patterns anew, for rights that have changed. */
  private static final long MATCH_MILLIS = 600_000;

  private final String id;
  private final Cluster cluster;
  private final Map<String, ConsumerMember> members = new LinkedHashMap<>();
  /** By instance id the ids of static members. */
  private final Map<String, String> staticMembers = new HashMap<>();
  private int epoch;
  private int targetEpoch;
  private Map<String, Assignment> target = new HashMap<>();
  /** The topics and numbers of partitions that the target is for. */
  private Map<Topic, Integer> targetTopics = Map.of();
  /** The names of the topics that each pattern of the members stands for. */
  private final Map<String, Set<String>> matched = new HashMap<>();
  private long matchedMillis;
  /** {@link dev.decant.fake.cluster.Topics#changes} at the last look at the topics. */
  private int seenTopicChanges = -1;

  ConsumerGroup(String id, Cluster cluster) {
    this.id = id;
    this.cluster = cluster;
    this.epoch = cluster.release().isAtLeast(4, 3) ? 1 : 0; // the first member joins in the epoch after it
  }

  @Override
  public String id() {
    return id;
  }

  int epoch() {
    return epoch;
  }

  int targetEpoch() {
    return targetEpoch;
  }

  Assignment target(String memberId) {
    return target.getOrDefault(memberId, Assignment.NONE);
  }

  Collection<ConsumerMember> members() {
    return Collections.unmodifiableCollection(members.values());
  }

  @Nullable
  ConsumerMember member(String memberId) {
    return members.get(memberId);
  }

  @Nullable
  ConsumerMember staticMember(String instanceId) {
    String memberId = staticMembers.get(instanceId);
    return memberId == null ? null : members.get(memberId);
  }

  @Override
  public boolean isEmpty() {
    return members.isEmpty();
  }

  @Override
  public String stateLabel() {
    if (members.isEmpty()) {
      return "Empty";
    }
    if (epoch > targetEpoch) {
      return "Assigning";
    }
    boolean isStable = members.values().stream()
        .allMatch(m -> m.state() == State.STABLE && m.epoch() == targetEpoch);
    return isStable ? "Stable" : "Reconciling";
  }

  @Override
  public String typeLabel() {
    return "consumer";
  }

  @Override
  public String protocolLabel() {
    return "consumer";
  }

  @Override
  public boolean isOfConsumers() {
    return true;
  }

  @Override
  public boolean isSubscribedTo(String topic) {
    return members.values().stream()
        .anyMatch(member -> topicsOf(member).stream().anyMatch(t -> t.name().equals(topic)));
  }

  /** A new member. */
  ConsumerMember add(String memberId, @Nullable String instanceId, RequestContext context) {
    ConsumerMember member = new ConsumerMember(memberId, instanceId, context, () -> remove(memberId),
        () -> remove(memberId));
    members.put(memberId, member);
    if (instanceId != null) {
      staticMembers.put(instanceId, memberId);
    }
    return member;
  }

  /** A static member that comes back: it has the partitions of its former self, and no rebalance is needed. */
  ConsumerMember replace(ConsumerMember former, String memberId, RequestContext context) {
    Assignment formerTarget = target(former.id());
    forget(former);
    ConsumerMember member = add(memberId, former.instanceId(), context);
    member.inherit(former);
    target.put(memberId, formerTarget);
    return member;
  }

  private void forget(ConsumerMember member) {
    members.remove(member.id());
    target.remove(member.id());
    cluster.cancel(member.session());
    cluster.cancel(member.revocation());
    if (member.instanceId() != null) {
      staticMembers.remove(member.instanceId(), member.id());
    }
  }

  /** Removes a member, whose partitions are free at once; the next heartbeat of another one divides them. */
  void remove(String memberId) {
    ConsumerMember member = members.get(memberId);
    if (member != null) {
      forget(member);
      epoch++;
    }
  }

  /** Begins a member's session time anew. */
  void heardOf(ConsumerMember member) {
    cluster.schedule(member.session(), cluster.groupSettings(id).getInt("consumer.session.timeout.ms"));
  }

  /**
   * Computes another target if the subscriptions or the topics have changed.
   *
   * @param isChanged whether members or their subscriptions have changed
   * @param access what the member may do that is heard of
   */
  void updateTarget(boolean isChanged, Access access) {
    boolean isMatchedAgain = cluster.topics().changes() != seenTopicChanges
        || (!matched.isEmpty() && cluster.nowMillis() - matchedMillis > MATCH_MILLIS);
    if (!isChanged && epoch == targetEpoch && !isMatchedAgain) {
      return; // each heartbeat of each member comes here
    }
    seenTopicChanges = cluster.topics().changes();
    matchPatterns(isMatchedAgain, access);
    Map<String, Set<Topic>> subscriptions = subscriptions();
    Map<Topic, Integer> topics = new HashMap<>();
    subscriptions.values().forEach(all -> all.forEach(t -> topics.put(t, t.partitions().size())));
    if (isChanged || !topics.equals(targetTopics)) {
      epoch++;
    }
    if (epoch > targetEpoch) {
      target = new HashMap<>(assignor().assign(subscriptions, target));
      targetTopics = topics;
      targetEpoch = epoch;
    }
  }

  /** The topics of each member, static members first, by their names. */
  private Map<String, Set<Topic>> subscriptions() {
    Map<String, Set<Topic>> all = new LinkedHashMap<>();
    members.values().stream()
        .sorted(Comparator.comparing((ConsumerMember m) -> m.instanceId() == null)
            .thenComparing(m -> m.instanceId() == null ? m.id() : m.instanceId()))
        .forEach(member -> all.put(member.id(), topicsOf(member)));
    return all;
  }

  /**
   * Matches the patterns of the members with the topics. As on brokers, the rights of one member decide for all: of the
   * one whose heartbeat comes when there is another pattern, another topic, or when the last match is old.
   */
  private void matchPatterns(boolean isDue, Access access) {
    Set<String> patterns = members.values().stream().map(ConsumerMember::pattern).filter(Objects::nonNull)
        .collect(Collectors.toSet());
    matched.keySet().retainAll(patterns);
    if (!isDue && matched.size() == patterns.size()) {
      return;
    }
    for (String pattern : patterns) {
      SubscriptionPattern compiled = SubscriptionPattern.compile(pattern);
      matched.put(pattern, cluster.topics().all().stream().map(Topic::name)
          .filter(name -> compiled.matches(name) && access.mayDescribeTopic(name)).collect(Collectors.toSet()));
    }
    matchedMillis = cluster.nowMillis();
  }

  private Set<Topic> topicsOf(ConsumerMember member) {
    Set<Topic> topics = new LinkedHashSet<>();
    String pattern = member.pattern();
    if (pattern == null) {
      member.topics().stream().sorted().map(cluster.topics()::named).filter(Objects::nonNull).forEach(topics::add);
      return topics;
    }
    Set<String> names = matched.getOrDefault(pattern, Set.of());
    for (Topic topic : cluster.topics().all()) {
      if (names.contains(topic.name()) || member.topics().contains(topic.name())) {
        topics.add(topic);
      }
    }
    return topics;
  }

  /** The assignor that most members prefer; the first of the broker's if none does. */
  ServerAssignor assignor() {
    Map<String, Long> votes = new HashMap<>();
    members.values().forEach(m -> {
      if (m.assignor() != null) {
        votes.merge(m.assignor(), 1L, Long::sum);
      }
    });
    ServerAssignor best = ServerAssignor.UNIFORM;
    for (ServerAssignor one : ServerAssignor.values()) {
      if (votes.getOrDefault(one.label(), 0L) > votes.getOrDefault(best.label(), 0L)) {
        best = one;
      }
    }
    return best;
  }

  /**
   * Moves a member towards its target as far as it and the others allow.
   *
   * @param owned what the member says it has; null if it does not say
   */
  void reconcile(ConsumerMember member, @Nullable Assignment owned) {
    boolean waits = switch (member.state()) {
      case STABLE -> member.epoch() == targetEpoch;
      case UNREVOKED_PARTITIONS -> owned == null || !owned.and(member.revoking()).isEmpty();
      case UNRELEASED_PARTITIONS -> false;
    };
    if (waits) {
      return;
    }
    Assignment wanted = target(member.id());
    Assignment kept = member.assigned().and(wanted);
    Assignment revoked = member.assigned().without(kept);
    if (!revoked.isEmpty() && (owned == null || !owned.and(revoked).isEmpty())) {
      member.move(State.UNREVOKED_PARTITIONS, kept, revoked);
      cluster.schedule(member.revocation(), member.rebalanceTimeoutMillis());
      return;
    }
    cluster.cancel(member.revocation());
    Assignment missing = wanted.without(kept);
    Assignment free = freeOf(missing, member);
    State next = free.partitions().size() < missing.partitions().size() ? State.UNRELEASED_PARTITIONS : State.STABLE;
    member.move(next, kept.plus(free), Assignment.NONE);
    member.epoch(targetEpoch);
  }

  /** Those that no other member has, or is still giving up. */
  private Assignment freeOf(Assignment wanted, ConsumerMember member) {
    Set<Assignment.Partition> free = new HashSet<>(wanted.partitions());
    for (ConsumerMember other : members.values()) {
      if (free.isEmpty()) {
        break;
      }
      if (!other.id().equals(member.id())) {
        free.removeAll(other.assigned().partitions());
        free.removeAll(other.revoking().partitions());
      }
    }
    return Assignment.of(free);
  }

  @Override
  public ErrorCode checkCommit(Committer committer, boolean isTransactional) {
    if (committer.generation() < 0 && (members.isEmpty() || (isTransactional && committer.memberId().isEmpty()))) {
      return ErrorCode.NONE;
    }
    return checkEpoch(committer.memberId(), committer.generation());
  }

  private ErrorCode checkEpoch(String memberId, int memberEpoch) {
    ConsumerMember member = members.get(memberId);
    if (member == null) {
      return ErrorCode.UNKNOWN_MEMBER_ID;
    }
    return member.epoch() == memberEpoch ? ErrorCode.NONE : ErrorCode.STALE_MEMBER_EPOCH;
  }

  @Override
  public ErrorCode checkFetch(@Nullable String memberId, int memberEpoch) {
    return memberId == null && memberEpoch < 0
        ? ErrorCode.NONE
        : checkEpoch(memberId == null ? "" : memberId, memberEpoch);
  }

  @Override
  public void committed(String memberId) {
    // heartbeats alone keep a member of such a group
  }

  @Override
  public boolean expire(String member) {
    List<String> expired = members.values().stream()
        .filter(m -> member.equals(m.id()) || member.equals(m.instanceId()) || member.equals(m.clientId()))
        .map(ConsumerMember::id).toList();
    expired.forEach(this::remove);
    return !expired.isEmpty();
  }

  /** All of the group is on disk; the sessions begin anew with the next coordinator. */
  @Override
  public void moved() {
    for (ConsumerMember member : List.copyOf(members.values())) {
      heardOf(member);
    }
  }

  @Override
  public void end() {
    List.copyOf(members.values()).forEach(this::forget);
  }

  @Override
  public String toString() {
    return id + " " + stateLabel() + " " + epoch + " " + members.values();
  }
}
