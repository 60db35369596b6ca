package dev.decant.fake.share;

import dev.decant.fake.api.ApiHandler;
import dev.decant.fake.api.Operations;
import dev.decant.fake.api.Reply;
import dev.decant.fake.api.RequestContext;
import dev.decant.fake.cluster.Topic;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.ShareGroupDescribeRequest;
import dev.decant.kafka.protocol.message.ShareGroupDescribeResponse;
import dev.decant.kafka.protocol.message.ShareGroupDescribeResponse.Assignment;
import dev.decant.kafka.protocol.message.ShareGroupDescribeResponse.DescribedGroup;
import dev.decant.kafka.protocol.message.ShareGroupDescribeResponse.Member;
import dev.decant.kafka.protocol.message.ShareGroupDescribeResponse.TopicPartitions;
import java.util.ArrayList;
import java.util.List;

/** ShareGroupDescribe: returns share groups with their members and assignments (KIP-932). */
final class ShareGroupDescribeHandler implements ApiHandler<ShareGroupDescribeRequest, ShareGroupDescribeResponse> {
  private final ShareGroups groups;

  ShareGroupDescribeHandler(ShareGroups groups) {
    this.groups = groups;
  }

  @Override
  public void handle(ShareGroupDescribeRequest request, RequestContext context,
      Reply<ShareGroupDescribeResponse> reply) {
    if (!groups.areEnabled()) {
      reply.complete(refuse(request, context, ErrorCode.UNSUPPORTED_VERSION));
      return;
    }
    reply.complete(new ShareGroupDescribeResponse().groups(request.groupIds().stream().map(groupId -> {
      DescribedGroup described = describe(groupId, context);
      return request.includeAuthorizedOperations() && described.errorCode() == ErrorCode.NONE.code()
          ? described.authorizedOperations(
              Operations.allowedOnGroup(groups.cluster().release(), context.access(), groupId))
          : described;
    }).toList()));
  }

  private DescribedGroup describe(String groupId, RequestContext context) {
    if (!groups.coordinator().isAt(context, groupId)) {
      return failed(groupId, ErrorCode.NOT_COORDINATOR);
    }
    ShareGroup group = groups.find(groupId);
    if (group == null) {
      String why = groups.coordinator().find(groupId) == null ? " not found." : " is not a share group.";
      return failed(groupId, ErrorCode.GROUP_ID_NOT_FOUND).errorMessage("Group " + groupId + why);
    }
    return new DescribedGroup().groupId(groupId).groupState(group.stateLabel()).groupEpoch(group.epoch())
        .assignmentEpoch(group.targetEpoch()).assignorName(SimpleAssignor.NAME)
        .members(group.members().stream().map(this::describe).toList());
  }

  private Member describe(ShareMember member) {
    List<TopicPartitions> topics = new ArrayList<>();
    ShareGroup.byTopic(member.assigned()).forEach((id, partitions) -> {
      Topic topic = groups.cluster().topics().of(id);
      if (topic != null) {
        topics.add(new TopicPartitions().topicId(id).topicName(topic.name()).partitions(partitions));
      }
    });
    return new Member().memberId(member.id()).rackId(member.rack()).memberEpoch(member.epoch())
        .clientId(member.clientId()).clientHost(member.clientHost())
        .subscribedTopicNames(List.copyOf(member.topics())).assignment(new Assignment().topicPartitions(topics));
  }

  private static DescribedGroup failed(String groupId, ErrorCode error) {
    return new DescribedGroup().groupId(groupId).errorCode(error.code());
  }

  @Override
  public ShareGroupDescribeResponse refuse(ShareGroupDescribeRequest request, RequestContext context,
      ErrorCode error) {
    return new ShareGroupDescribeResponse()
        .groups(request.groupIds().stream().map(groupId -> failed(groupId, error)).toList());
  }
}
