package dev.decant.fake.group;

import dev.decant.fake.api.ApiHandler;
import dev.decant.fake.api.Operations;
import dev.decant.fake.api.Reply;
import dev.decant.fake.api.RequestContext;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.DescribeGroupsRequest;
import dev.decant.kafka.protocol.message.DescribeGroupsResponse;
import dev.decant.kafka.protocol.message.DescribeGroupsResponse.DescribedGroup;
import dev.decant.kafka.protocol.message.DescribeGroupsResponse.DescribedGroupMember;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** DescribeGroups: returns classic groups with their members; assignments are shown for stable groups only. */
final class DescribeGroupsHandler implements ApiHandler<DescribeGroupsRequest, DescribeGroupsResponse> {
  private static final int FIRST_WITH_NOT_FOUND = 6;

  private final GroupCoordinator coordinator;

  DescribeGroupsHandler(GroupCoordinator coordinator) {
    this.coordinator = coordinator;
  }

  @Override
  public void handle(DescribeGroupsRequest request, RequestContext context, Reply<DescribeGroupsResponse> reply) {
    reply.complete(new DescribeGroupsResponse().groups(request.groups().stream().map(groupId -> {
      DescribedGroup described = describe(groupId, context);
      return request.includeAuthorizedOperations() && described.errorCode() == ErrorCode.NONE.code()
          ? described.authorizedOperations(
              Operations.allowedOnGroup(coordinator.cluster().release(), context.access(), groupId))
          : described;
    }).toList()));
  }

  private DescribedGroup describe(String groupId, RequestContext context) {
    if (!coordinator.isAt(context, groupId)) {
      return failed(groupId, ErrorCode.NOT_COORDINATOR);
    }
    Group known = coordinator.find(groupId);
    if (known instanceof ClassicGroup group) {
      return describe(group);
    }
    DescribedGroup dead = new DescribedGroup().groupId(groupId).groupState("Dead");
    if (context.version() < FIRST_WITH_NOT_FOUND) {
      return dead;
    }
    String why = known == null ? " not found." : " is not a classic group.";
    return dead.errorCode(ErrorCode.GROUP_ID_NOT_FOUND.code()).errorMessage("Group " + groupId + why);
  }

  private static DescribedGroup describe(ClassicGroup group) {
    boolean isStable = group.state() == ClassicGroup.State.STABLE;
    String protocol = isStable ? Objects.requireNonNullElse(group.protocol(), "") : "";
    return new DescribedGroup().groupId(group.id()).groupState(group.stateLabel())
        .protocolType(group.protocolLabel()).protocolData(protocol)
        .members(group.members().stream().map(member -> describe(member, isStable ? protocol : null)).toList());
  }

  private static DescribedGroupMember describe(ClassicMember member, @Nullable String protocol) {
    DescribedGroupMember described = new DescribedGroupMember().memberId(member.id())
        .groupInstanceId(member.instanceId()).clientId(member.clientId()).clientHost(member.clientHost())
        .memberAssignment(member.assignment());
    return protocol == null ? described : described.memberMetadata(member.metadata(protocol));
  }

  private static DescribedGroup failed(String groupId, ErrorCode error) {
    return new DescribedGroup().groupId(groupId).errorCode(error.code());
  }

  @Override
  public DescribeGroupsResponse refuse(DescribeGroupsRequest request, RequestContext context, ErrorCode error) {
    return new DescribeGroupsResponse()
        .groups(request.groups().stream().map(groupId -> failed(groupId, error)).toList());
  }
}
