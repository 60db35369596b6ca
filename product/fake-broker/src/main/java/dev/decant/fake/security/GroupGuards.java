package dev.decant.fake.security;

import dev.decant.fake.api.Access;
import dev.decant.fake.api.ApiTable;
import dev.decant.fake.api.Operations;
import dev.decant.fake.cluster.Cluster;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.ConsumerGroupDescribeRequest;
import dev.decant.kafka.protocol.message.ConsumerGroupDescribeResponse;
import dev.decant.kafka.protocol.message.ConsumerGroupDescribeResponse.DescribedGroup;
import dev.decant.kafka.protocol.message.ConsumerGroupHeartbeatRequest;
import dev.decant.kafka.protocol.message.ConsumerGroupHeartbeatResponse;
import dev.decant.kafka.protocol.message.DeleteGroupsRequest;
import dev.decant.kafka.protocol.message.DeleteGroupsResponse;
import dev.decant.kafka.protocol.message.DescribeGroupsRequest;
import dev.decant.kafka.protocol.message.DescribeGroupsResponse;
import dev.decant.kafka.protocol.message.HeartbeatRequest;
import dev.decant.kafka.protocol.message.HeartbeatResponse;
import dev.decant.kafka.protocol.message.JoinGroupRequest;
import dev.decant.kafka.protocol.message.JoinGroupResponse;
import dev.decant.kafka.protocol.message.LeaveGroupRequest;
import dev.decant.kafka.protocol.message.LeaveGroupResponse;
import dev.decant.kafka.protocol.message.ListGroupsRequest;
import dev.decant.kafka.protocol.message.ListGroupsResponse;
import dev.decant.kafka.protocol.message.OffsetCommitRequest;
import dev.decant.kafka.protocol.message.OffsetCommitRequest.OffsetCommitRequestTopic;
import dev.decant.kafka.protocol.message.OffsetCommitResponse;
import dev.decant.kafka.protocol.message.OffsetDeleteRequest;
import dev.decant.kafka.protocol.message.OffsetDeleteResponse;
import dev.decant.kafka.protocol.message.OffsetDeleteResponse.OffsetDeleteResponsePartition;
import dev.decant.kafka.protocol.message.OffsetDeleteResponse.OffsetDeleteResponseTopic;
import dev.decant.kafka.protocol.message.SyncGroupRequest;
import dev.decant.kafka.protocol.message.SyncGroupResponse;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The rights that the APIs of groups and their offsets need. */
final class GroupGuards {
  /** First version in which a SyncGroup without protocol is refused before the rights are checked. */
  private static final int FIRST_WITH_PROTOCOL_IN_SYNC = 5;

  /** The brokers' text for a group with a topic that the client may not describe. */
  static final String UNKNOWN_TOPIC = "The group has described topic(s) that the client is not authorized to describe.";

  private GroupGuards() {}

  static void addTo(ApiTable apis, Cluster cluster) {
    Guards.add(apis, ApiKey.JOIN_GROUP,
        GroupGuards.<JoinGroupRequest, JoinGroupResponse>reading(JoinGroupRequest::groupId));
    Guards.add(apis, ApiKey.SYNC_GROUP,
        Guard.<SyncGroupRequest, SyncGroupResponse>whole((request, access) -> {
          boolean isWhole = request.protocolType() != null && request.protocolName() != null;
          return isWhole ? Refusals.group(Operations.READ, request.groupId(), access) : ErrorCode.NONE;
        }).inVersions(FIRST_WITH_PROTOCOL_IN_SYNC, Short.MAX_VALUE).then(
            GroupGuards.<SyncGroupRequest, SyncGroupResponse>reading(SyncGroupRequest::groupId)
                .inVersions(0, FIRST_WITH_PROTOCOL_IN_SYNC - 1)));
    Guards.add(apis, ApiKey.HEARTBEAT,
        GroupGuards.<HeartbeatRequest, HeartbeatResponse>reading(HeartbeatRequest::groupId));
    Guards.add(apis, ApiKey.LEAVE_GROUP,
        GroupGuards.<LeaveGroupRequest, LeaveGroupResponse>reading(LeaveGroupRequest::groupId));
    Guards.add(apis, ApiKey.CONSUMER_GROUP_HEARTBEAT,
        Guard.<ConsumerGroupHeartbeatRequest, ConsumerGroupHeartbeatResponse>whole((request, access) -> heartbeat(
            request.groupId(), request.subscribedTopicNames(), access)));
    addDescriptions(apis);
    addOffsets(apis, cluster);
    OffsetFetchGuard.addTo(apis, cluster);
  }

  private static <Q, R> Guard<Q, R> reading(Function<Q, String> groupId) {
    return Guard.whole((request, access) -> Refusals.group(Operations.READ, groupId.apply(request), access));
  }

  static ErrorCode heartbeat(String groupId, @Nullable List<String> topics, Access access) {
    ErrorCode error = Refusals.group(Operations.READ, groupId, access);
    if (error != ErrorCode.NONE || topics == null) {
      return error;
    }
    return topics.stream().map(name -> Refusals.topic(Operations.DESCRIBE, name, access))
        .filter(e -> e != ErrorCode.NONE).findFirst().orElse(ErrorCode.NONE);
  }

  private static void addDescriptions(ApiTable apis) {
    var described = new Parts<DescribeGroupsRequest, DescribeGroupsResponse, String>(
        DescribeGroupsRequest::groups, DescribeGroupsRequest::groups,
        parts -> new DescribeGroupsRequest().groups(parts),
        (request, part, access) -> Refusals.group(Operations.DESCRIBE, part, access),
        (to, from) -> to.groups(Parts.both(from.groups(), to.groups())));
    Guards.add(apis, ApiKey.DESCRIBE_GROUPS, described);
    var ofConsumers = new Parts<ConsumerGroupDescribeRequest, ConsumerGroupDescribeResponse, String>(
        ConsumerGroupDescribeRequest::groupIds,
        ConsumerGroupDescribeRequest::groupIds, parts -> new ConsumerGroupDescribeRequest().groupIds(parts),
        (request, part, access) -> Refusals.group(Operations.DESCRIBE, part, access),
        (to, from) -> to.groups(Parts.both(from.groups(), to.groups())));
    Guard<ConsumerGroupDescribeRequest, ConsumerGroupDescribeResponse> limited = Guard.after(
        (request, context, response) -> response
            .groups(response.groups().stream().map(group -> limited(group, context.access())).toList()));
    Guards.add(apis, ApiKey.CONSUMER_GROUP_DESCRIBE, limited.then(ofConsumers));
    Guards.add(apis, ApiKey.LIST_GROUPS,
        Guard.<ListGroupsRequest, ListGroupsResponse>after((request, context, response) -> {
          boolean all = context.access().mayOnCluster(Operations.DESCRIBE);
          return all
              ? response
              : response.groups(response.groups().stream()
                  .filter(g -> context.access().may(Operations.DESCRIBE, Operations.GROUP, g.groupId())).toList());
        }));
    Guards.add(apis, ApiKey.DELETE_GROUPS,
        new Parts<DeleteGroupsRequest, DeleteGroupsResponse, String>(DeleteGroupsRequest::groupsNames,
            DeleteGroupsRequest::groupsNames, parts -> new DeleteGroupsRequest().groupsNames(parts),
            (request, part, access) -> Refusals.group(Operations.DELETE, part, access),
            (to, from) -> to.results(Parts.both(to.results(), from.results()))));
  }

  /**
   * Returns a description with an error only, if the group has, or is to have, a topic that the client may not
   * describe.
   */
  private static DescribedGroup limited(DescribedGroup group, Access access) {
    boolean isKnown = group.members().stream().flatMap(m -> Stream.of(m.assignment(), m.targetAssignment()))
        .flatMap(a -> a.topicPartitions().stream()).allMatch(topic -> access.mayDescribeTopic(topic.topicName()));
    return isKnown
        ? group
        : new DescribedGroup().groupId(group.groupId()).errorCode(ErrorCode.TOPIC_AUTHORIZATION_FAILED.code())
            .errorMessage(UNKNOWN_TOPIC);
  }

  private static void addOffsets(ApiTable apis, Cluster cluster) {
    var commits = new Parts<OffsetCommitRequest, OffsetCommitResponse, OffsetCommitRequestTopic>(
        OffsetCommitRequest::topics, OffsetCommitRequest::topics,
        parts -> new OffsetCommitRequest().topics(parts),
        (request, part, access) -> Refusals.topic(Operations.READ, cluster, part.topicId(), part.name(), access),
        (to, from) -> to.topics(Parts.both(to.topics(), from.topics())));
    Guard<OffsetCommitRequest, OffsetCommitResponse> ofGroup = reading(OffsetCommitRequest::groupId);
    Guards.add(apis, ApiKey.OFFSET_COMMIT, ofGroup.then(commits));
    Guard<OffsetDeleteRequest, OffsetDeleteResponse> deletion = Guard.whole(
        (request, access) -> Refusals.group(Operations.DELETE, request.groupId(), access));
    Guards.add(apis, ApiKey.OFFSET_DELETE, deletion.then(GroupGuards.deletions()));
  }

  /** Returns the guard of OffsetDelete. A refused topic has its own error, unlike the handler's refusals. */
  private static Guard<OffsetDeleteRequest, OffsetDeleteResponse> deletions() {
    return (request, context, reply, next) -> {
      List<OffsetDeleteResponseTopic> refused = request.topics().stream()
          .filter(topic -> !context.access().mayReadTopic(topic.name()))
          .map(topic -> new OffsetDeleteResponseTopic().name(topic.name()).partitions(topic.partitions().stream()
              .map(p -> new OffsetDeleteResponsePartition().partitionIndex(p.partitionIndex())
                  .errorCode(ErrorCode.TOPIC_AUTHORIZATION_FAILED.code()))
              .toList()))
          .toList();
      request.topics(request.topics().stream().filter(t -> context.access().mayReadTopic(t.name())).toList());
      next.handle(request, context, ChangingReply.of(reply, response -> response.errorCode() == 0
          ? response.topics(Parts.both(response.topics(), refused))
          : response));
    };
  }
}
