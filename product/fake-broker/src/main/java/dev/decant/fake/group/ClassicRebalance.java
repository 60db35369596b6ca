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
 * leader, waits for the members to fetch their assignments, and removes members that are late.
 */
final class ClassicRebalance {
  /** Session timeout of a member that waits for its first generation, as in Kafka's brokers. */
  private static final int NEW_MEMBER_TIMEOUT_MILLIS = 5 * 60 * 1000;

  private final ClassicGroup group;
  private final Cluster cluster;
  private final Timer joinTimer = new Timer(this::joinTimeIsUp);
  private final Timer syncTimer = new Timer(this::syncTimeIsUp);
  private int syncGeneration;
  /**
   * True during the first rebalance of an empty group: it waits for more members, and longer while some arrive
   * (KIP-134).
   */
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

  /** Restarts a member's session timeout. */
  void restartSession(ClassicMember member) {
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

  /** Waits for a client to rejoin with the id that it was assigned (KIP-394). */
  void expect(String memberId, int sessionTimeoutMillis) {
    Timer timer = new Timer(() -> forgetPending(memberId));
    group.pendingMembers().put(memberId, timer);
    cluster.schedule(timer, sessionTimeoutMillis);
  }

  /** Drops an assigned id with which no client has rejoined. */
  void forgetPending(String memberId) {
    Timer timer = group.pendingMembers().remove(memberId);
    if (timer != null) {
      cluster.cancel(timer);
      completeIfAllJoined();
    }
  }

  /** Starts a rebalance, or continues the present one. */
  void prepareOrComplete() {
    if (group.state() == State.PREPARING_REBALANCE) {
      completeIfAllJoined();
    } else {
      prepare();
    }
  }

  /** Starts a rebalance: all members must join again. */
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

  /** Completes the rebalance if all members have joined; the initial rebalance lasts its whole time even so. */
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

  /**
   * Ends the time to join. Members that have not joined are removed, except static ones, which have until their session
   * timeout.
   */
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
      restartSession(member);
      member.isNew(false);
      group.pendingSync().add(member.id());
    }
    syncGeneration = group.generation();
    cluster.schedule(syncTimer, rebalanceTimeoutMillis());
  }

  /** Records the SyncGroup of a member. */
  void synced(ClassicMember member) {
    group.pendingSync().remove(member.id());
    if (group.pendingSync().isEmpty()) {
      cluster.cancel(syncTimer);
    }
  }

  /** Removes the members that have not sent a SyncGroup in time (KAFKA-13727). */
  private void syncTimeIsUp() {
    boolean isOfNow = syncGeneration == group.generation()
        && (group.state() == State.COMPLETING_REBALANCE || group.state() == State.STABLE);
    if (isOfNow && !group.pendingSync().isEmpty()) {
      List.copyOf(group.pendingSync()).forEach(group::remove);
      prepare();
    }
  }

  /** Sends the leader's assignment to all waiting members. */
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
        restartSession(member);
      }
    }
  }

  /** Returns the assignment of a member of this generation. */
  SyncGroupResponse assignment(ClassicMember member) {
    return new SyncGroupResponse().protocolType(group.protocolType()).protocolName(group.protocol())
        .assignment(member.assignment());
  }

  /** Handles the end of a member's session timeout. */
  void sessionEnded(String memberId) {
    ClassicMember member = group.member(memberId);
    if (member == null || (!member.isNew() && (member.isAwaitingJoin() || member.isAwaitingSync()))) {
      return;
    }
    expire(member);
  }

  /** Removes a member whose session has expired; the others must join again. */
  void expire(ClassicMember member) {
    boolean unused = member.completeSync(new SyncGroupResponse().errorCode(ErrorCode.UNKNOWN_MEMBER_ID.code()));
    remove(member);
    if (group.state() == State.STABLE || group.state() == State.COMPLETING_REBALANCE) {
      prepare();
    } else {
      completeIfAllJoined();
    }
  }

  /** Removes a member and fails its waiting JoinGroup. The caller handles the consequences for the others. */
  void remove(ClassicMember member) {
    member.failJoin(ClassicGroup.UNKNOWN_MEMBER, ErrorCode.UNKNOWN_MEMBER_ID);
    group.remove(member.id());
  }

  /** Returns the response to a static member that has restarted while the group is stable (KIP-345, KIP-814). */
  JoinGroupResponse rejoined(ClassicMember member, String oldLeader) {
    JoinGroupResponse response = group.joined(member.id());
    boolean canSkip = member.joinVersion() >= ClassicJoin.FIRST_WITH_SKIP;
    return canSkip
        ? response.skipAssignment(group.isLeader(member.id()))
        : response.members(List.of()).leader(oldLeader);
  }
}
