package dev.decant.fake.group;

import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.group.ClassicGroup.State;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.JoinGroupRequest;
import dev.decant.kafka.protocol.message.JoinGroupResponse;
import dev.decant.kafka.protocol.message.SyncGroupResponse;
import dev.decant.loop.Timer;
import java.util.List;

/**
 * The steps of a {@link ClassicGroup} from one generation to the next: it waits for the members to join, elects a
 * leader, waits for the members to fetch their assignments, and drops those that do not come in time.
 */
final class ClassicRebalance {
  /** How long a member that has no id yet waits for its first generation, as in brokers. */
  private static final int NEW_MEMBER_TIMEOUT_MILLIS = 5 * 60 * 1000;

  private final ClassicGroup group;
  private final Cluster cluster;
  private final Timer joinTimer = new Timer(this::joinTimeIsUp);
  private final Timer syncTimer = new Timer(this::syncTimeIsUp);
  private int syncGeneration;
  /** The group was empty: it waits a little for more members, and longer while some come (KIP-134). */
  private boolean isInitial;
  private boolean hasNewMember;
  private int initialDelayMillis;
  private int initialRemainingMillis;

  ClassicRebalance(ClassicGroup group, Cluster cluster) {
    this.group = group;
    this.cluster = cluster;
  }

  void cancel(Timer timer) {
    cluster.cancel(timer);
  }

  void cancelAll() {
    cluster.cancel(joinTimer);
    cluster.cancel(syncTimer);
  }

  /** Begins a member's session time anew. */
  void heardOf(ClassicMember member) {
    cluster.schedule(member.session(), member.sessionTimeoutMillis());
  }

  /** Adds a member that joins. */
  void join(ClassicMember member, JoinGroupRequest request) {
    Timer pending = group.pendingMembers().remove(member.id());
    if (pending != null) {
      cluster.cancel(pending);
    }
    member.isNew(true);
    if (group.state() == State.PREPARING_REBALANCE && group.previousState() == State.EMPTY) {
      hasNewMember = true;
    }
    if (group.isEmpty()) {
      group.protocolType(request.protocolType());
    }
    group.add(member);
    cluster.schedule(member.session(), NEW_MEMBER_TIMEOUT_MILLIS);
    prepareOrComplete();
  }

  /** Gives an id to a member that has to come back with it (KIP-394). */
  void expect(String memberId, int sessionTimeoutMillis) {
    Timer timer = new Timer(() -> forgetPending(memberId));
    group.pendingMembers().put(memberId, timer);
    cluster.schedule(timer, sessionTimeoutMillis);
  }

  /** A member that was given an id does not come back with it. */
  void forgetPending(String memberId) {
    Timer timer = group.pendingMembers().remove(memberId);
    if (timer != null) {
      cluster.cancel(timer);
      completeIfAllJoined();
    }
  }

  /** Begins a rebalance, or goes on with the one that has begun. */
  void prepareOrComplete() {
    if (group.state() == State.PREPARING_REBALANCE) {
      completeIfAllJoined();
    } else {
      prepare();
    }
  }

  /** Begins a rebalance: all members are to join again. */
  void prepare() {
    if (group.state() == State.COMPLETING_REBALANCE) {
      for (ClassicMember member : List.copyOf(group.members())) {
        member.assignment(ClassicMember.NO_ASSIGNMENT);
      }
      answerSyncs(ErrorCode.REBALANCE_IN_PROGRESS);
    }
    cluster.cancel(syncTimer);
    isInitial = group.state() == State.EMPTY;
    group.become(State.PREPARING_REBALANCE);
    if (isInitial) {
      hasNewMember = false;
      initialDelayMillis = cluster.settings().getInt("group.initial.rebalance.delay.ms");
      initialRemainingMillis = Math.max(0, rebalanceTimeoutMillis() - initialDelayMillis);
      cluster.schedule(joinTimer, initialDelayMillis);
    } else if (group.haveAllJoined()) {
      complete();
    } else {
      cluster.schedule(joinTimer, rebalanceTimeoutMillis());
    }
  }

  private int rebalanceTimeoutMillis() {
    return group.members().stream().mapToInt(ClassicMember::rebalanceTimeoutMillis).max().orElse(0);
  }

  /** Completes the rebalance if there is nobody left to wait for; the first one takes its time even so. */
  void completeIfAllJoined() {
    if (group.state() == State.PREPARING_REBALANCE && group.previousState() != State.EMPTY && group.haveAllJoined()) {
      complete();
    }
  }

  private void joinTimeIsUp() {
    if (group.state() != State.PREPARING_REBALANCE) {
      return;
    }
    if (isInitial && hasNewMember && initialRemainingMillis != 0) {
      hasNewMember = false;
      int delay = Math.min(cluster.settings().getInt("group.initial.rebalance.delay.ms"), initialRemainingMillis);
      initialRemainingMillis = Math.max(0, initialRemainingMillis - initialDelayMillis);
      initialDelayMillis = delay;
      cluster.schedule(joinTimer, delay);
      return;
    }
    complete();
  }

  /** Ends the time to join. Who has not is removed, but for static members, which have until the session ends. */
  private void complete() {
    cluster.cancel(joinTimer);
    isInitial = false;
    for (ClassicMember member : List.copyOf(group.members())) {
      if (!member.isAwaitingJoin() && member.instanceId() == null) {
        group.remove(member.id());
      }
    }
    if (!group.isEmpty() && !group.electJoinedLeader()) {
      cluster.schedule(joinTimer, rebalanceTimeoutMillis());
      return;
    }
    group.nextGeneration();
    if (group.state() == State.EMPTY) {
      group.store();
      return;
    }
    for (ClassicMember member : List.copyOf(group.members())) {
      member.completeJoin(group.joined(member.id()));
      heardOf(member);
      member.isNew(false);
      group.pendingSync().add(member.id());
    }
    syncGeneration = group.generation();
    cluster.schedule(syncTimer, rebalanceTimeoutMillis());
  }

  /** A member has asked for its assignment. */
  void synced(ClassicMember member) {
    group.pendingSync().remove(member.id());
    if (group.pendingSync().isEmpty()) {
      cluster.cancel(syncTimer);
    }
  }

  /** Who has not asked for its assignment in time is removed (KAFKA-13727). */
  private void syncTimeIsUp() {
    boolean isOfNow = syncGeneration == group.generation()
        && (group.state() == State.COMPLETING_REBALANCE || group.state() == State.STABLE);
    if (isOfNow && !group.pendingSync().isEmpty()) {
      List.copyOf(group.pendingSync()).forEach(group::remove);
      prepare();
    }
  }

  /** The leader has assigned: all that wait hear of it. */
  void assigned() {
    group.become(State.STABLE);
    group.store();
    answerSyncs(ErrorCode.NONE);
  }

  private void answerSyncs(ErrorCode error) {
    for (ClassicMember member : List.copyOf(group.members())) {
      SyncGroupResponse response = error == ErrorCode.NONE
          ? assignment(member)
          : new SyncGroupResponse().errorCode(error.code());
      if (member.completeSync(response)) {
        heardOf(member);
      }
    }
  }

  /** What a member of this generation has to read. */
  SyncGroupResponse assignment(ClassicMember member) {
    return new SyncGroupResponse().protocolType(group.protocolType()).protocolName(group.protocol())
        .assignment(member.assignment());
  }

  /** A member has not been heard of for the time of its session. */
  void sessionEnded(String memberId) {
    ClassicMember member = group.member(memberId);
    if (member == null || (!member.isNew() && (member.isAwaitingJoin() || member.isAwaitingSync()))) {
      return;
    }
    expire(member);
  }

  /** Removes a member whose session is over; the others are to join again. */
  void expire(ClassicMember member) {
    boolean unused = member.completeSync(new SyncGroupResponse().errorCode(ErrorCode.UNKNOWN_MEMBER_ID.code()));
    remove(member);
    if (group.state() == State.STABLE || group.state() == State.COMPLETING_REBALANCE) {
      prepare();
    } else {
      completeIfAllJoined();
    }
  }

  /** Removes a member, whose JoinGroup hears of it; what follows for the others is up to the caller. */
  void remove(ClassicMember member) {
    member.failJoin(ClassicGroup.UNKNOWN_MEMBER, ErrorCode.UNKNOWN_MEMBER_ID);
    group.remove(member.id());
  }

  /** The response to a static member that has started again while the group is stable (KIP-345, KIP-814). */
  JoinGroupResponse rejoined(ClassicMember member, String oldLeader) {
    JoinGroupResponse response = group.joined(member.id());
    boolean canSkip = member.joinVersion() >= ClassicJoin.FIRST_WITH_SKIP;
    return canSkip
        ? response.skipAssignment(group.isLeader(member.id()))
        : response.members(List.of()).leader(oldLeader);
  }
}
