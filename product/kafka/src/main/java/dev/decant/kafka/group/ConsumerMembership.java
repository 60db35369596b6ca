package dev.decant.kafka.group;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.protocol.message.ConsumerGroupHeartbeatRequest;
import dev.decant.kafka.protocol.message.ConsumerGroupHeartbeatResponse;
import dev.decant.net.Printable;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Membership in a group under the consumer protocol (KIP-848): a state machine that makes heartbeats and handles their
 * responses. It has no I/O and reads no clock; its host does both. Owner of the loop only.
 *
 * <pre>
 *  OUTSIDE --join--&gt; JOINING --response--&gt; STABLE --another assignment--&gt; RECONCILING
 *                     ^   |                ^                               |
 *                     |   |                |                        application is done
 *            loss     |   |             response                           |
 *            handled  |   |                |                               v
 *                     |   |                +----------------------- ACKNOWLEDGING
 *                     |   |
 *                    LOST &lt;--- fenced, or unknown to the group, in any state between JOINING and ACKNOWLEDGING
 *
 *  leave, in those states --&gt; LEAVING --response--&gt; LEFT       (after a stall of the application: LOST, and back)
 *  any error that retries do not cure --&gt; FAILED
 * </pre>
 *
 * <p>The epoch is 0 to join, then the broker's number, -1 to leave, and -2 for a static member that will come back.
 */
public final class ConsumerMembership {
  /** Epoch to join with; the broker's response has another. */
  static final int JOIN_EPOCH = 0;
  /** Epoch to leave for good. */
  public static final int LEAVE_EPOCH = -1;
  /** Epoch to leave as a static member that will come back: it keeps its partitions until its session expires. */
  public static final int STATIC_LEAVE_EPOCH = -2;

  /** Advice for brokers without the protocol. */
  static final String REMEDY = "; the consumer protocol needs brokers of Kafka 4.0 or later:"
      + " use group.protocol=classic";

  private static final long RETRY_MIN_NANOS = 100_000_000L;
  private static final long RETRY_MAX_NANOS = 1_000_000_000L;
  private static final long UNRELEASED_RETRY_NANOS = 1_000_000_000L;
  private static final int LEAST_INTERVAL_MILLIS = 50;
  /**
   * Shorter than any session. A broker with a shorter session gets more heartbeats. One damaged response does not end
   * the membership: an interval of days once stopped all heartbeats.
   */
  private static final int MOST_INTERVAL_MILLIS = 30_000;
  /**
   * Number of responses between full heartbeats. The coordinator responds to a full one with the whole assignment,
   * which repairs a damaged one.
   */
  private static final int HEARTBEATS_TO_FULL = 10;

  /** States of a membership. */
  public enum State {
    /** Not joined yet. */
    OUTSIDE,
    /** Wants to join. */
    JOINING,
    /** Has the assignment of the last response. */
    STABLE,
    /** The application revokes partitions and takes others. */
    RECONCILING,
    /** The broker does not know yet that the reconciliation is done. */
    ACKNOWLEDGING,
    /** The group has removed the member; the application does not know yet. */
    LOST,
    /** The broker does not know yet that the member leaves. */
    LEAVING,
    /** Has left. */
    LEFT,
    /** Refused with an error that retries do not cure. */
    FAILED
  }

  /** Work that a membership needs. Called on the owner of the loop, from within the membership's methods. */
  interface Host {
    /** Returns the name of a topic. If it is null, the host looks it up and then calls {@link #namesKnown}. */
    @Nullable
    String nameOf(Uuid topicId);

    /** Makes the application revoke and take partitions, and then call {@link #reconciled} with the number. */
    void reconcile(int number, Set<TopicIdPartition> revoked, Set<TopicIdPartition> added);

    /** Returns true if {@link #reconcile} has to be called even for an empty first assignment. */
    default boolean wantsEveryRebalance() {
      return false;
    }

    /** Reports that all partitions are lost. A reconciliation under way has no effect any more. */
    void lost(KafkaException cause);

    /** Reports that the membership has ended for good. */
    void failed(KafkaException cause);

    /** Reports that the user may not describe a topic of the subscription. Another heartbeat follows. */
    void refused(KafkaException cause);

    /** Reports that a heartbeat failed. Another one follows. */
    void retried(KafkaException cause);

    /** Reports that the group has another coordinator. */
    void coordinatorLost(KafkaException cause);

    /** Reports a change of the state. */
    void changed(State before, State now);
  }

  private final GroupSettings settings;
  private final Host host;
  /** How long to wait for an instance id that another member still holds. */
  private final long patienceNanos;
  private final String memberId;

  private State state = State.OUTSIDE;
  private int epoch = JOIN_EPOCH;
  private Subscription subscription = new Subscription(List.of(), null);
  private Set<String> subscribedTopics = Set.of();
  /** Partitions that the broker assigns. */
  private Set<TopicIdPartition> target = Set.of();
  /** Partitions that the application has. */
  private Set<TopicIdPartition> owned = Set.of();
  /** True until the first reconciliation since the join. */
  private boolean fresh = true;

  // State that the broker knows, and content of the heartbeat in flight.
  private @Nullable Subscription acknowledgedSubscription;
  private @Nullable Set<TopicIdPartition> acknowledgedOwned;
  private @Nullable Subscription sentSubscription;
  private Set<TopicIdPartition> sentOwned = Set.of();

  /** True while a heartbeat has no response. */
  private boolean inFlight;
  /** True if the heartbeat in flight names the owned partitions. */
  private boolean namesOwned;
  /** True if the heartbeat in flight leaves the group. */
  private boolean inFlightLeaves;
  /** When the next heartbeat is due. */
  private long nextNanos;
  /** When the last heartbeat was sent. */
  private long sentNanos;
  /** Number of responses since the last full heartbeat. */
  private int responsesSinceFull;
  /** Failed heartbeats since the last success, for the back-off. */
  private int failures;
  private long unreleasedSinceNanos;
  private boolean unreleased;

  /** Number of the last reconciliation. */
  private int reconciliation;
  /** Partitions that the reconciliation under way revokes. */
  private Set<TopicIdPartition> revoking = Set.of();
  /** Partitions that the reconciliation under way adds. */
  private Set<TopicIdPartition> adding = Set.of();

  private int leaveEpoch = LEAVE_EPOCH;
  /** True if the member joins again after it has left. */
  private boolean comesBack;
  /** True while the application has not handled a loss. */
  private boolean lossUnreported;

  /**
   * Creates a member outside of its group.
   *
   * @param patienceNanos how long to wait for an instance id that another member still holds
   */
  ConsumerMembership(GroupSettings settings, Host host, long patienceNanos) {
    this.settings = settings;
    this.host = host;
    this.patienceNanos = patienceNanos;
    UUID random = UUID.randomUUID();
    this.memberId = new Uuid(random.getMostSignificantBits(), random.getLeastSignificantBits()).toString();
  }

  State state() {
    return state;
  }

  String memberId() {
    return memberId;
  }

  int epoch() {
    return epoch;
  }

  boolean isInFlight() {
    return inFlight;
  }

  /** Returns true if the member is in the group, so that the coordinator takes its commits. */
  boolean isMember() {
    return state == State.STABLE || state == State.RECONCILING || state == State.ACKNOWLEDGING;
  }

  /** Returns true if other members may own the application's partitions by now. */
  boolean refusesCommits() {
    return switch (state) {
      case LOST, LEAVING, LEFT, FAILED -> true;
      case OUTSIDE, JOINING, STABLE, RECONCILING, ACKNOWLEDGING -> false;
    };
  }

  /** Returns true if the member sends heartbeats in this state. */
  boolean sendsHeartbeats() {
    return switch (state) {
      case JOINING, STABLE, RECONCILING, ACKNOWLEDGING, LEAVING -> true;
      case OUTSIDE, LOST, LEFT, FAILED -> false;
    };
  }

  /** Returns when the next heartbeat is due, unless an event comes before. */
  long nextNanos() {
    return nextNanos;
  }

  private void to(State next) {
    State before = state;
    if (before != next) {
      state = next;
      host.changed(before, next);
    }
  }

  /** Joins, or changes the subscription. */
  void subscribe(Subscription wanted, long now) {
    subscription = wanted;
    subscribedTopics = Set.copyOf(wanted.topics());
    if (state == State.OUTSIDE) {
      to(State.JOINING);
    }
    if (state != State.JOINING || !inFlight) {
      nextNanos = now;
    }
  }

  /** Returns true if the subscription may include a topic; patterns are matched by the broker. */
  boolean mayRead(String topic) {
    return subscription.pattern() != null || subscribedTopics.contains(topic);
  }

  /**
   * Returns the heartbeat to send; null if none is due. The next one waits for {@link #onResponse} or {@link
   * #onNoResponse}.
   */
  @Nullable
  ConsumerGroupHeartbeatRequest heartbeat(long now) {
    if (inFlight || !sendsHeartbeats() || nextNanos - now > 0) {
      return null;
    }
    inFlight = true;
    sentNanos = now;
    inFlightLeaves = state == State.LEAVING;
    ConsumerGroupHeartbeatRequest request = new ConsumerGroupHeartbeatRequest().groupId(settings.groupId())
        .memberId(memberId).memberEpoch(inFlightLeaves ? leaveEpoch : epoch).instanceId(settings.instanceId())
        .rackId(null).rebalanceTimeoutMs(-1).subscribedTopicNames(null).subscribedTopicRegex(null)
        .serverAssignor(null).topicPartitions(null);
    if (!inFlightLeaves) {
      describe(request);
    }
    namesOwned = request.topicPartitions() != null;
    return request;
  }

  /** Fills in the fields that differ from the last heartbeat. The others are null. */
  private void describe(ConsumerGroupHeartbeatRequest request) {
    sentSubscription = subscription;
    sentOwned = ownedToSend();
    boolean everything = acknowledgedSubscription == null;
    if (everything) {
      responsesSinceFull = 0;
      request.rackId(settings.rack()).rebalanceTimeoutMs(settings.revocationTimeoutMillis())
          .serverAssignor(settings.assignor());
    }
    if (!subscription.equals(acknowledgedSubscription)) {
      String pattern = subscription.pattern();
      boolean hadPattern = acknowledgedSubscription != null && acknowledgedSubscription.pattern() != null;
      request.subscribedTopicNames(subscription.topics())
          .subscribedTopicRegex(pattern == null && hadPattern ? "" : pattern);
    }
    if (!sentOwned.equals(acknowledgedOwned)) {
      request.topicPartitions(TopicIdPartition.toRequest(sentOwned));
    }
  }

  /**
   * Returns the partitions to name as owned. A full heartbeat also names partitions that the application is being
   * given. Otherwise the coordinator takes them for revoked and may assign them elsewhere, while this application reads
   * them: two members would read them until the response.
   */
  private Set<TopicIdPartition> ownedToSend() {
    if (state == State.JOINING) {
      return Set.of();
    }
    if (state != State.RECONCILING || owned.equals(acknowledgedOwned)) {
      return owned;
    }
    Set<TopicIdPartition> all = new HashSet<>(owned);
    all.addAll(adding);
    return all;
  }

  /**
   * Sends the next heartbeat now, since the coordinator refused a commit because it does not know the member. The
   * response shows if the member is lost.
   */
  void verify(long now) {
    if (sendsHeartbeats() && state != State.LEAVING && nextNanos - now > 0) {
      nextNanos = now;
    }
  }

  /** Handles the response to a heartbeat. */
  void onResponse(ConsumerGroupHeartbeatResponse response, long now) {
    inFlight = false;
    if (state == State.LEAVING) {
      if (inFlightLeaves) {
        afterLeaving(now);
      } else if (response.errorCode() == 0) {
        epoch = response.memberEpoch();
      }
      return;
    }
    if (!sendsHeartbeats()) {
      return;
    }
    ErrorCode code = ErrorCode.of(response.errorCode());
    if (code != ErrorCode.NONE) {
      String detail = response.errorMessage();
      onRefusal(code, detail == null || detail.isEmpty() ? "" : " (" + Printable.of(detail) + ")", now);
      return;
    }
    failures = 0;
    unreleased = false;
    acknowledgedSubscription = sentSubscription;
    acknowledgedOwned = sentOwned;
    epoch = response.memberEpoch();
    // Counted from the sending. A process that was frozen reads an old response when it wakes. Counted from then, it
    // once worked on records of other members for up to one more interval.
    nextNanos = sentNanos + TimeUnit.MILLISECONDS
        .toNanos(Math.clamp(response.heartbeatIntervalMs(), LEAST_INTERVAL_MILLIS, MOST_INTERVAL_MILLIS));
    ConsumerGroupHeartbeatResponse.Assignment assignment = response.assignment();
    if (assignment != null) {
      target = TopicIdPartition.of(assignment);
    }
    if (state == State.JOINING || (state == State.ACKNOWLEDGING && sentOwned.equals(owned))) {
      to(State.STABLE);
    }
    if (state == State.ACKNOWLEDGING || !subscription.equals(acknowledgedSubscription)) {
      nextNanos = now; // the heartbeat had been sent before the change
    }
    reconcile();
    if (++responsesSinceFull >= HEARTBEATS_TO_FULL || (state == State.STABLE && !owned.equals(target))) {
      acknowledgedSubscription = null; // the next heartbeat is full, and so is its response
      acknowledgedOwned = null;
    }
  }

  /** Continues a reconciliation that waited for the name of a topic. */
  void namesKnown() {
    reconcile();
  }

  private void reconcile() {
    if (state != State.STABLE) {
      return;
    }
    Set<TopicIdPartition> revoked = TopicIdPartition.minus(owned, target);
    Set<TopicIdPartition> added = TopicIdPartition.minus(target, owned);
    added.removeIf(p -> host.nameOf(p.topicId()) == null);
    if (inFlight && namesOwned && !sentOwned.containsAll(added)) {
      // The heartbeat in flight names the owned partitions without these. The coordinator may assign them elsewhere
      // when it arrives, while the application reads them. Its response calls this method again.
      return;
    }
    boolean isFirst = fresh && target.isEmpty() && host.wantsEveryRebalance();
    if (!revoked.isEmpty() || !added.isEmpty() || isFirst) {
      fresh = false;
      revoking = revoked;
      adding = added;
      to(State.RECONCILING);
      host.reconcile(++reconciliation, revoked, added);
    }
  }

  /** Ends the reconciliation, after the application has done its part. */
  void reconciled(int number, long now) {
    if (state != State.RECONCILING || number != reconciliation) {
      return; // lost meanwhile, or leaving
    }
    Set<TopicIdPartition> after = TopicIdPartition.minus(owned, revoking);
    after.addAll(adding);
    owned = after;
    nextNanos = now;
    to(State.ACKNOWLEDGING);
  }

  private void onRefusal(ErrorCode code, String detail, long now) {
    KafkaException cause = new KafkaException(code,
        "group " + settings.groupId() + ": the coordinator answered " + code + detail + " to a heartbeat of member "
            + memberId + ", epoch " + epoch + (code == ErrorCode.UNSUPPORTED_VERSION ? REMEDY : ""));
    switch (code) {
      case FENCED_MEMBER_EPOCH, UNKNOWN_MEMBER_ID, GROUP_ID_NOT_FOUND -> lose(cause, now);
      case NOT_COORDINATOR, COORDINATOR_NOT_AVAILABLE -> {
        host.coordinatorLost(cause);
        retry(cause, now);
      }
      case UNRELEASED_INSTANCE_ID -> awaitRelease(detail, cause, now);
      default -> {
        if (Membership.isForNow(code)) {
          host.refused(cause);
          retry(cause, now);
        } else if (code.isRetriable()) {
          retry(cause, now);
        } else {
          fail(cause);
        }
      }
    }
  }

  /**
   * Waits for the instance id. Its former holder may have died a moment ago; the broker releases the id when that
   * session expires.
   */
  private void awaitRelease(String detail, KafkaException cause, long now) {
    if (detail.contains("owned by " + memberId)) {
      releaseOwn(cause, now);
      return;
    }
    if (!unreleased) {
      unreleased = true;
      unreleasedSinceNanos = now;
    }
    if (state != State.JOINING || now - unreleasedSinceNanos >= patienceNanos) {
      fail(new KafkaException(ErrorCode.UNRELEASED_INSTANCE_ID, "group " + settings.groupId()
          + ": another member still has the instance id " + settings.instanceId() + detail
          + "; give each consumer an instance id of its own", cause));
      return;
    }
    retry(cause, now);
    nextNanos = now + UNRELEASED_RETRY_NANOS;
  }

  /**
   * Leaves and joins again, because the coordinator has this very member: the response to its join was lost. An earlier
   * version failed here for good, with "another member has it".
   */
  private void releaseOwn(KafkaException cause, long now) {
    boolean something = !owned.isEmpty() || state == State.RECONCILING;
    comesBack = true;
    lossUnreported = something;
    leaveEpoch = STATIC_LEAVE_EPOCH;
    retry(cause, now);
    to(State.LEAVING);
    if (something) {
      host.lost(cause);
    }
  }

  private void retry(KafkaException cause, long now) {
    acknowledgedSubscription = null; // the broker may have received any part
    acknowledgedOwned = null;
    nextNanos = now + Math.min(RETRY_MAX_NANOS, RETRY_MIN_NANOS << Math.min(failures++, 10));
    host.retried(cause);
  }

  /** Handles a heartbeat that gets no response. */
  void onNoResponse(KafkaException cause, long now) {
    inFlight = false;
    if (state == State.LEAVING) {
      if (inFlightLeaves) {
        afterLeaving(now);
      }
    } else if (sendsHeartbeats()) {
      retry(cause, now);
    }
  }

  private void forget() {
    epoch = JOIN_EPOCH;
    target = Set.of();
    owned = Set.of();
    fresh = true;
    acknowledgedSubscription = null;
    acknowledgedOwned = null;
  }

  private void lose(KafkaException cause, long now) {
    boolean nothing = owned.isEmpty() && state != State.RECONCILING;
    forget();
    if (nothing) {
      to(State.JOINING);
      retry(cause, now);
      return;
    }
    to(State.LOST);
    lossUnreported = true;
    host.lost(cause);
  }

  /** Joins again, after the application has handled the loss. */
  void lossHandled(long now) {
    lossUnreported = false;
    if (state == State.LOST) {
      nextNanos = now;
      to(State.JOINING);
    }
  }

  private void fail(KafkaException cause) {
    boolean something = !owned.isEmpty() || state == State.RECONCILING;
    forget();
    to(State.FAILED);
    if (something) {
      host.lost(cause);
    }
    host.failed(cause);
  }

  /** Ends the membership with an error that the host met outside of heartbeats. */
  void refuse(KafkaException cause) {
    if (sendsHeartbeats()) {
      inFlight = false;
      fail(cause);
    }
  }

  /** Leaves the group until the application polls again, so that other members get its partitions. */
  void stalled(KafkaException cause, long now) {
    if (state == State.LEAVING || !isMember()) {
      return;
    }
    comesBack = true;
    lossUnreported = true;
    leaveEpoch = LEAVE_EPOCH;
    nextNanos = now;
    to(State.LEAVING);
    host.lost(cause);
  }

  /**
   * Leaves, unless the member is outside.
   *
   * @param with {@link #LEAVE_EPOCH} or {@link #STATIC_LEAVE_EPOCH}; 0 to send nothing, so that the session expires
   */
  void leave(int with, long now) {
    comesBack = false;
    if (!sendsHeartbeats() || with == 0) {
      to(State.LEFT);
      return;
    }
    leaveEpoch = with;
    nextNanos = now;
    to(State.LEAVING);
  }

  private void afterLeaving(long now) {
    forget();
    if (!comesBack) {
      to(State.LEFT);
    } else if (lossUnreported) {
      to(State.LOST);
    } else {
      nextNanos = now;
      to(State.JOINING);
    }
  }
}
