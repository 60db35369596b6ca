package dev.decant.kafka.group;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.assignor.Assignor;
import dev.decant.kafka.assignor.Subscriber;
import dev.decant.kafka.cluster.TopicName;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.HeartbeatRequest;
import dev.decant.kafka.protocol.message.HeartbeatResponse;
import dev.decant.kafka.protocol.message.JoinGroupRequest;
import dev.decant.kafka.protocol.message.JoinGroupResponse;
import dev.decant.kafka.protocol.message.LeaveGroupRequest;
import dev.decant.kafka.protocol.message.LeaveGroupResponse;
import dev.decant.kafka.protocol.message.SyncGroupRequest;
import dev.decant.kafka.protocol.message.SyncGroupResponse;
import dev.decant.net.Printable;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A member of a group under the classic protocol: what it says, and what follows from the responses. It sends nothing
 * itself and reads no clock; its host does. Owner of the loop only.
 *
 * <pre>
 *  OUTSIDE --subscribe--&gt; JOINING --response--&gt; SYNCING --response--&gt; RECONCILING --done--&gt; STABLE
 *                          ^ ^ ^                 |                                           | |
 *                          | | +----- rebalance -+                                           | |
 *                          | +---- rebalance: cooperative, or with nothing to revoke --------+ |
 *                          +-- done -- PREPARING &lt;--- rebalance: eager ------------------------+
 *
 *  thrown out, in any state between JOINING and PREPARING --&gt; LOST --loss told--&gt; JOINING
 *  leave, in those states --&gt; LEAVING --response--&gt; LEFT       (after a stall of the application: LOST, and back)
 *  any error that stays --&gt; FAILED
 * </pre>
 *
 * <p>A rebalance begins with a heartbeat's response, with another subscription, or because the leader finds topics
 * changed; while the application reconciles it waits. Eager members give everything up before they join, and take what
 * they are given; cooperative ones (KIP-429) join with what they have, give up what they are not given, and then join
 * once more, so that others can have it. Between join and assignment the coordinator waits for all members, so join and
 * sync are answered late; heartbeats go on beside them.
 */
final class ClassicMembership {
  private static final int NO_GENERATION = -1;
  private static final long RETRY_MIN_NANOS = 100_000_000L;
  private static final long RETRY_MAX_NANOS = 1_000_000_000L;

  /** Where the member stands. */
  enum State {
    /** It has not joined yet. */
    OUTSIDE,
    /** The application gives everything up before the member joins again. */
    PREPARING,
    /** It wants in, or into the next generation. */
    JOINING,
    /** It is in and waits for what the leader gives it; or it is the leader. */
    SYNCING,
    /** The application gives up partitions and takes others. */
    RECONCILING,
    /** It has what it was given. */
    STABLE,
    /** It was thrown out; the application has yet to hear of it. */
    LOST,
    /** The coordinator has yet to hear that it goes. */
    LEAVING,
    /** It is gone. */
    LEFT,
    /** It was refused for a reason that stays. */
    FAILED
  }

  /** What a membership needs done. Called on the owner of the loop, from within the membership's methods. */
  interface Host {
    /** The application is to give up and take partitions; then {@link #reconciled} with the same number. */
    void reconcile(int number, Set<TopicPartition> revoked, Set<TopicPartition> added);

    /** This member leads: it watches the topics of all, and calls {@link #assigned} for the generation if it divides.
     * */
    void lead(int generation, Assignor assignor, List<Subscriber> members, boolean divides);

    /** Somebody else leads. */
    void follow();

    /** Whether {@link #reconcile} is to be called also if nothing is given up or taken. */
    default boolean wantsEveryRebalance() {
      return false;
    }

    /** The polling thread has {@link #askAssignors} called; then {@link #userData} with the same number. */
    default void askAssignors(int number, Set<String> topics, int ownedGeneration) {}

    /** The assignor hears of the assignment; {@link #reconcile} follows, unless nothing changes. */
    default void assignmentCame(Assignor assignor, Set<TopicPartition> all, ByteBuffer userData) {}

    /** All partitions are lost, and a reconciliation under way is void; the application is told. */
    void lost(KafkaException cause);

    /** The membership has ended for good. */
    void failed(KafkaException cause);

    /** The coordinator refuses the member for now: an error that the application has to know. */
    void refused(KafkaException cause);

    /** A request failed; another follows by itself. */
    void retried(KafkaException cause);

    /** Another broker coordinates the group. */
    void coordinatorLost(KafkaException cause);

    /** The state is another one now. */
    void changed(State before, State now);
  }

  /** What is asked and not answered yet. One of them at a time, so that responses need no numbers. */
  private enum Asking {
    NOTHING, JOIN, SYNC
  }

  private final GroupSettings settings;
  private final ClassicSettings classic;
  private final ClassicRequests requests;
  private final Host host;
  private final boolean cooperative;
  private final long intervalNanos;

  private State state = State.OUTSIDE;
  private String memberId = "";
  private int generation = NO_GENERATION;
  private Set<String> topics = Set.of();
  /** What the application has, and since which generation. */
  private Set<TopicPartition> owned = Set.of();
  private int ownedGeneration = NO_GENERATION;
  /** Why to join again as soon as may be; null for no reason. */
  private @Nullable String rejoinReason;
  private String reason = "the consumer was opened";

  // What assignors that run within polls are asked before a join.
  /** For the join that is due; null if they have yet to be asked. */
  private @Nullable Map<String, ByteBuffer> userData;
  private boolean asksAssignors;
  private int question;

  // Join and sync.
  private Asking asking = Asking.NOTHING;
  /** The response under way is to a question of another membership. */
  private boolean responseIsVoid;
  private long joinNanos;
  private int failures;
  private @Nullable Assignor assignor;
  /** What a leader has divided, by member id; null while it is at it. */
  private @Nullable Map<String, ByteBuffer> divided;

  // Heartbeats and leaving.
  private boolean beatInFlight;
  private int beatGeneration;
  private long beatNanos;
  /** When the heartbeat in flight, or the last one, was sent. */
  private long beatSentNanos;
  private boolean leaveInFlight;
  /** It has failed, but the coordinator still counts on it. */
  private boolean owesLeave;
  private String leaveReason = "the consumer was closed";
  private boolean comesBack;
  private boolean lossUntold;

  private int reconciliation;
  private Set<TopicPartition> revoking = Set.of();
  private Set<TopicPartition> adding = Set.of();

  /** Creates a member that is outside of its group. */
  ClassicMembership(GroupSettings settings, ClassicSettings classic, Host host) {
    this.settings = settings;
    this.classic = classic;
    this.requests = new ClassicRequests(settings, classic);
    this.host = host;
    this.cooperative = classic.isCooperative();
    this.intervalNanos = TimeUnit.MILLISECONDS.toNanos(classic.heartbeatIntervalMillis());
  }

  State state() {
    return state;
  }

  /** Empty until the coordinator has given one. */
  String memberId() {
    return memberId;
  }

  /** -1 outside. */
  int generation() {
    return generation;
  }

  boolean isCooperative() {
    return cooperative;
  }

  /** Whether a join is due or under way: it waits at the coordinator, so it needs a connection of its own. */
  boolean isJoining() {
    return state == State.JOINING || state == State.SYNCING;
  }

  /** Whether it is about to join with nothing said yet: what the application has committed may still go before. */
  boolean isAboutToJoin() {
    return state == State.JOINING && asking == Asking.NOTHING;
  }

  /** Whether the coordinator takes commits of this generation now, as far as the member knows. */
  boolean takesCommits() {
    return generation != NO_GENERATION && switch (state) {
      case PREPARING, JOINING, RECONCILING, STABLE -> true;
      case OUTSIDE, SYNCING, LOST, LEAVING, LEFT, FAILED -> false;
    };
  }

  /** Whether positions of the application's are those of partitions that others may have by now. */
  boolean refusesCommits() {
    return switch (state) {
      case LOST, LEAVING, LEFT, FAILED -> true;
      case OUTSIDE, PREPARING, JOINING, SYNCING, RECONCILING, STABLE -> false;
    };
  }

  /** Whether it is in the group, or on its way in or out. */
  boolean isActive() {
    return state == State.LEAVING || owesLeave || isInside();
  }

  private boolean isInside() {
    return switch (state) {
      case PREPARING, JOINING, SYNCING, RECONCILING, STABLE -> true;
      case OUTSIDE, LOST, LEAVING, LEFT, FAILED -> false;
    };
  }

  /** When something is due by itself; {@link Long#MAX_VALUE} for never. */
  long nextNanos(long now) {
    if (state == State.LEAVING || owesLeave) {
      return leaveInFlight ? Long.MAX_VALUE : now;
    }
    long next = Long.MAX_VALUE;
    if (asking == Asking.NOTHING && (state == State.JOINING || (state == State.SYNCING && divided != null))) {
      next = state == State.SYNCING ? now : asksAssignors ? Long.MAX_VALUE : joinNanos;
    }
    return beats() ? GroupMember.nextAhead(now, next, beatNanos) : next;
  }

  private void to(State next) {
    State before = state;
    if (before != next) {
      state = next;
      host.changed(before, next);
    }
  }

  /** Joins, or tells of other topics. */
  void subscribe(Set<String> wanted, long now) {
    boolean other = !wanted.equals(topics);
    topics = Set.copyOf(wanted);
    if (other) {
      forgetUserData();
    }
    if (state == State.OUTSIDE) {
      joinNanos = now;
      to(State.JOINING);
    } else if (other) {
      rejoin("the subscription is another one", now);
    }
  }

  /** Joins again, as soon as the application is done with what it is at. */
  void rejoin(String why, long now) {
    if (!isInside() || state == State.PREPARING || isAboutToJoin()) {
      return;
    }
    rejoinReason = why;
    if (state == State.STABLE) {
      begin(now);
    }
  }

  private void begin(long now) {
    if (cooperative || (owned.isEmpty() && !host.wantsEveryRebalance())) {
      joinAt(now);
      return;
    }
    to(State.PREPARING);
    revoking = owned;
    adding = Set.of();
    host.reconcile(++reconciliation, revoking, adding);
  }

  private void joinAt(long when) {
    joinNanos = when;
    divided = null;
    to(State.JOINING);
  }

  // Join.

  /** The join to send now, if one is due; {@link #onJoined} or {@link #onNoJoin} follows. */
  @Nullable
  JoinGroupRequest join(long now) {
    if (state != State.JOINING || asking != Asking.NOTHING || joinNanos - now > 0) {
      return null;
    }
    Map<String, ByteBuffer> said = userDataOfJoin();
    if (said == null) {
      return null;
    }
    forgetUserData();
    String why = rejoinReason;
    reason = why == null ? reason : why;
    rejoinReason = null;
    asking = Asking.JOIN;
    return requests.join(memberId, topics, owned, ownedGeneration, reason, said);
  }

  /** Null while the polling thread asks the assignors, and if one has failed. */
  private @Nullable Map<String, ByteBuffer> userDataOfJoin() {
    if (!requests.asksWithinPolls()) {
      try {
        return requests.userData(topics, ownedGeneration);
      } catch (KafkaException e) {
        fail(e);
        return null;
      }
    }
    Map<String, ByteBuffer> said = userData;
    if (said == null && !asksAssignors) {
      asksAssignors = true;
      host.askAssignors(++question, topics, ownedGeneration);
    }
    return said;
  }

  /** Asks the assignors what {@link Host#askAssignors} wants to know. Any thread. */
  Map<String, ByteBuffer> askAssignors(Set<String> ofTopics, int sinceGeneration) {
    return requests.userData(ofTopics, sinceGeneration);
  }

  /** The assignors have said what {@link Host#askAssignors} asked for. */
  void userData(int number, Map<String, ByteBuffer> said) {
    if (number == question) {
      asksAssignors = false;
      userData = Map.copyOf(said);
    }
  }

  private void forgetUserData() {
    question++;
    asksAssignors = false;
    userData = null;
  }

  /** True for a response that nobody waits for any more. */
  private boolean isStale() {
    asking = Asking.NOTHING;
    boolean stale = responseIsVoid;
    responseIsVoid = false;
    return stale || !isJoining();
  }

  /** A join was answered. */
  void onJoined(JoinGroupResponse response, long now) {
    if (isStale()) {
      return;
    }
    ErrorCode code = ErrorCode.of(response.errorCode());
    switch (code) {
      case NONE -> onMember(response, now);
      case MEMBER_ID_REQUIRED -> {
        if (memberId.isEmpty() && !response.memberId().isEmpty()) {
          memberId = response.memberId();
          joinNanos = now;
        } else {
          retryJoin(refusal(code, "join"), now);
        }
      }
      case UNKNOWN_MEMBER_ID -> {
        KafkaException cause = refusal(code, "join");
        memberId = "";
        lose(cause, now);
      }
      case REBALANCE_IN_PROGRESS -> retryJoin(refusal(code, "join"), now);
      default -> onRefusal(code, "join", now);
    }
  }

  private void onMember(JoinGroupResponse response, long now) {
    Assignor chosen = null;
    for (Assignor each : classic.assignors()) {
      chosen = each.name().equals(response.protocolName()) ? each : chosen;
    }
    if (chosen == null || response.generationId() < 0 || response.memberId().isEmpty()
        || !isOurs(response.protocolType())) {
      fail(new KafkaException(ErrorCode.INCONSISTENT_GROUP_PROTOCOL, "group " + settings.groupId()
          + ": the coordinator answered a join with protocol " + printable(response.protocolType()) + ", assignor "
          + printable(response.protocolName()) + ", generation " + response.generationId() + ", member id \""
          + printable(response.memberId()) + "\"; this consumer has the assignors " + requests.assignorNames()));
      return;
    }
    failures = 0;
    assignor = chosen;
    memberId = response.memberId();
    generation = response.generationId();
    beatNanos = now + intervalNanos;
    boolean leads = memberId.equals(response.leader());
    boolean divides = leads && !response.skipAssignment();
    divided = divides ? null : Map.of();
    to(State.SYNCING);
    if (leads) {
      host.lead(generation, chosen, subscribers(response), divides);
    } else {
      host.follow();
    }
  }

  private static boolean isOurs(@Nullable String protocolType) {
    return protocolType == null || protocolType.equals(ConsumerProtocol.TYPE);
  }

  /** One whose bytes cannot be read gets nothing, and does not keep the others from getting something. */
  private List<Subscriber> subscribers(JoinGroupResponse response) {
    List<Subscriber> members = new ArrayList<>();
    for (JoinGroupResponse.JoinGroupResponseMember m : response.members()) {
      try {
        members.add(ConsumerProtocol.readSubscription(m.memberId(), m.groupInstanceId(), m.metadata()));
      } catch (KafkaException e) {
        host.retried(new KafkaException(e.code(), "group " + settings.groupId() + ": " + e.getMessage()
            + "; the leader gives it no partitions", e));
      }
    }
    members.sort((a, b) -> a.memberId().compareTo(b.memberId()));
    return members;
  }

  /** The leader has divided the partitions. */
  void assigned(int ofGeneration, Map<String, ByteBuffer> assignments) {
    if (state == State.SYNCING && ofGeneration == generation) {
      divided = Map.copyOf(assignments);
    }
  }

  // Sync.

  /** The sync to send now, if one is due; {@link #onSynced} or {@link #onNoJoin} follows. */
  @Nullable
  SyncGroupRequest sync() {
    Map<String, ByteBuffer> mine = divided;
    Assignor chosen = assignor;
    if (state != State.SYNCING || asking != Asking.NOTHING || mine == null || chosen == null) {
      return null;
    }
    asking = Asking.SYNC;
    return requests.sync(memberId, generation, chosen.name(), mine);
  }

  /** A sync was answered. */
  void onSynced(SyncGroupResponse response, long now) {
    if (isStale()) {
      return;
    }
    ErrorCode code = ErrorCode.of(response.errorCode());
    switch (code) {
      case NONE -> onAssignment(response, now);
      case REBALANCE_IN_PROGRESS -> {
        reason = "the group went on to another rebalance";
        joinAt(now);
      }
      case UNKNOWN_MEMBER_ID, ILLEGAL_GENERATION -> lose(code, "sync", now);
      default -> onRefusal(code, "sync", now);
    }
  }

  /** Words of the coordinator, for a message; member ids are of its making, too. */
  private static String printable(@Nullable String text) {
    return Printable.of(String.valueOf(text));
  }

  private void onAssignment(SyncGroupResponse response, long now) {
    Set<TopicPartition> target;
    Assignor chosen = assignor;
    String named = response.protocolName();
    try {
      if (!isOurs(response.protocolType()) || (named != null && chosen != null && !named.equals(chosen.name()))) {
        throw new KafkaException(ErrorCode.INCONSISTENT_GROUP_PROTOCOL, "the coordinator answered a sync with protocol "
            + printable(response.protocolType()) + ", assignor " + printable(named));
      }
      target = ConsumerProtocol.readAssignment(response.assignment()).stream()
          .filter(p -> TopicName.isLegal(p.topic())).collect(Collectors.toCollection(LinkedHashSet::new));
      if (chosen != null) {
        host.assignmentCame(chosen, target, ConsumerProtocol.readAssignmentUserData(response.assignment()));
      }
    } catch (KafkaException e) {
      fail(new KafkaException(e.code(),
          "group " + settings.groupId() + ", member " + printable(memberId) + ", generation "
              + generation + ": " + e.getMessage() + "; the members of a group must have the same assignors",
          e));
      return;
    }
    divided = null;
    ownedGeneration = generation;
    revoking = minus(owned, target);
    adding = minus(target, owned);
    to(State.RECONCILING);
    if (revoking.isEmpty() && adding.isEmpty() && !host.wantsEveryRebalance()) {
      stable(now);
    } else {
      host.reconcile(++reconciliation, revoking, adding);
    }
  }

  private static Set<TopicPartition> minus(Set<TopicPartition> from, Set<TopicPartition> without) {
    Set<TopicPartition> left = new LinkedHashSet<>(from);
    left.removeAll(without);
    return left;
  }

  private void stable(long now) {
    to(State.STABLE);
    if (rejoinReason != null) {
      begin(now);
    }
  }

  /** The application has done what {@link Host#reconcile} asked for. */
  void reconciled(int number, long now) {
    if (number != reconciliation || (state != State.RECONCILING && state != State.PREPARING)) {
      return; // lost meanwhile, or on the way out
    }
    boolean gaveUp = !revoking.isEmpty();
    Set<TopicPartition> after = minus(owned, revoking);
    after.addAll(adding);
    owned = after;
    revoking = Set.of();
    adding = Set.of();
    if (state == State.PREPARING) {
      joinAt(now);
      return;
    }
    if (gaveUp) { // so that others can have it
      rejoinReason = "partitions were given up";
    }
    stable(now);
  }

  /** A join or a sync will not be answered. */
  void onNoJoin(KafkaException cause, long now) {
    if (!isStale()) {
      retryJoin(cause, now);
    }
  }

  private void retryJoin(KafkaException cause, long now) {
    joinAt(now + backoff());
    host.retried(cause);
  }

  private long backoff() {
    return Math.min(RETRY_MAX_NANOS, RETRY_MIN_NANOS << Math.min(failures++, 10));
  }

  // Heartbeats.

  private boolean beats() {
    return isInside() && generation != NO_GENERATION && !beatInFlight;
  }

  /** The heartbeat to send now, if one is due; {@link #onBeat} or {@link #onNoBeat} follows. */
  @Nullable
  HeartbeatRequest heartbeat(long now) {
    if (!beats() || beatNanos - now > 0) {
      return null;
    }
    beatInFlight = true;
    beatSentNanos = now;
    beatGeneration = generation;
    return requests.heartbeat(memberId, generation);
  }

  /** The coordinator has refused a commit since it knows no such member: the next heartbeat, sent now, says if so. */
  void verify(long now) {
    if (isInside() && beatNanos - now > 0) {
      beatNanos = now;
    }
  }

  /** A heartbeat was answered. */
  void onBeat(HeartbeatResponse response, long now) {
    beatInFlight = false;
    if (!isInside()) {
      return;
    }
    // From the sending on: a process that was frozen reads an old response, and may be no member any more.
    beatNanos = beatSentNanos + intervalNanos;
    ErrorCode code = ErrorCode.of(response.errorCode());
    switch (code) {
      case NONE -> failures = 0;
      case REBALANCE_IN_PROGRESS -> rejoinAfterBeat(now);
      case UNKNOWN_MEMBER_ID, ILLEGAL_GENERATION -> {
        if (!isJoining() && beatGeneration == generation) { // else the response to the join says what holds
          lose(code, "heartbeat", now);
        }
      }
      case NOT_COORDINATOR, COORDINATOR_NOT_AVAILABLE -> {
        KafkaException cause = refusal(code, "heartbeat");
        host.coordinatorLost(cause);
        retryBeat(cause, now);
      }
      default -> {
        KafkaException cause = refusal(code, "heartbeat");
        if (Membership.isForNow(code)) {
          host.refused(cause);
          retryBeat(cause, now);
        } else if (code.isRetriable()) {
          retryBeat(cause, now);
        } else {
          fail(cause);
        }
      }
    }
  }

  /** What the member is in the middle of is that rebalance, or the response is to an earlier generation. */
  private void rejoinAfterBeat(long now) {
    if (!isJoining() && beatGeneration == generation) {
      rejoin("the group rebalances", now);
    }
  }

  private void retryBeat(KafkaException cause, long now) {
    beatNanos = now + Math.min(intervalNanos, backoff());
    host.retried(cause);
  }

  /** A heartbeat will not be answered. */
  void onNoBeat(KafkaException cause, long now) {
    beatInFlight = false;
    if (isInside()) {
      if (isJoining()) { // what waits for a response there may wait in vain
        host.coordinatorLost(cause);
      }
      retryBeat(cause, now);
    }
  }

  // Refusals.

  private KafkaException refusal(ErrorCode code, String request) {
    return requests.refusal(code, request, memberId, generation);
  }

  private void onRefusal(ErrorCode code, String request, long now) {
    KafkaException cause = refusal(code, request);
    if (!code.isRetriable() && !Membership.isForNow(code)) {
      fail(cause);
      return;
    }
    if (code == ErrorCode.NOT_COORDINATOR || code == ErrorCode.COORDINATOR_NOT_AVAILABLE) {
      host.coordinatorLost(cause);
    } else if (!code.isRetriable()) {
      host.refused(cause);
    }
    retryJoin(cause, now); // under the same member id: the coordinator still counts on it
  }

  private void forget() {
    generation = NO_GENERATION;
    owned = Set.of();
    ownedGeneration = NO_GENERATION;
    forgetUserData();
    revoking = Set.of();
    adding = Set.of();
    divided = null;
    rejoinReason = null;
    reconciliation++;
    responseIsVoid = asking != Asking.NOTHING;
  }

  /** Whether the application has partitions, or is about to. */
  private boolean holdsSomething() {
    return !owned.isEmpty() || state == State.RECONCILING || state == State.PREPARING;
  }

  private void lose(ErrorCode code, String request, long now) {
    KafkaException cause = refusal(code, request);
    if (code == ErrorCode.UNKNOWN_MEMBER_ID) {
      memberId = "";
    }
    lose(cause, now);
  }

  private void lose(KafkaException cause, long now) {
    boolean something = holdsSomething();
    forget();
    reason = "the member was thrown out: " + cause.code();
    if (!something) {
      retryJoin(cause, now);
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
      joinAt(now);
    }
  }

  private void fail(KafkaException cause) {
    boolean something = holdsSomething();
    owesLeave = generation != NO_GENERATION && cause.code() != ErrorCode.FENCED_INSTANCE_ID;
    leaveReason = "the member has failed: " + cause.getMessage();
    forget();
    to(State.FAILED);
    if (something) {
      host.lost(cause);
    }
    host.failed(cause);
  }

  /** What the host meets outside responses and what does not pass by itself. */
  void refuse(KafkaException cause) {
    if (state == State.LEAVING || isInside()) {
      fail(cause);
    }
  }

  // Leaving.

  /** The application has not polled for too long: others get its partitions until it does. */
  void stalled(KafkaException cause) {
    if (!isInside() || generation == NO_GENERATION) {
      return;
    }
    comesBack = true;
    lossUntold = true;
    leaveReason = "the application has not polled for max.poll.interval.ms";
    reason = "the application polls again";
    responseIsVoid = asking != Asking.NOTHING;
    to(State.LEAVING);
    host.lost(cause);
  }

  /** Leaves, unless it is outside anyway; silently if {@code aloud} is false, so that the session expires. */
  void leave(boolean aloud) {
    comesBack = false;
    leaveReason = "the consumer was closed";
    boolean isTold = aloud && !memberId.isEmpty() && (state == State.LEAVING || isInside());
    owesLeave = false;
    if (isTold) {
      responseIsVoid = asking != Asking.NOTHING;
    }
    to(isTold ? State.LEAVING : State.LEFT);
  }

  /** The leave request to send now, if it is due; {@link #onLeft} follows. */
  @Nullable
  LeaveGroupRequest leaveRequest() {
    if (leaveInFlight || (state != State.LEAVING && !owesLeave)) {
      return null;
    }
    leaveInFlight = true;
    return requests.leave(memberId, leaveReason);
  }

  /** A leave request got a response or will get none; either way the member is out. */
  void onLeft(@Nullable LeaveGroupResponse response, long now) {
    leaveInFlight = false;
    owesLeave = false;
    if (state != State.LEAVING) {
      return;
    }
    forget();
    memberId = "";
    if (response != null && ErrorCode.of(response.errorCode()) == ErrorCode.NOT_COORDINATOR) {
      host.coordinatorLost(refusal(ErrorCode.NOT_COORDINATOR, "leave"));
    }
    if (!comesBack) {
      to(State.LEFT);
    } else if (lossUntold) {
      to(State.LOST);
    } else {
      joinAt(now);
    }
  }
}
