package dev.decant.kafka.broker;

import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.HeartbeatRequest;
import dev.decant.kafka.protocol.message.HeartbeatResponse;
import dev.decant.kafka.protocol.message.JoinGroupRequest;
import dev.decant.kafka.protocol.message.JoinGroupResponse;
import dev.decant.kafka.protocol.message.LeaveGroupResponse;
import dev.decant.kafka.protocol.message.OffsetCommitRequest;
import dev.decant.kafka.protocol.message.SyncGroupRequest;
import dev.decant.kafka.protocol.message.SyncGroupResponse;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A group under the classic protocol with one real member, and other members that have sent one subscription. The real
 * one leads, and gets the assignment that it makes. Any thread.
 */
public final class ScriptedClassicGroup {
  private static final String MEMBER = "member-";
  /** The first version whose first join is refused and brings the member id. */
  private static final short FIRST_IN_TWO_STEPS = 4;

  // Guarded by the monitor.
  private final List<JoinGroupResponse.JoinGroupResponseMember> others = new ArrayList<>();
  private int ids;
  private int generation;
  private String member = "";
  private boolean rebalancing;

  /** Adds a member with this subscription. */
  public synchronized void add(String id, ByteBuffer subscription) {
    others.add(new JoinGroupResponse.JoinGroupResponseMember().memberId(id).metadata(subscription));
    rebalancing = true;
  }

  /** Reports a rebalance to the next heartbeat. */
  public synchronized void rebalance() {
    rebalancing = true;
  }

  /** Forgets the member. */
  public synchronized void expire() {
    member = "";
  }

  public synchronized int generation() {
    return generation;
  }

  synchronized JoinGroupResponse join(JoinGroupRequest request, short version) {
    if (request.memberId().isEmpty()) {
      member = MEMBER + ++ids;
    }
    if (request.memberId().isEmpty() && version >= FIRST_IN_TWO_STEPS) {
      return new JoinGroupResponse().errorCode(ErrorCode.MEMBER_ID_REQUIRED.code()).memberId(member);
    }
    if (!request.memberId().isEmpty() && !request.memberId().equals(member)) {
      return new JoinGroupResponse().errorCode(ErrorCode.UNKNOWN_MEMBER_ID.code());
    }
    rebalancing = false;
    JoinGroupRequest.JoinGroupRequestProtocol first = request.protocols().getFirst();
    List<JoinGroupResponse.JoinGroupResponseMember> members = new ArrayList<>(others);
    members.add(new JoinGroupResponse.JoinGroupResponseMember().memberId(member).metadata(first.metadata()));
    return new JoinGroupResponse().generationId(++generation).protocolType("consumer").protocolName(first.name())
        .leader(member).memberId(member).members(members);
  }

  synchronized SyncGroupResponse sync(SyncGroupRequest request) {
    ErrorCode error = check(request.memberId(), request.generationId());
    if (error != ErrorCode.NONE) {
      return new SyncGroupResponse().errorCode(error.code());
    }
    ByteBuffer mine = request.assignments().stream().filter(a -> a.memberId().equals(member))
        .map(SyncGroupRequest.SyncGroupRequestAssignment::assignment).findFirst().orElse(ByteBuffer.allocate(0));
    return new SyncGroupResponse().protocolType("consumer").protocolName(request.protocolName()).assignment(mine);
  }

  synchronized HeartbeatResponse heartbeat(HeartbeatRequest request) {
    ErrorCode error = check(request.memberId(), request.generationId());
    boolean heard = error == ErrorCode.NONE && rebalancing;
    return new HeartbeatResponse().errorCode((heard ? ErrorCode.REBALANCE_IN_PROGRESS : error).code());
  }

  synchronized LeaveGroupResponse leave() {
    member = "";
    return new LeaveGroupResponse();
  }

  /** Returns the coordinator's error for a commit. */
  synchronized ErrorCode check(OffsetCommitRequest request) {
    return check(request.memberId(), request.generationIdOrMemberEpoch());
  }

  private ErrorCode check(String id, int ofGeneration) {
    if (!id.equals(member)) {
      return ErrorCode.UNKNOWN_MEMBER_ID;
    }
    return ofGeneration == generation ? ErrorCode.NONE : ErrorCode.ILLEGAL_GENERATION;
  }
}
