package dev.decant.fake.group;

import dev.decant.fake.api.ApiHandler;
import dev.decant.fake.api.Reply;
import dev.decant.fake.api.RequestContext;
import dev.decant.fake.cluster.Settings;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.JoinGroupRequest;
import dev.decant.kafka.protocol.message.JoinGroupResponse;

/** JoinGroup: a client joins the next generation of a classic group. */
final class JoinGroupHandler implements ApiHandler<JoinGroupRequest, JoinGroupResponse> {
  private final GroupCoordinator coordinator;
  private final Settings settings;

  JoinGroupHandler(GroupCoordinator coordinator) {
    this.coordinator = coordinator;
    this.settings = coordinator.cluster().settings();
  }

  @Override
  public void handle(JoinGroupRequest request, RequestContext context, Reply<JoinGroupResponse> reply) {
    String groupId = request.groupId();
    if (groupId.isEmpty()) {
      fail(request, context, reply, ErrorCode.INVALID_GROUP_ID);
    } else if (!isAllowed(request.sessionTimeoutMs())) {
      fail(request, context, reply, ErrorCode.INVALID_SESSION_TIMEOUT);
    } else if (!coordinator.isAt(context, groupId)) {
      reply.complete(refuse(request, context, ErrorCode.NOT_COORDINATOR));
    } else {
      join(request, context, reply);
    }
  }

  private boolean isAllowed(int sessionTimeoutMillis) {
    return sessionTimeoutMillis >= settings.getInt("group.min.session.timeout.ms")
        && sessionTimeoutMillis <= settings.getInt("group.max.session.timeout.ms");
  }

  private void join(JoinGroupRequest request, RequestContext context, Reply<JoinGroupResponse> reply) {
    Group group = coordinator.find(request.groupId());
    if (group == null && !request.memberId().isEmpty()) {
      fail(request, context, reply, ErrorCode.UNKNOWN_MEMBER_ID);
      return;
    }
    boolean canBeReplaced = group instanceof ConsumerGroup && group.isEmpty();
    if (group != null && !(group instanceof ClassicGroup) && !canBeReplaced) {
      fail(request, context, reply, ErrorCode.INCONSISTENT_GROUP_PROTOCOL);
      return;
    }
    if (!(group instanceof ClassicGroup)) {
      group = new ClassicGroup(request.groupId(), coordinator.cluster());
      coordinator.put(group);
    }
    new ClassicJoin((ClassicGroup) group, request, context, reply).run(settings.getInt("group.max.size"));
  }

  private static void fail(JoinGroupRequest request, RequestContext context, Reply<JoinGroupResponse> reply,
      ErrorCode error) {
    reply.complete(ClassicMember.failure(request.memberId(), error, context.version()));
  }

  @Override
  public JoinGroupResponse refuse(JoinGroupRequest request, RequestContext context, ErrorCode error) {
    return ClassicMember.failure(ClassicGroup.UNKNOWN_MEMBER, error, context.version());
  }
}
