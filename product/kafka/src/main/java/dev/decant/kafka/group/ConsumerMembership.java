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
 * A member of a group under the consumer protocol (KIP-848): what it says in heartbeats, and what follows from the
 * responses. It sends nothing itself and reads no clock; its host does. Owner of the loop only.
 *
 * <pre>
 *  OUTSIDE --join--&gt; JOINING --response--&gt; STABLE --another assignment--&gt; RECONCILING
 *                     ^   |                ^                               |
 *                     |   |                |                        application is done
 *              loss   |   |             response                           |
 *              told   |   |                |                               v
 *                     |   |                +----------------------- ACKNOWLEDGING
 *                     |   |
 *                    LOST &lt;--- fenced, or unknown to the group, in any state between JOINING and ACKNOWLEDGING
 *
 *  leave, in those states --&gt; LEAVING --response--&gt; LEFT       (after a stall of the application: LOST, and back)
 *  any error that does not pass by itself --&gt; FAILED
 * </pre>
 *
 * <p>The epoch is 0 to join, what the broker says while a member, -1 to leave and -2 for a static member that will be
 * back.
 */
public final class ConsumerMembership {
  /** To join; the broker gives another. */
  static final int JOIN_EPOCH = 0;
  /** To leave for good. */
  public static final int LEAVE_EPOCH = -1;
  /** To leave as a static member that will be back: its partitions stay with it for the session. */
  public static final int STATIC_LEAVE_EPOCH = -2;

  /** What to do where the broker does not have the protocol. */
  static final String REMEDY = "; the consumer protocol needs brokers of Kafka 4.0 or later:"
      + " use group.protocol=classic";

  private static final long RETRY_MIN_NANOS = 100_000_000L;
  private static final long RETRY_MAX_NANOS = 1_000_000_000L;
  private static final long UNRELEASED_RETRY_NANOS = 1_000_000_000L;
  private static final int LEAST_INTERVAL_MILLIS = 50;
  /** Less than any session: a broker that asks for less is heard more often, and one wrong response ends nothing. */
  private static final int MOST_INTERVAL_MILLIS = 30_000;
  /** The coordinator answers a full heartbeat with the whole assignment, which mends one that was misunderstood. */
  private static final int BEATS_TO_FULL = 10;

  /** Where the member stands. */
  public enum State {
    /** It has not joined yet. */
    OUTSIDE,
    /** It wants in. */
    JOINING,
    /** It has what it should have, as far as it knows. */
    STABLE,
    /** The application gives up partitions and takes others. */
    RECONCILING,
    /** The broker has yet to hear that this is done. */
    ACKNOWLEDGING,
    /** It was thrown out; the application has yet to hear of it. */
    LOST,
    /** The broker has yet to hear that it goes. */
    LEAVING,
    /** It is gone. */
    LEFT,
    /** It was refused for a reason that stays. */
    FAILED
  }

  /** What a membership needs done. Called on the owner of the loop, from within the membership's methods. */
  interface Host {
    /** The name of a topic. If null, the host finds it out and then calls {@link #namesKnown}. */
    @Nullable
    String nameOf(Uuid topicId);

    /** The application is to give up and take partitions; then {@link #reconciled} with the same number. */
    void reconcile(int number, Set<TopicIdPartition> revoked, Set<TopicIdPartition> added);

    /** Whether {@link #reconcile} is to be called also if a first assignment has nothing. */
    default boolean wantsEveryRebalance() {
      return false;
    }

    /** All partitions are lost, and a reconciliation under way is void; the application is told. */
    void lost(KafkaException cause);

    /** The membership has ended for good. */
    void failed(KafkaException cause);

    /** The user may not see a topic of the subscription; a heartbeat that asks again follows. */
    void refused(KafkaException cause);

    /** A heartbeat failed; another follows by itself. */
    void retried(KafkaException cause);

    /** Another broker coordinates the group. */
    void coordinatorLost(KafkaException cause);

    /** The state is another one now. */
    void changed(State before, State now);
  }

  private final GroupSettings settings;
  private final Host host;
  private final long patienceNanos;
  private final String memberId;

  private State state = State.OUTSIDE;
  private int epoch = JOIN_EPOCH;
  private Subscription subscription = new Subscription(List.of(), null);
  private Set<String> subscribedTopics = Set.of();
  /** What the broker wants the member to have. */
  private Set<TopicIdPartition> target = Set.of();
  /** What the application has. */
  private Set<TopicIdPartition> owned = Set.of();
  /** No reconciliation has begun since the member joined. */
  private boolean fresh = true;

  // What the broker knows, and what the heartbeat under way says.
  private @Nullable Subscription acknowledgedSubscription;
  private @Nullable Set<TopicIdPartition> acknowledgedOwned;
  private @Nullable Subscription sayingSubscription;
  private Set<TopicIdPartition> sayingOwned = Set.of();

  private boolean inFlight;
  /** Whether the heartbeat in flight names the partitions that the member has. */
  private boolean saidOwned;
  private boolean inFlightLeaves;
  private long nextNanos;
  /** When the heartbeat in flight, or the last one, was sent. */
  private long sentNanos;
  /** Responses since a heartbeat that said everything. */
  private int responsesSinceFull;
  private int failures;
  private long unreleasedSinceNanos;
  private boolean unreleased;

  private int reconciliation;
  private Set<TopicIdPartition> revoking = Set.of();
  private Set<TopicIdPartition> adding = Set.of();

  private int leaveEpoch = LEAVE_EPOCH;
  private boolean comesBack;
  private boolean lossUntold;

  /**
   * Outside.
   *
   * @param settings what the member says of itself
   * @param host does what is needed
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

  /** Whether a heartbeat under way is not answered yet. */
  boolean isInFlight() {
    return inFlight;
  }

  /** Whether it is in the group, so that the broker takes commits of it. */
  boolean isMember() {
    return state == State.STABLE || state == State.RECONCILING || state == State.ACKNOWLEDGING;
  }

  /** Whether positions of the application's are those of partitions that others may have by now. */
  boolean refusesCommits() {
    return switch (state) {
      case LOST, LEAVING, LEFT, FAILED -> true;
      case OUTSIDE, JOINING, STABLE, RECONCILING, ACKNOWLEDGING -> false;
    };
  }

  /** Whether there are heartbeats in this state. */
  boolean beats() {
    return switch (state) {
      case JOINING, STABLE, RECONCILING, ACKNOWLEDGING, LEAVING -> true;
      case OUTSIDE, LOST, LEFT, FAILED -> false;
    };
  }

  /** When the next heartbeat is due, unless something happens before. */
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

  /** Joins, or tells of another subscription. */
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

  /** Whether the subscription may mean a topic; a pattern is the broker's to match. */
  boolean mayRead(String topic) {
    return subscription.pattern() != null || subscribedTopics.contains(topic);
  }

  /** The heartbeat to send now, if one is due; the next one waits for {@link #onResponse} or {@link #onNoResponse}. */
  @Nullable
  ConsumerGroupHeartbeatRequest heartbeat(long now) {
    if (inFlight || !beats() || nextNanos - now > 0) {
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
    saidOwned = request.topicPartitions() != null;
    return request;
  }

  /** Fields that are null mean what they meant in the heartbeat before. */
  private void describe(ConsumerGroupHeartbeatRequest request) {
    sayingSubscription = subscription;
    sayingOwned = saidToBeOwned();
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
    if (!sayingOwned.equals(acknowledgedOwned)) {
      request.topicPartitions(TopicIdPartition.toRequest(sayingOwned));
    }
  }

  /**
   * Who names what it has must also name what the application is being given: it may have that before this heartbeat
   * arrives, and the coordinator takes what is not named for given up.
   */
  private Set<TopicIdPartition> saidToBeOwned() {
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

  /** The coordinator has refused a commit since it knows no such member: the next heartbeat, sent now, says if so. */
  void verify(long now) {
    if (beats() && state != State.LEAVING && nextNanos - now > 0) {
      nextNanos = now;
    }
  }

  /** A heartbeat was answered. */
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
    if (!beats()) {
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
    acknowledgedSubscription = sayingSubscription;
    acknowledgedOwned = sayingOwned;
    epoch = response.memberEpoch();
    // From the sending on: a process that was frozen reads an old response, and may be no member any more.
    nextNanos = sentNanos + TimeUnit.MILLISECONDS
        .toNanos(Math.clamp(response.heartbeatIntervalMs(), LEAST_INTERVAL_MILLIS, MOST_INTERVAL_MILLIS));
    ConsumerGroupHeartbeatResponse.Assignment assignment = response.assignment();
    if (assignment != null) {
      target = TopicIdPartition.of(assignment);
    }
    if (state == State.JOINING || (state == State.ACKNOWLEDGING && sayingOwned.equals(owned))) {
      to(State.STABLE);
    }
    if (state == State.ACKNOWLEDGING || !subscription.equals(acknowledgedSubscription)) {
      nextNanos = now; // this heartbeat was on its way already when there was something to say
    }
    reconcile();
    if (++responsesSinceFull >= BEATS_TO_FULL || (state == State.STABLE && !owned.equals(target))) {
      acknowledgedSubscription = null; // the next heartbeat says everything, and the response to it does
      acknowledgedOwned = null;
    }
  }

  /** A name that {@link Host#nameOf} did not know is known now. */
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
    if (inFlight && saidOwned && !sayingOwned.containsAll(added)) {
      // The heartbeat under way names what the member has, without these: the coordinator may give them to others as
      // soon as it arrives, while the application takes them. Its response calls this method again.
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

  /** The application has done what {@link Host#reconcile} asked for. */
  void reconciled(int number, long now) {
    if (state != State.RECONCILING || number != reconciliation) {
      return; // lost meanwhile, or on the way out
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

  /** Its former holder may have died a moment ago: the broker lets go of the id when that session ends. */
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

  /** The coordinator has taken a join of this very member whose response was lost: it leaves, and joins again. */
  private void releaseOwn(KafkaException cause, long now) {
    boolean something = !owned.isEmpty() || state == State.RECONCILING;
    comesBack = true;
    lossUntold = something;
    leaveEpoch = STATIC_LEAVE_EPOCH;
    retry(cause, now);
    to(State.LEAVING);
    if (something) {
      host.lost(cause);
    }
  }

  private void retry(KafkaException cause, long now) {
    acknowledgedSubscription = null; // who knows what the broker has heard
    acknowledgedOwned = null;
    nextNanos = now + Math.min(RETRY_MAX_NANOS, RETRY_MIN_NANOS << Math.min(failures++, 10));
    host.retried(cause);
  }

  /** A heartbeat will not be answered. */
  void onNoResponse(KafkaException cause, long now) {
    inFlight = false;
    if (state == State.LEAVING) {
      if (inFlightLeaves) {
        afterLeaving(now);
      }
    } else if (beats()) {
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
    lossUntold = true;
    host.lost(cause);
  }

  /** The application has heard of its loss. */
  void lossHandled(long now) {
    lossUntold = false;
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

  /** What the host meets outside heartbeats and what does not pass by itself. */
  void refuse(KafkaException cause) {
    if (beats()) {
      inFlight = false;
      fail(cause);
    }
  }

  /** The application has not polled for too long: others get its partitions until it does. */
  void stalled(KafkaException cause, long now) {
    if (state == State.LEAVING || !isMember()) {
      return;
    }
    comesBack = true;
    lossUntold = true;
    leaveEpoch = LEAVE_EPOCH;
    nextNanos = now;
    to(State.LEAVING);
    host.lost(cause);
  }

  /**
   * Leaves, unless it is outside anyway.
   *
   * @param with {@link #LEAVE_EPOCH} or {@link #STATIC_LEAVE_EPOCH}; 0 to say nothing, so that the session ends by time
   */
  void leave(int with, long now) {
    comesBack = false;
    if (!beats() || with == 0) {
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
    } else if (lossUntold) {
      to(State.LOST);
    } else {
      nextNanos = now;
      to(State.JOINING);
    }
  }
}
