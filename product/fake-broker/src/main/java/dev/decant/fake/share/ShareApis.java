package dev.decant.fake.share;

import dev.decant.fake.api.ApiTable;
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
import java.util.EnumSet;
import java.util.Set;

/** The APIs of share groups (KIP-932). */
public final class ShareApis {
  private static final Set<ApiKey> KEYS = EnumSet.of(ApiKey.SHARE_GROUP_HEARTBEAT, ApiKey.SHARE_GROUP_DESCRIBE,
      ApiKey.SHARE_FETCH, ApiKey.SHARE_ACKNOWLEDGE, ApiKey.DESCRIBE_SHARE_GROUP_OFFSETS,
      ApiKey.ALTER_SHARE_GROUP_OFFSETS, ApiKey.DELETE_SHARE_GROUP_OFFSETS);

  private ShareApis() {}

  /** Adds the APIs, each with its own handler; the handlers share the groups. */
  public static void addTo(ApiTable apis, ShareGroups groups) {
    apis.addLater(KEYS, () -> addNow(apis, groups));
  }

  private static void addNow(ApiTable apis, ShareGroups groups) {
    apis.add(ApiKey.SHARE_GROUP_HEARTBEAT, ShareGroupHeartbeatRequest::read, ShareGroupHeartbeatResponse::write,
        ShareGroupHeartbeatResponse::throttleTimeMs, new ShareGroupHeartbeatHandler(groups));
    apis.add(ApiKey.SHARE_GROUP_DESCRIBE, ShareGroupDescribeRequest::read, ShareGroupDescribeResponse::write,
        ShareGroupDescribeResponse::throttleTimeMs, new ShareGroupDescribeHandler(groups));
    apis.add(ApiKey.SHARE_FETCH, ShareFetchRequest::read, ShareFetchResponse::write,
        ShareFetchResponse::throttleTimeMs, new ShareFetchHandler(groups));
    apis.add(ApiKey.SHARE_ACKNOWLEDGE, ShareAcknowledgeRequest::read, ShareAcknowledgeResponse::write,
        ShareAcknowledgeResponse::throttleTimeMs, new ShareAcknowledgeHandler(groups));
    apis.add(ApiKey.DESCRIBE_SHARE_GROUP_OFFSETS, DescribeShareGroupOffsetsRequest::read,
        DescribeShareGroupOffsetsResponse::write, DescribeShareGroupOffsetsResponse::throttleTimeMs,
        new DescribeShareGroupOffsetsHandler(groups));
    apis.add(ApiKey.ALTER_SHARE_GROUP_OFFSETS, AlterShareGroupOffsetsRequest::read,
        AlterShareGroupOffsetsResponse::write, AlterShareGroupOffsetsResponse::throttleTimeMs,
        new AlterShareGroupOffsetsHandler(groups));
    apis.add(ApiKey.DELETE_SHARE_GROUP_OFFSETS, DeleteShareGroupOffsetsRequest::read,
        DeleteShareGroupOffsetsResponse::write, DeleteShareGroupOffsetsResponse::throttleTimeMs,
        new DeleteShareGroupOffsetsHandler(groups));
  }
}
