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
 * Membership in a group under the classic protocol: a state machine that makes requests and handles their responses. It
 * has no I/O and reads no clock; its host does both. Owner of the loop only.
 *
 * <pre>
 *  OUTSIDE --subscribe--&gt; JOINING --response--&gt; SYNCING --response--&gt; RECONCILING --done--&gt; STABLE
 *                          ^ ^ ^                 |                                           | |
 *                          | | +----- rebalance -+                                           | |
 *                          | +---- rebalance: cooperative, or with nothing to revoke --------+ |
 *                          +-- done -- PREPARING &lt;--- rebalance: eager ------------------------+
 *
 *  removed, in any state between JOINING and PREPARING --&gt; LOST --loss handled--&gt; JOINING
 *  leave, in those states --&gt; LEAVING --response--&gt; LEFT       (after a stall of the application: LOST, and back)
 *  any error that retries do not cure --&gt; FAILED
 * </pre>
 *
 * <p>A rebalance begins with a heartbeat's response, another subscription, or changed topics that the leader finds. It
 * waits while the application reconciles. Eager members revoke everything before they join. Cooperative ones (KIP-429)
 * join with what they own, revoke what is not assigned to them, and join once more, so that others get it. The
 * coordinator responds to joins when all members have joined, and to syncs when the leader has sent its own. Heartbeats
 * continue meanwhile.
 */
final class ClassicMembership {
  private static final int NO_GENERATION = -1;
  private static final long RETRY_MIN_NANOS = 100_000_000L;
  private static final long RETRY_MAX_NANOS = 1_000_000_000L;

  /** States of a membership. */
  enum State {
    /** Not joined yet. */
    OUTSIDE,
    /** The application revokes everything before the member joins again. */
    PREPARING,
    /** Wants to join, or to join the next generation. */
    JOINING,
    /** Joined, and waits for the leader's assignment; or is the leader. */
    SYNCING,
    /** The application revokes partitions and takes others. */
    RECONCILING,
    /** Has its assignment. */
    STABLE,
    /** The group has removed the member; the application does not know yet. */
    LOST,
    /** The coordinator does not know yet that the member leaves. */
    LEAVING,
    /** Has left. */
    LEFT,
    /** Refused with an error that retries do not cure. */
    FAILED
  }

  /** Work that a membership needs. Called on the owner of the loop, from within the membership's methods. */
  interface Host {
    /** Makes the application revoke and take partitions, and then call {@link #reconciled} with the number. */
    void reconcile(int number, Set<TopicPartition> revoked, Set<TopicPartition> added);

    /** Makes this member the leader: it watches the topics of all, and if it assigns, calls {@link #assigned}. */
    void lead(int generation, Assignor assignor, List<Subscriber> members, boolean assigns);

    /** Makes another member the leader. */
    void follow();

    /** Returns true if {@link #reconcile} has to be called even if nothing is revoked or taken. */
    default boolean wantsEveryRebalance() {
      return false;
    }

    /** Makes the polling thread call {@link #computeUserData}, and then {@link #userData} with the number. */
    default void computeUserData(int number, Set<String> topics, int ownedGeneration) {}

    /** Passes an assignment to the assignor. {@link #reconcile} follows, unless nothing changes. */
    default void assignmentReceived(Assignor assignor, Set<TopicPartition> all, ByteBuffer userData) {}

    /** Reports that all partitions are lost. A reconciliation under way has no effect any more. */
    void lost(KafkaException cause);

    /** Reports that the membership has ended for good. */
    void failed(KafkaException cause);

    /** Reports a refusal that may pass and that the application has to know. */
    void refused(KafkaException cause);

    /** Reports that a request failed. Another one follows. */
    void retried(KafkaException cause);

    /** Reports that the group has another coordinator. */
    void coordinatorLost(KafkaException cause);

    /** Reports a change of the state. */
    void changed(State before, State now);
  }

  /** Request without a response. There is one at a time, so responses need no numbers. */
  private enum Pending {
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
  /** Partitions that the application has, and the generation that assigned them. */
  private Set<TopicPartition> owned = Set.of();
  private int ownedGeneration = NO_GENERATION;
  /** Reason to join again as soon as possible; null for none. */
  private @Nullable String rejoinReason;
  /** Reason of the next join, for the coordinator's log. */
  private String reason = "the consumer was opened";

  // User data of assignors that run within polls.
  /** Data for the next join; null until the polling thread has computed it. */
  private @Nullable Map<String, ByteBuffer> userData;
  private boolean awaitsUserData;
  private int userDataNumber;

  // Join and sync.
  private Pending pending = Pending.NOTHING;
  /** True if the pending response belongs to an earlier membership: it is ignored. */
  private boolean ignoresResponse;
  private long joinNanos;
  private int failures;
  private @Nullable Assignor assignor;
  /** The assignment that this leader computed, by member id; null while it is being computed. */
  private @Nullable Map<String, ByteBuffer> assignment;

  // Heartbeats and leaving.
  private boolean heartbeatInFlight;
  private int heartbeatGeneration;
  private long heartbeatNanos;
  /** When the last heartbeat was sent. */
  private long heartbeatSentNanos;
  private boolean leaveInFlight;
  /** True after a failure, while the coordinator still counts on the member: it has to leave. */
  private boolean leaveIsDue;
  private String leaveReason = "the consumer was closed";
  /** True if the member joins again after it has left. */
  private boolean comesBack;
  /** True while the application has not handled a loss. */
  private boolean lossUnreported;

  private int reconciliation;
  private Set<TopicPartition> revoking = Set.of();
  private Set<TopicPartition> adding = Set.of();

  /** Creates a member outside of its group. */
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

  String memberId() {
    return memberId;
  }

  int generation() {
    return generation;
  }

  boolean isCooperative() {
    return cooperative;
  }

  /** Returns true if a join is due or in flight. It waits at the coordinator, so it needs its own connection. */
  boolean isJoining() {
    return state == State.JOINING || state == State.SYNCING;
  }

  /** Returns true before a join is sent: commits may still go before it. */
  boolean isAboutToJoin() {
    return state == State.JOINING && pending == Pending.NOTHING;
  }

  /** Returns true if the coordinator takes commits of this generation, as far as the member knows. */
  boolean takesCommits() {
    return generation != NO_GENERATION && switch (state) {
      case PREPARING, JOINING, RECONCILING, STABLE -> true;
      case OUTSIDE, SYNCING, LOST, LEAVING, LEFT, FAILED -> false;
    };
  }

  /** Returns true if other members may own the application's partitions by now. */
  boolean refusesCommits() {
    return switch (state) {
      case LOST, LEAVING, LEFT, FAILED -> true;
      case OUTSIDE, PREPARING, JOINING, SYNCING, RECONCILING, STABLE -> false;
    };
  }

  /** Returns true if the member is in the group, joins or leaves. */
  boolean isActive() {
    return state == State.LEAVING || leaveIsDue || isInside();
  }

  private boolean isInside() {
    return switch (state) {
      case PREPARING, JOINING, SYNCING, RECONCILING, STABLE -> true;
      case OUTSIDE, LOST, LEAVING, LEFT, FAILED -> false;
    };
  }

  /** Returns when {@link #join} or another request is due; {@link Long#MAX_VALUE} for never. */
  long nextNanos(long now) {
    if (state == State.LEAVING || leaveIsDue) {
      return leaveInFlight ? Long.MAX_VALUE : now;
    }
    long next = Long.MAX_VALUE;
    if (pending == Pending.NOTHING && (state == State.JOINING || (state == State.SYNCING && assignment != null))) {
      next = state == State.SYNCING ? now : awaitsUserData ? Long.MAX_VALUE : joinNanos;
    }
    return sendsHeartbeats() ? GroupMember.nextAhead(now, next, heartbeatNanos) : next;
  }

  private void to(State next) {
    State before = state;
    if (before != next) {
      state = next;
      host.changed(before, next);
    }
  }

  /** Joins, or changes the topics. */
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

  /** Joins again, as soon as the application has reconciled. */
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
    assignment = null;
    to(State.JOINING);
  }

  // Join.

  /** Returns the join to send; null if none is due. {@link #onJoined} or {@link #onNoJoin} follows. */
  @Nullable
  JoinGroupRequest join(long now) {
    if (state != State.JOINING || pending != Pending.NOTHING || joinNanos - now > 0) {
      return null;
    }
    Map<String, ByteBuffer> data = userDataOfJoin();
    if (data == null) {
      return null;
    }
    forgetUserData();
    String why = rejoinReason;
    reason = why == null ? reason : why;
    rejoinReason = null;
    pending = Pending.JOIN;
    return requests.join(memberId, topics, owned, ownedGeneration, reason, data);
  }

  /** Returns user data for a join; null while the polling thread computes it, and if an assignor has failed. */
  private @Nullable Map<String, ByteBuffer> userDataOfJoin() {
    if (!requests.runsWithinPolls()) {
      try {
        return requests.userData(topics, ownedGeneration);
      } catch (KafkaException e) {
        fail(e);
        return null;
      }
    }
    Map<String, ByteBuffer> data = userData;
    if (data == null && !awaitsUserData) {
      awaitsUserData = true;
      host.computeUserData(++userDataNumber, topics, ownedGeneration);
    }
    return data;
  }

  /** Calls the assignors for the user data of {@link Host#computeUserData}. Any thread. */
  Map<String, ByteBuffer> computeUserData(Set<String> ofTopics, int sinceGeneration) {
    return requests.userData(ofTopics, sinceGeneration);
  }

  /** Takes the user data of {@link Host#computeUserData}. */
  void userData(int number, Map<String, ByteBuffer> data) {
    if (number == userDataNumber) {
      awaitsUserData = false;
      userData = Map.copyOf(data);
    }
  }

  private void forgetUserData() {
    userDataNumber++;
    awaitsUserData = false;
    userData = null;
  }

  /** Returns true if the response belongs to an earlier membership. */
  private boolean isStale() {
    pending = Pending.NOTHING;
    boolean stale = ignoresResponse;
    ignoresResponse = false;
    return stale || !isJoining();
  }

  /** Handles the response to a join. */
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
    heartbeatNanos = now + intervalNanos;
    boolean leads = memberId.equals(response.leader());
    boolean assigns = leads && !response.skipAssignment();
    assignment = assigns ? null : Map.of();
    to(State.SYNCING);
    if (leads) {
      host.lead(generation, chosen, subscribers(response), assigns);
    } else {
      host.follow();
    }
  }

  private static boolean isOurs(@Nullable String protocolType) {
    return protocolType == null || protocolType.equals(ConsumerProtocol.TYPE);
  }

  /** Reads the members' subscriptions. A member with unreadable bytes gets nothing; the others still get theirs. */
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

  /** Takes the assignment that the leader has computed. */
  void assigned(int ofGeneration, Map<String, ByteBuffer> assignments) {
    if (state == State.SYNCING && ofGeneration == generation) {
      assignment = Map.copyOf(assignments);
    }
  }

  // Sync.

  /** Returns the sync to send; null if none is due. {@link #onSynced} or {@link #onNoJoin} follows. */
  @Nullable
  SyncGroupRequest sync() {
    Map<String, ByteBuffer> mine = assignment;
    Assignor chosen = assignor;
    if (state != State.SYNCING || pending != Pending.NOTHING || mine == null || chosen == null) {
      return null;
    }
    pending = Pending.SYNC;
    return requests.sync(memberId, generation, chosen.name(), mine);
  }

  /** Handles the response to a sync. */
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

  /** Makes a text of the coordinator, or a member id, safe and short enough for a message. */
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
        host.assignmentReceived(chosen, target, ConsumerProtocol.readAssignmentUserData(response.assignment()));
      }
    } catch (KafkaException e) {
      fail(new KafkaException(e.code(),
          "group " + settings.groupId() + ", member " + printable(memberId) + ", generation "
              + generation + ": " + e.getMessage() + "; the members of a group must have the same assignors",
          e));
      return;
    }
    assignment = null;
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

  /** Ends the reconciliation, after the application has done its part. */
  void reconciled(int number, long now) {
    if (number != reconciliation || (state != State.RECONCILING && state != State.PREPARING)) {
      return; // lost meanwhile, or leaving
    }
    boolean hasRevoked = !revoking.isEmpty();
    Set<TopicPartition> after = minus(owned, revoking);
    after.addAll(adding);
    owned = after;
    revoking = Set.of();
    adding = Set.of();
    if (state == State.PREPARING) {
      joinAt(now);
      return;
    }
    if (hasRevoked) { // the group can assign revoked partitions only in another rebalance
      rejoinReason = "partitions were given up";
    }
    stable(now);
  }

  /** Handles a join or sync that gets no response. */
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

  private boolean sendsHeartbeats() {
    return isInside() && generation != NO_GENERATION && !heartbeatInFlight;
  }

  /** Returns the heartbeat to send; null if none is due. {@link #onHeartbeat} or {@link #onNoHeartbeat} follows. */
  @Nullable
  HeartbeatRequest heartbeat(long now) {
    if (!sendsHeartbeats() || heartbeatNanos - now > 0) {
      return null;
    }
    heartbeatInFlight = true;
    heartbeatSentNanos = now;
    heartbeatGeneration = generation;
    return requests.heartbeat(memberId, generation);
  }

  /** Sends the next heartbeat now: the coordinator refused a commit because it does not know the member. */
  void verify(long now) {
    if (isInside() && heartbeatNanos - now > 0) {
      heartbeatNanos = now;
    }
  }

  /** Handles the response to a heartbeat. */
  void onHeartbeat(HeartbeatResponse response, long now) {
    heartbeatInFlight = false;
    if (!isInside()) {
      return;
    }
    // Counted from the sending: a process that was frozen reads an old response when it wakes.
    heartbeatNanos = heartbeatSentNanos + intervalNanos;
    ErrorCode code = ErrorCode.of(response.errorCode());
    switch (code) {
      case NONE -> failures = 0;
      case REBALANCE_IN_PROGRESS -> rejoinAfterHeartbeat(now);
      case UNKNOWN_MEMBER_ID, ILLEGAL_GENERATION -> {
        if (!isJoining() && heartbeatGeneration == generation) { // else the response to the join decides
          lose(code, "heartbeat", now);
        }
      }
      case NOT_COORDINATOR, COORDINATOR_NOT_AVAILABLE -> {
        KafkaException cause = refusal(code, "heartbeat");
        host.coordinatorLost(cause);
        retryHeartbeat(cause, now);
      }
      default -> {
        KafkaException cause = refusal(code, "heartbeat");
        if (Membership.isForNow(code)) {
          host.refused(cause);
          retryHeartbeat(cause, now);
        } else if (code.isRetriable()) {
          retryHeartbeat(cause, now);
        } else {
          fail(cause);
        }
      }
    }
  }

  /** Joins again, unless the member already does, or the response is from an earlier generation. */
  private void rejoinAfterHeartbeat(long now) {
    if (!isJoining() && heartbeatGeneration == generation) {
      rejoin("the group rebalances", now);
    }
  }

  private void retryHeartbeat(KafkaException cause, long now) {
    heartbeatNanos = now + Math.min(intervalNanos, backoff());
    host.retried(cause);
  }

  /** Handles a heartbeat that gets no response. */
  void onNoHeartbeat(KafkaException cause, long now) {
    heartbeatInFlight = false;
    if (isInside()) {
      if (isJoining()) { // the join's response may be lost, too
        host.coordinatorLost(cause);
      }
      retryHeartbeat(cause, now);
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
    assignment = null;
    rejoinReason = null;
    reconciliation++;
    ignoresResponse = pending != Pending.NOTHING;
  }

  /** Returns true if the application has partitions, or is about to get some. */
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
    lossUnreported = true;
    host.lost(cause);
  }

  /** Joins again, after the application has handled the loss. */
  void lossHandled(long now) {
    lossUnreported = false;
    if (state == State.LOST) {
      joinAt(now);
    }
  }

  private void fail(KafkaException cause) {
    boolean something = holdsSomething();
    leaveIsDue = generation != NO_GENERATION && cause.code() != ErrorCode.FENCED_INSTANCE_ID;
    leaveReason = "the member has failed: " + cause.getMessage();
    forget();
    to(State.FAILED);
    if (something) {
      host.lost(cause);
    }
    host.failed(cause);
  }

  /** Ends the membership with an error that the host met outside of responses. */
  void refuse(KafkaException cause) {
    if (state == State.LEAVING || isInside()) {
      fail(cause);
    }
  }

  // Leaving.

  /** Leaves until the application polls again, so that other members get its partitions. */
  void stalled(KafkaException cause) {
    if (!isInside() || generation == NO_GENERATION) {
      return;
    }
    comesBack = true;
    lossUnreported = true;
    leaveReason = "the application has not polled for max.poll.interval.ms";
    reason = "the application polls again";
    ignoresResponse = pending != Pending.NOTHING;
    to(State.LEAVING);
    host.lost(cause);
  }

  /** Leaves, unless outside; without a request if {@code aloud} is false, so that the session expires. */
  void leave(boolean aloud) {
    comesBack = false;
    leaveReason = "the consumer was closed";
    boolean sendsLeave = aloud && !memberId.isEmpty() && (state == State.LEAVING || isInside());
    leaveIsDue = false;
    if (sendsLeave) {
      ignoresResponse = pending != Pending.NOTHING;
    }
    to(sendsLeave ? State.LEAVING : State.LEFT);
  }

  /** Returns the leave request to send; null if none is due. {@link #onLeft} follows. */
  @Nullable
  LeaveGroupRequest leaveRequest() {
    if (leaveInFlight || (state != State.LEAVING && !leaveIsDue)) {
      return null;
    }
    leaveInFlight = true;
    return requests.leave(memberId, leaveReason);
  }

  /** Ends the membership, with or without a response to the leave request. */
  void onLeft(@Nullable LeaveGroupResponse response, long now) {
    leaveInFlight = false;
    leaveIsDue = false;
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
    } else if (lossUnreported) {
      to(State.LOST);
    } else {
      joinAt(now);
    }
  }
}
