package dev.decant.fake.group;

import dev.decant.fake.api.ApiHandler;
import dev.decant.fake.api.Reply;
import dev.decant.fake.api.RequestContext;
import dev.decant.fake.group.ClassicGroup.State;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.LeaveGroupRequest;
import dev.decant.kafka.protocol.message.LeaveGroupRequest.MemberIdentity;
import dev.decant.kafka.protocol.message.LeaveGroupResponse;
import dev.decant.kafka.protocol.message.LeaveGroupResponse.MemberResponse;
import java.util.ArrayList;
import java.util.List;

/** LeaveGroup: a member leaves, or from version 3 on an administrator removes several (KIP-345). */
final class LeaveGroupHandler implements ApiHandler<LeaveGroupRequest, LeaveGroupResponse> {
  private static final int FIRST_WITH_LIST = 3;

  private final GroupCoordinator coordinator;

  LeaveGroupHandler(GroupCoordinator coordinator) {
    this.coordinator = coordinator;
  }

  @Override
  public void handle(LeaveGroupRequest request, RequestContext context, Reply<LeaveGroupResponse> reply) {
    if (request.groupId().isEmpty()) {
      reply.complete(refuse(request, context, ErrorCode.INVALID_GROUP_ID));
    } else if (!coordinator.isAt(context, request.groupId())) {
      reply.complete(refuse(request, context, ErrorCode.NOT_COORDINATOR));
    } else {
      reply.complete(leave(request, context));
    }
  }

  private LeaveGroupResponse leave(LeaveGroupRequest request, RequestContext context) {
    boolean hasList = context.version() >= FIRST_WITH_LIST;
    List<MemberIdentity> leaving = hasList
        ? request.members()
        : List.of(new MemberIdentity().memberId(request.memberId()));
    Group group = coordinator.find(request.groupId());
    List<MemberResponse> answers = new ArrayList<>();
    for (MemberIdentity member : leaving) {
      ErrorCode error = group instanceof ClassicGroup classic ? remove(classic, member) : ErrorCode.UNKNOWN_MEMBER_ID;
      answers.add(new MemberResponse().memberId(member.memberId()).groupInstanceId(member.groupInstanceId())
          .errorCode(error.code()));
    }
    if (group instanceof ClassicGroup classic
        && answers.stream().anyMatch(answer -> answer.errorCode() == ErrorCode.NONE.code())) {
      goOn(classic);
    }
    return hasList
        ? new LeaveGroupResponse().members(answers)
        : new LeaveGroupResponse().errorCode(answers.getFirst().errorCode());
  }

  private static ErrorCode remove(ClassicGroup group, MemberIdentity leaving) {
    String memberId = leaving.memberId();
    if (memberId.isEmpty()) { // an administrator knows only the instance id of a static member
      String known = group.staticMember(leaving.groupInstanceId());
      if (known == null) {
        return ErrorCode.UNKNOWN_MEMBER_ID;
      }
      memberId = known;
    } else if (group.pendingMembers().containsKey(memberId)) {
      group.rebalance().forgetPending(memberId);
      return ErrorCode.NONE;
    } else {
      ErrorCode error = group.checkMember(memberId, leaving.groupInstanceId());
      if (error != ErrorCode.NONE) {
        return error;
      }
    }
    ClassicMember member = group.member(memberId);
    if (member != null) {
      group.rebalance().remove(member);
    }
    return ErrorCode.NONE;
  }

  private static void goOn(ClassicGroup group) {
    if (group.state() == State.STABLE || group.state() == State.COMPLETING_REBALANCE) {
      group.rebalance().prepare();
    } else {
      group.rebalance().completeIfAllJoined();
    }
  }

  @Override
  public LeaveGroupResponse refuse(LeaveGroupRequest request, RequestContext context, ErrorCode error) {
    return new LeaveGroupResponse().errorCode(error.code());
  }
}
