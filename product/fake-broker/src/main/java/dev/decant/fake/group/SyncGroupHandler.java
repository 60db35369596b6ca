package dev.decant.fake.group;

import dev.decant.fake.api.ApiHandler;
import dev.decant.fake.api.Reply;
import dev.decant.fake.api.RequestContext;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.SyncGroupRequest;
import dev.decant.kafka.protocol.message.SyncGroupRequest.SyncGroupRequestAssignment;
import dev.decant.kafka.protocol.message.SyncGroupResponse;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** SyncGroup: the leader of a classic group sends the assignments, and each member fetches its own. */
final class SyncGroupHandler implements ApiHandler<SyncGroupRequest, SyncGroupResponse> {
  private static final int FIRST_WITH_PROTOCOL = 5;

  private final GroupCoordinator coordinator;

  SyncGroupHandler(GroupCoordinator coordinator) {
    this.coordinator = coordinator;
  }

  @Override
  public void handle(SyncGroupRequest request, RequestContext context, Reply<SyncGroupResponse> reply) {
    ErrorCode error = check(request, context);
    if (error != ErrorCode.NONE) {
      reply.complete(refuse(request, context, error));
    } else {
      sync((ClassicGroup) coordinator.find(request.groupId()), request, reply);
    }
  }

  private ErrorCode check(SyncGroupRequest request, RequestContext context) {
    if (context.version() >= FIRST_WITH_PROTOCOL
        && (request.protocolType() == null || request.protocolName() == null)) {
      return ErrorCode.INCONSISTENT_GROUP_PROTOCOL;
    }
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
    if (error != ErrorCode.NONE) {
      return error;
    }
    if (request.generationId() != group.generation()) {
      return ErrorCode.ILLEGAL_GENERATION;
    }
    if (differs(request.protocolType(), group.protocolType()) || differs(request.protocolName(), group.protocol())) {
      return ErrorCode.INCONSISTENT_GROUP_PROTOCOL;
    }
    return switch (group.state()) {
      case EMPTY -> ErrorCode.UNKNOWN_MEMBER_ID;
      case PREPARING_REBALANCE -> ErrorCode.REBALANCE_IN_PROGRESS;
      case COMPLETING_REBALANCE, STABLE -> ErrorCode.NONE;
    };
  }

  private static boolean differs(@Nullable String ofMember, @Nullable String ofGroup) {
    return ofMember != null && !ofMember.equals(ofGroup);
  }

  private static void sync(@Nullable ClassicGroup group, SyncGroupRequest request, Reply<SyncGroupResponse> reply) {
    ClassicMember member = group == null ? null : group.member(request.memberId());
    if (group == null || member == null) {
      throw new IllegalStateException("member " + request.memberId() + " was there a moment ago");
    }
    boolean isStable = group.state() == ClassicGroup.State.STABLE;
    if (!isStable) {
      member.awaitSync(reply);
    }
    group.rebalance().synced(member);
    if (isStable) {
      reply.complete(group.rebalance().assignment(member));
    } else if (group.isLeader(member.id())) {
      Map<String, ByteBuffer> assignments = new HashMap<>();
      for (SyncGroupRequestAssignment one : request.assignments()) {
        assignments.put(one.memberId(), one.assignment());
      }
      group.members().forEach(m -> m.assignment(assignments.getOrDefault(m.id(), ClassicMember.NO_ASSIGNMENT)));
      group.rebalance().assigned();
    }
  }

  @Override
  public SyncGroupResponse refuse(SyncGroupRequest request, RequestContext context, ErrorCode error) {
    return new SyncGroupResponse().errorCode(error.code());
  }
}
