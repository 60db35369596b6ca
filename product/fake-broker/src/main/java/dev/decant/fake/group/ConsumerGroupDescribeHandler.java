package dev.decant.fake.group;

import dev.decant.fake.api.ApiHandler;
import dev.decant.fake.api.Operations;
import dev.decant.fake.api.Reply;
import dev.decant.fake.api.RequestContext;
import dev.decant.fake.cluster.Topic;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.ConsumerGroupDescribeRequest;
import dev.decant.kafka.protocol.message.ConsumerGroupDescribeResponse;
import dev.decant.kafka.protocol.message.ConsumerGroupDescribeResponse.DescribedGroup;
import dev.decant.kafka.protocol.message.ConsumerGroupDescribeResponse.Member;
import dev.decant.kafka.protocol.message.ConsumerGroupDescribeResponse.TopicPartitions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * ConsumerGroupDescribe: returns consumer groups with their members, and the present and target assignments (KIP-848).
 */
final class ConsumerGroupDescribeHandler
    implements
      ApiHandler<ConsumerGroupDescribeRequest, ConsumerGroupDescribeResponse> {
  private static final int FIRST_WITH_TYPE = 1;
  private static final byte OF_CONSUMER_PROTOCOL = 1;

  private final GroupCoordinator coordinator;

  ConsumerGroupDescribeHandler(GroupCoordinator coordinator) {
    this.coordinator = coordinator;
  }

  @Override
  public void handle(ConsumerGroupDescribeRequest request, RequestContext context,
      Reply<ConsumerGroupDescribeResponse> reply) {
    if (!coordinator.cluster().release().isAtLeast(4, 0)) {
      reply.complete(refuse(request, context, ErrorCode.UNSUPPORTED_VERSION));
      return;
    }
    reply.complete(new ConsumerGroupDescribeResponse().groups(request.groupIds().stream().map(groupId -> {
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
    if (!(known instanceof ConsumerGroup group)) {
      String why = known == null ? " not found." : " is not a consumer group.";
      return failed(groupId, ErrorCode.GROUP_ID_NOT_FOUND).errorMessage("Group " + groupId + why);
    }
    return new DescribedGroup().groupId(groupId).groupState(group.stateLabel()).groupEpoch(group.epoch())
        .assignmentEpoch(group.targetEpoch()).assignorName(group.assignor().label())
        .members(group.members().stream().map(member -> describe(group, member, context)).toList());
  }

  private Member describe(ConsumerGroup group, ConsumerMember member, RequestContext context) {
    boolean isWithRevoked = coordinator.cluster().release().isAtLeast(4, 3);
    Assignment held = isWithRevoked ? member.assigned().plus(member.revoking()) : member.assigned();
    Member described = new Member().memberId(member.id()).instanceId(member.instanceId()).rackId(member.rack())
        .memberEpoch(member.epoch()).clientId(member.clientId()).clientHost(member.clientHost())
        .subscribedTopicNames(List.copyOf(member.topics()))
        .subscribedTopicRegex(Objects.requireNonNullElse(member.pattern(), ""))
        .assignment(assignment(held)).targetAssignment(assignment(group.target(member.id())));
    return context.version() >= FIRST_WITH_TYPE ? described.memberType(OF_CONSUMER_PROTOCOL) : described;
  }

  private ConsumerGroupDescribeResponse.Assignment assignment(Assignment of) {
    List<TopicPartitions> topics = new ArrayList<>();
    of.byTopic().forEach((id, partitions) -> {
      Topic topic = coordinator.cluster().topics().of(id);
      if (topic != null) {
        topics.add(new TopicPartitions().topicId(id).topicName(topic.name()).partitions(partitions));
      }
    });
    return new ConsumerGroupDescribeResponse.Assignment().topicPartitions(topics);
  }

  private static DescribedGroup failed(String groupId, ErrorCode error) {
    return new DescribedGroup().groupId(groupId).errorCode(error.code());
  }

  @Override
  public ConsumerGroupDescribeResponse refuse(ConsumerGroupDescribeRequest request, RequestContext context,
      ErrorCode error) {
    return new ConsumerGroupDescribeResponse()
        .groups(request.groupIds().stream().map(groupId -> failed(groupId, error)).toList());
  }
}
