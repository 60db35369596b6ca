package dev.decant.fake.group;

import dev.decant.fake.api.ApiHandler;
import dev.decant.fake.api.Reply;
import dev.decant.fake.api.RequestContext;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.HeartbeatRequest;
import dev.decant.kafka.protocol.message.HeartbeatResponse;

/** Heartbeat: restarts the session timeout of a classic group's member, and reports a rebalance to it. */
final class HeartbeatHandler implements ApiHandler<HeartbeatRequest, HeartbeatResponse> {
  private final GroupCoordinator coordinator;

  HeartbeatHandler(GroupCoordinator coordinator) {
    this.coordinator = coordinator;
  }

  @Override
  public void handle(HeartbeatRequest request, RequestContext context, Reply<HeartbeatResponse> reply) {
    reply.complete(refuse(request, context, heartbeat(request, context)));
  }

  private ErrorCode heartbeat(HeartbeatRequest request, RequestContext context) {
    if (request.groupId().isEmpty()) {
      return ErrorCode.INVALID_GROUP_ID;
    }
    if (!coordinator.isAt(context, request.groupId())) {
      return ErrorCode.NOT_COORDINATOR;
    }
    if (!(coordinator.find(request.groupId()) instanceof ClassicGroup group)) {
      return ErrorCode.UNKNOWN_MEMBER_ID;
    }
    ErrorCode error = group.checkMember(request.memberId(), request.groupInstanceId());
    ClassicMember member = group.member(request.memberId());
    if (error != ErrorCode.NONE || member == null) {
      return error;
    }
    if (request.generationId() != group.generation()) {
      return ErrorCode.ILLEGAL_GENERATION;
    }
    return switch (group.state()) {
      case EMPTY -> ErrorCode.UNKNOWN_MEMBER_ID;
      case PREPARING_REBALANCE -> {
        group.rebalance().restartSession(member);
        yield ErrorCode.REBALANCE_IN_PROGRESS;
      }
      case COMPLETING_REBALANCE, STABLE -> {
        group.rebalance().restartSession(member);
        yield ErrorCode.NONE;
      }
    };
  }

  @Override
  public HeartbeatResponse refuse(HeartbeatRequest request, RequestContext context, ErrorCode error) {
    return new HeartbeatResponse().errorCode(error.code());
  }
}
