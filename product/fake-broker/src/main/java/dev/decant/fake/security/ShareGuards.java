package dev.decant.fake.security;

import dev.decant.fake.api.ApiTable;
import dev.decant.fake.api.Operations;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.message.AlterShareGroupOffsetsRequest;
import dev.decant.kafka.protocol.message.AlterShareGroupOffsetsResponse;
import dev.decant.kafka.protocol.message.DeleteShareGroupOffsetsRequest;
import dev.decant.kafka.protocol.message.DeleteShareGroupOffsetsResponse;
import dev.decant.kafka.protocol.message.DescribeShareGroupOffsetsRequest;
import dev.decant.kafka.protocol.message.DescribeShareGroupOffsetsResponse;
import dev.decant.kafka.protocol.message.ShareAcknowledgeRequest;
import dev.decant.kafka.protocol.message.ShareAcknowledgeResponse;
import dev.decant.kafka.protocol.message.ShareFetchRequest;
import dev.decant.kafka.protocol.message.ShareFetchResponse;
import dev.decant.kafka.protocol.message.ShareGroupDescribeRequest;
import dev.decant.kafka.protocol.message.ShareGroupDescribeResponse;
import dev.decant.kafka.protocol.message.ShareGroupHeartbeatRequest;
import dev.decant.kafka.protocol.message.ShareGroupHeartbeatResponse;

/**
 * What the APIs of share groups want (KIP-932): the group. ShareFetch and ShareAcknowledge look at the topics
 * themselves, since a session remembers partitions that a request does not name.
 */
final class ShareGuards {
  private ShareGuards() {}

  static void addTo(ApiTable apis) {
    Guards.add(apis, ApiKey.SHARE_GROUP_HEARTBEAT,
        Guard.<ShareGroupHeartbeatRequest, ShareGroupHeartbeatResponse>whole((request, access) -> GroupGuards
            .heartbeat(request.groupId(), request.subscribedTopicNames(), access)));
    Guards.add(apis, ApiKey.SHARE_FETCH, Guard.<ShareFetchRequest, ShareFetchResponse>whole(
        (request, access) -> Refusals.group(Operations.READ, request.groupId(), access)));
    Guards.add(apis, ApiKey.SHARE_ACKNOWLEDGE, Guard.<ShareAcknowledgeRequest, ShareAcknowledgeResponse>whole(
        (request, access) -> Refusals.group(Operations.READ, request.groupId(), access)));
    Guard<ShareGroupDescribeRequest, ShareGroupDescribeResponse> operations = Guard.after(
        (request, context, response) -> {
          response.groups().stream().filter(g -> request.includeAuthorizedOperations() && g.errorCode() == 0)
              .forEach(g -> g.authorizedOperations(Operations.allowed(Operations.OF_GROUP, context.access(),
                  Operations.GROUP, g.groupId())));
          return response;
        });
    Guards.add(apis, ApiKey.SHARE_GROUP_DESCRIBE, operations.then(
        new Parts<ShareGroupDescribeRequest, ShareGroupDescribeResponse, String>(ShareGroupDescribeRequest::groupIds,
            ShareGroupDescribeRequest::groupIds, parts -> new ShareGroupDescribeRequest().groupIds(parts),
            (request, part, access) -> Refusals.group(Operations.DESCRIBE, part, access),
            (to, from) -> to.groups(Parts.both(to.groups(), from.groups())))));
    Guard<DescribeShareGroupOffsetsRequest, DescribeShareGroupOffsetsResponse> offsets = new Parts<>(
        DescribeShareGroupOffsetsRequest::groups, DescribeShareGroupOffsetsRequest::groups,
        parts -> new DescribeShareGroupOffsetsRequest().groups(parts),
        (request, part, access) -> Refusals.group(Operations.DESCRIBE, part.groupId(), access),
        (to, from) -> to.groups(Parts.both(to.groups(), from.groups())));
    Guards.add(apis, ApiKey.DESCRIBE_SHARE_GROUP_OFFSETS, offsets);
    Guards.add(apis, ApiKey.ALTER_SHARE_GROUP_OFFSETS,
        Guard.<AlterShareGroupOffsetsRequest, AlterShareGroupOffsetsResponse>whole(
            (request, access) -> Refusals.group(Operations.READ, request.groupId(), access)));
    Guards.add(apis, ApiKey.DELETE_SHARE_GROUP_OFFSETS,
        Guard.<DeleteShareGroupOffsetsRequest, DeleteShareGroupOffsetsResponse>whole(
            (request, access) -> Refusals.group(Operations.DELETE, request.groupId(), access)));
  }
}
