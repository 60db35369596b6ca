package dev.decant.fake.group;

import dev.decant.fake.api.RequestContext;
import dev.decant.loop.Timer;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A member of a {@link ConsumerGroup}, whose owner alone changes it. */
final class ConsumerMember {
  private final String id;
  private final @Nullable String instanceId;
  private final String clientId;
  private final String clientHost;
  private final Timer session;
  private final Timer revocation;
  private @Nullable String rack;
  private int rebalanceTimeoutMillis = -1;
  private TreeSet<String> topics = new TreeSet<>();
  private @Nullable String pattern;
  private @Nullable String assignor;
  private int epoch;
  private int previousEpoch;
  private State state = State.STABLE;
  private Assignment assigned = Assignment.NONE;
  private Assignment revoking = Assignment.NONE;

  /** How far a member is on the way to its target (KIP-848). */
  enum State {
    /** It has its target. */
    STABLE,
    /** It is to give up partitions first. */
    UNREVOKED_PARTITIONS,
    /** Others are to give up partitions first. */
    UNRELEASED_PARTITIONS
  }

  ConsumerMember(String id, @Nullable String instanceId, RequestContext context, Runnable onSessionEnd,
      Runnable onRevocationEnd) {
    this.id = id;
    this.instanceId = instanceId;
    this.clientId = Objects.requireNonNullElse(context.clientId(), "");
    this.clientHost = context.clientHost();
    this.session = new Timer(onSessionEnd);
    this.revocation = new Timer(onRevocationEnd);
  }

  /** Takes the place of a static member that has left for a while, with its partitions. */
  void inherit(ConsumerMember former) {
    rack = former.rack;
    rebalanceTimeoutMillis = former.rebalanceTimeoutMillis;
    topics = former.topics;
    pattern = former.pattern;
    assignor = former.assignor;
    assigned = former.assigned;
    revoking = former.revoking;
    state = former.state;
  }

  String id() {
    return id;
  }

  @Nullable
  String instanceId() {
    return instanceId;
  }

  String clientId() {
    return clientId;
  }

  String clientHost() {
    return clientHost;
  }

  Timer session() {
    return session;
  }

  Timer revocation() {
    return revocation;
  }

  @Nullable
  String rack() {
    return rack;
  }

  int rebalanceTimeoutMillis() {
    return rebalanceTimeoutMillis;
  }

  Set<String> topics() {
    return topics;
  }

  @Nullable
  String pattern() {
    return pattern;
  }

  @Nullable
  String assignor() {
    return assignor;
  }

  /** Takes what a heartbeat says of the member; null and -1 leave it as it was. */
  void describe(@Nullable String newRack, int newRebalanceTimeoutMillis, @Nullable String newAssignor) {
    rack = newRack == null ? rack : newRack;
    rebalanceTimeoutMillis = newRebalanceTimeoutMillis < 0 ? rebalanceTimeoutMillis : newRebalanceTimeoutMillis;
    assignor = newAssignor == null ? assignor : newAssignor;
  }

  /** Takes what a heartbeat says of the subscription; null leaves it as it was. Returns whether it is another one. */
  boolean subscribe(@Nullable Set<String> newTopics, @Nullable String newPattern) {
    TreeSet<String> nextTopics = newTopics == null ? topics : new TreeSet<>(newTopics);
    String nextPattern = newPattern == null ? pattern : newPattern.isEmpty() ? null : newPattern;
    boolean isOther = !nextTopics.equals(topics) || !Objects.equals(nextPattern, pattern);
    topics = nextTopics;
    pattern = nextPattern;
    return isOther;
  }

  int epoch() {
    return epoch;
  }

  int previousEpoch() {
    return previousEpoch;
  }

  /** The next epoch; the one before counts for a member whose response was lost. */
  void epoch(int next) {
    previousEpoch = next == epoch ? previousEpoch : epoch;
    epoch = next;
  }

  State state() {
    return state;
  }

  /** What it may read. */
  Assignment assigned() {
    return assigned;
  }

  /** What it is to give up, and has not yet. */
  Assignment revoking() {
    return revoking;
  }

  void move(State next, Assignment nowAssigned, Assignment nowRevoking) {
    state = next;
    assigned = nowAssigned;
    revoking = nowRevoking;
  }

  @Override
  public String toString() {
    return id + " epoch " + epoch + " " + state + " " + assigned;
  }
}
