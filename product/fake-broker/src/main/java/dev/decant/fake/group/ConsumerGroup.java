package dev.decant.fake.group;

import dev.decant.fake.api.Access;
import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Topic;
import dev.decant.fake.group.ConsumerMember.State;
import dev.decant.kafka.protocol.ErrorCode;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A consumer group (KIP-848): each member moves towards the target with its heartbeats, as others revoke partitions.
 */
final class ConsumerGroup extends ModernGroup<ConsumerMember> {
  static final int LEFT_FOR_A_WHILE = -2;
  /** Time after which brokers match patterns again, because rights may have changed. */
  private static final long MATCH_MILLIS = 600_000;

  /** The member ids of static members, by instance id. */
  private final Map<String, String> staticMembers = new HashMap<>();
  private Map<String, Assignment> target = new HashMap<>();
  /** The topics of the target, with their numbers of partitions. */
  private Map<Topic, Integer> targetTopics = Map.of();
  /** The names of the topics that match each pattern of the members. */
  private final Map<String, Set<String>> matched = new HashMap<>();
  private long matchedMillis;
  /** {@link dev.decant.fake.cluster.Topics#changes} at the last check of the topics. */
  private int seenTopicChanges = -1;

  ConsumerGroup(String id, Cluster cluster) {
    super(id, "consumer", cluster);
  }

  Assignment target(String memberId) {
    return target.getOrDefault(memberId, Assignment.NONE);
  }

  @Nullable
  ConsumerMember staticMember(String instanceId) {
    String memberId = staticMembers.get(instanceId);
    return memberId == null ? null : member(memberId);
  }

  @Override
  public String stateLabel() {
    if (isEmpty()) {
      return "Empty";
    }
    if (epoch() > targetEpoch()) {
      return "Assigning";
    }
    boolean isStable = members().stream()
        .allMatch(m -> m.state() == State.STABLE && m.epoch() == targetEpoch());
    return isStable ? "Stable" : "Reconciling";
  }

  @Override
  public boolean isSubscribedTo(String topic) {
    return members().stream()
        .anyMatch(member -> topicsOf(member).stream().anyMatch(t -> t.name().equals(topic)));
  }

  /** Adds a member. */
  ConsumerMember add(String memberId, @Nullable String instanceId) {
    ConsumerMember member = new ConsumerMember(memberId, instanceId, () -> remove(memberId));
    put(member);
    if (instanceId != null) {
      staticMembers.put(instanceId, memberId);
    }
    return member;
  }

  /** Replaces a static member that comes back: it has the partitions of its earlier membership, without a rebalance. */
  ConsumerMember replace(ConsumerMember former, String memberId) {
    Assignment formerTarget = target(former.id());
    forget(former);
    ConsumerMember member = add(memberId, former.instanceId());
    member.inherit(former);
    target.put(memberId, formerTarget);
    return member;
  }

  @Override
  protected void forget(ConsumerMember member) {
    super.forget(member);
    target.remove(member.id());
    cluster().cancel(member.revocation());
    if (member.instanceId() != null) {
      staticMembers.remove(member.instanceId(), member.id());
    }
  }

  /**
   * Computes another target if the subscriptions or the topics have changed.
   *
   * @param isChanged true if members or their subscriptions have changed
   * @param access rights of the member whose heartbeat is handled
   */
  void updateTarget(boolean isChanged, Access access) {
    boolean isMatchedAgain = cluster().topics().changes() != seenTopicChanges
        || (!matched.isEmpty() && cluster().nowMillis() - matchedMillis > MATCH_MILLIS);
    if (!isChanged && epoch() == targetEpoch() && !isMatchedAgain) {
      // Each heartbeat of each member comes here. A new computation each time, over all members and topics, took a
      // group of a thousand members minutes to settle.
      return;
    }
    seenTopicChanges = cluster().topics().changes();
    matchPatterns(isMatchedAgain, access);
    Map<String, Set<Topic>> subscriptions = subscriptions();
    Map<Topic, Integer> topics = new HashMap<>();
    subscriptions.values().forEach(all -> all.forEach(t -> topics.put(t, t.partitions().size())));
    if (isChanged || !topics.equals(targetTopics)) {
      advance();
    }
    if (epoch() > targetEpoch()) {
      target = new HashMap<>(assignor().assign(subscriptions, target));
      targetTopics = topics;
      targetComputed();
    }
  }

  /** Returns the topics of each member by their names, static members first. */
  private Map<String, Set<Topic>> subscriptions() {
    Map<String, Set<Topic>> all = new LinkedHashMap<>();
    members().stream()
        .sorted(Comparator.comparing((ConsumerMember m) -> m.instanceId() == null)
            .thenComparing(m -> m.instanceId() == null ? m.id() : m.instanceId()))
        .forEach(member -> all.put(member.id(), topicsOf(member)));
    return all;
  }

  /**
   * Matches the members' patterns with the topics. As on brokers, the rights of one member decide for all: of the
   * member whose heartbeat finds another pattern, another topic, or a match that is too old.
   */
  private void matchPatterns(boolean isDue, Access access) {
    Set<String> patterns = new HashSet<>();
    for (ConsumerMember member : members()) {
      String pattern = member.pattern();
      if (pattern != null) {
        patterns.add(pattern);
      }
    }
    matched.keySet().retainAll(patterns);
    if (!isDue && matched.size() == patterns.size()) {
      return;
    }
    for (String pattern : patterns) {
      SubscriptionPattern compiled = SubscriptionPattern.compile(pattern);
      matched.put(pattern, cluster().topics().all().stream().map(Topic::name)
          .filter(name -> compiled.matches(name) && access.mayDescribeTopic(name)).collect(Collectors.toSet()));
    }
    matchedMillis = cluster().nowMillis();
  }

  private Set<Topic> topicsOf(ConsumerMember member) {
    Set<Topic> topics = new LinkedHashSet<>();
    String pattern = member.pattern();
    if (pattern == null) {
      member.topics().stream().sorted().map(cluster().topics()::named).filter(Objects::nonNull).forEach(topics::add);
      return topics;
    }
    Set<String> names = matched.getOrDefault(pattern, Set.of());
    for (Topic topic : cluster().topics().all()) {
      if (names.contains(topic.name()) || member.topics().contains(topic.name())) {
        topics.add(topic);
      }
    }
    return topics;
  }

  /** Returns the assignor that most members prefer; the broker's first one if no member prefers one. */
  ServerAssignor assignor() {
    Map<String, Long> votes = new HashMap<>();
    members().forEach(m -> {
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
   * @param owned partitions that the member reports; null if it reports none
   */
  void reconcile(ConsumerMember member, @Nullable Assignment owned) {
    boolean waits = switch (member.state()) {
      case STABLE -> member.epoch() == targetEpoch();
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
      cluster().schedule(member.revocation(), member.rebalanceTimeoutMillis());
      return;
    }
    cluster().cancel(member.revocation());
    Assignment missing = wanted.without(kept);
    Assignment free = freeOf(missing, member);
    State next = free.partitions().size() < missing.partitions().size() ? State.UNRELEASED_PARTITIONS : State.STABLE;
    member.move(next, kept.plus(free), Assignment.NONE);
    member.epoch(targetEpoch());
  }

  /** Returns the partitions that no other member owns or still revokes. */
  private Assignment freeOf(Assignment wanted, ConsumerMember member) {
    Set<Assignment.Partition> free = new HashSet<>(wanted.partitions());
    for (ConsumerMember other : members()) {
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
    if (committer.generation() < 0 && (isEmpty() || (isTransactional && committer.memberId().isEmpty()))) {
      return ErrorCode.NONE;
    }
    return checkEpoch(committer.memberId(), committer.generation());
  }

  private ErrorCode checkEpoch(String memberId, int memberEpoch) {
    ConsumerMember member = member(memberId);
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
}
