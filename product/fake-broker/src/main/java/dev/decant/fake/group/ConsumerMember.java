package dev.decant.fake.group;

import dev.decant.fake.api.RequestContext;
import dev.decant.kafka.protocol.message.ConsumerGroupHeartbeatRequest;
import dev.decant.loop.Timer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A member of a {@link ConsumerGroup}, which alone changes it. */
final class ConsumerMember extends ModernMember {
  private final @Nullable String instanceId;
  private final Timer revocation;
  private int rebalanceTimeoutMillis = -1;
  private @Nullable String pattern;
  private @Nullable String assignor;
  private State state = State.STABLE;
  private Assignment assigned = Assignment.NONE;
  private Assignment revoking = Assignment.NONE;

  /** The state of a member on the way to its target (KIP-848). */
  enum State {
    /** The member has its target. */
    STABLE,
    /** The member must revoke partitions first. */
    UNREVOKED_PARTITIONS,
    /** Other members must revoke partitions first. */
    UNRELEASED_PARTITIONS
  }

  ConsumerMember(String id, @Nullable String instanceId, Runnable onEnd) {
    super(id, onEnd);
    this.instanceId = instanceId;
    this.revocation = new Timer(onEnd);
  }

  /** Takes over the partitions of a static member that has left for a while. */
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

  /** Returns the timer that ends the membership unless the member revokes partitions in time. */
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

  /** Takes over the fields of a heartbeat; null and -1 change nothing. Returns true if the subscription has changed. */
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

  /** Returns the partitions that the member may read. */
  Assignment assigned() {
    return assigned;
  }

  /** Returns the partitions that the member must revoke, and has not revoked yet. */
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
