package dev.decant.fake.security;

import dev.decant.fake.api.Access;
import dev.decant.fake.api.ApiTable;
import dev.decant.fake.api.Operations;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.AlterShareGroupOffsetsRequest;
import dev.decant.kafka.protocol.message.AlterShareGroupOffsetsResponse;
import dev.decant.kafka.protocol.message.DeleteShareGroupOffsetsRequest;
import dev.decant.kafka.protocol.message.DeleteShareGroupOffsetsResponse;
import dev.decant.kafka.protocol.message.ShareAcknowledgeRequest;
import dev.decant.kafka.protocol.message.ShareAcknowledgeResponse;
import dev.decant.kafka.protocol.message.ShareFetchRequest;
import dev.decant.kafka.protocol.message.ShareFetchResponse;
import dev.decant.kafka.protocol.message.ShareGroupDescribeRequest;
import dev.decant.kafka.protocol.message.ShareGroupDescribeResponse;
import dev.decant.kafka.protocol.message.ShareGroupDescribeResponse.DescribedGroup;
import dev.decant.kafka.protocol.message.ShareGroupHeartbeatRequest;
import dev.decant.kafka.protocol.message.ShareGroupHeartbeatResponse;
import org.jspecify.annotations.Nullable;

/**
 * The rights that the APIs of share groups need on groups (KIP-932). Handlers check topics themselves: for fetches and
 * acknowledgements because a session has partitions that a request does not name, for offsets because the order of a
 * response depends on the rights.
 */
final class ShareGuards {
  private static final int LONGEST_MEMBER_ID = 36;

  private ShareGuards() {}

  static void addTo(ApiTable apis) {
    Guards.add(apis, ApiKey.SHARE_GROUP_HEARTBEAT,
        Guard.<ShareGroupHeartbeatRequest, ShareGroupHeartbeatResponse>whole((request, access) -> GroupGuards
            .heartbeat(request.groupId(), isMemberId(request.memberId()) ? request.subscribedTopicNames() : null,
                access)));
    Guards.add(apis, ApiKey.SHARE_FETCH, Guard.<ShareFetchRequest, ShareFetchResponse>whole(
        (request, access) -> reading(request.groupId(), access)));
    Guards.add(apis, ApiKey.SHARE_ACKNOWLEDGE, Guard.<ShareAcknowledgeRequest, ShareAcknowledgeResponse>whole(
        (request, access) -> reading(request.groupId(), access)));
    Guard<ShareGroupDescribeRequest, ShareGroupDescribeResponse> limited = Guard.after(
        (request, context, response) -> response
            .groups(response.groups().stream().map(group -> limited(group, context.access())).toList()));
    Guards.add(apis, ApiKey.SHARE_GROUP_DESCRIBE, limited.then(
        new Parts<ShareGroupDescribeRequest, ShareGroupDescribeResponse, String>(ShareGroupDescribeRequest::groupIds,
            ShareGroupDescribeRequest::groupIds, parts -> new ShareGroupDescribeRequest().groupIds(parts),
            (request, part, access) -> Refusals.group(Operations.DESCRIBE, part, access),
            (to, from) -> to.groups(Parts.both(from.groups(), to.groups())))));
    Guards.add(apis, ApiKey.ALTER_SHARE_GROUP_OFFSETS,
        Guard.<AlterShareGroupOffsetsRequest, AlterShareGroupOffsetsResponse>whole(
            (request, access) -> Refusals.group(Operations.READ, request.groupId(), access)));
    Guards.add(apis, ApiKey.DELETE_SHARE_GROUP_OFFSETS,
        Guard.<DeleteShareGroupOffsetsRequest, DeleteShareGroupOffsetsResponse>whole(
            (request, access) -> Refusals.group(Operations.DELETE, request.groupId(), access)));
  }

  /**
   * Returns true if an id has a member's form. Brokers refuse any other id, as the handler does, after the check of the
   * group and before that of the topics.
   */
  private static boolean isMemberId(String id) {
    return !id.isEmpty() && id.length() <= LONGEST_MEMBER_ID;
  }

  /** Returns the error for a group; none without a group, since the handler refuses that request. */
  private static ErrorCode reading(@Nullable String groupId, Access access) {
    return groupId == null ? ErrorCode.NONE : Refusals.group(Operations.READ, groupId, access);
  }

  /** Returns a description with an error only, if the group has a topic that the client may not describe. */
  private static DescribedGroup limited(DescribedGroup group, Access access) {
    boolean isKnown = group.members().stream().flatMap(m -> m.assignment().topicPartitions().stream())
        .allMatch(topic -> access.mayDescribeTopic(topic.topicName()));
    return isKnown
        ? group
        : new DescribedGroup().groupId(group.groupId()).errorCode(ErrorCode.TOPIC_AUTHORIZATION_FAILED.code())
            .errorMessage(GroupGuards.UNKNOWN_TOPIC);
  }
}
