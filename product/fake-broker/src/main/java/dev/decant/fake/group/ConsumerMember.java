package dev.decant.fake.group;

import dev.decant.fake.api.RequestContext;
import dev.decant.kafka.protocol.message.ConsumerGroupHeartbeatRequest;
import dev.decant.loop.Timer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A member of a {@link ConsumerGroup}, whose owner alone changes it. */
final class ConsumerMember extends ModernMember {
  private final @Nullable String instanceId;
  private final Timer revocation;
  private int rebalanceTimeoutMillis = -1;
  private @Nullable String pattern;
  private @Nullable String assignor;
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

  ConsumerMember(String id, @Nullable String instanceId, Runnable onEnd) {
    super(id, onEnd);
    this.instanceId = instanceId;
    this.revocation = new Timer(onEnd);
  }

  /** Takes the place of a static member that has left for a while, with its partitions. */
  void inherit(ConsumerMember former) {
    super.inherit(former);
    rebalanceTimeoutMillis = former.rebalanceTimeoutMillis;
    pattern = former.pattern;
    assignor = former.assignor;
    assigned = former.assigned;
    revoking = former.revoking;
    state = former.state;
  }

  @Nullable
  String instanceId() {
    return instanceId;
  }

  /** Ends its membership unless it revokes partitions in time. */
  Timer revocation() {
    return revocation;
  }

  int rebalanceTimeoutMillis() {
    return rebalanceTimeoutMillis;
  }

  @Nullable
  String pattern() {
    return pattern;
  }

  @Nullable
  String assignor() {
    return assignor;
  }

  /** Takes what a heartbeat says; null and -1 leave it as it was. Returns whether the subscription is another one. */
  boolean describe(RequestContext context, ConsumerGroupHeartbeatRequest request) {
    int timeout = request.rebalanceTimeoutMs();
    rebalanceTimeoutMillis = timeout < 0 ? rebalanceTimeoutMillis : timeout;
    assignor = request.serverAssignor() == null ? assignor : request.serverAssignor();
    String wanted = request.subscribedTopicRegex();
    String next = wanted == null ? pattern : wanted.isEmpty() ? null : wanted;
    boolean isOther = !Objects.equals(next, pattern);
    pattern = next;
    return describe(context, request.rackId(), request.subscribedTopicNames()) || isOther;
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
  protected boolean isCalled(String name) {
    return name.equals(instanceId) || super.isCalled(name);
  }

  @Override
  public String toString() {
    return id() + " epoch " + epoch() + " " + state + " " + assigned;
  }
}
