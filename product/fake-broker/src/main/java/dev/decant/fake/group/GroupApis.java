package dev.decant.fake.group;

import dev.decant.fake.api.ApiTable;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.message.ConsumerGroupDescribeRequest;
import dev.decant.kafka.protocol.message.ConsumerGroupDescribeResponse;
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
import dev.decant.kafka.protocol.message.OffsetCommitResponse;
import dev.decant.kafka.protocol.message.OffsetDeleteRequest;
import dev.decant.kafka.protocol.message.OffsetDeleteResponse;
import dev.decant.kafka.protocol.message.OffsetFetchRequest;
import dev.decant.kafka.protocol.message.OffsetFetchResponse;
import dev.decant.kafka.protocol.message.SyncGroupRequest;
import dev.decant.kafka.protocol.message.SyncGroupResponse;
import java.util.EnumSet;
import java.util.Set;

/** The APIs of groups. */
public final class GroupApis {
  private static final Set<ApiKey> KEYS = EnumSet.of(ApiKey.OFFSET_COMMIT, ApiKey.OFFSET_FETCH, ApiKey.JOIN_GROUP,
      ApiKey.SYNC_GROUP, ApiKey.HEARTBEAT, ApiKey.LEAVE_GROUP, ApiKey.CONSUMER_GROUP_HEARTBEAT, ApiKey.OFFSET_DELETE,
      ApiKey.DELETE_GROUPS, ApiKey.LIST_GROUPS, ApiKey.DESCRIBE_GROUPS, ApiKey.CONSUMER_GROUP_DESCRIBE);

  private GroupApis() {}

  /** Adds the APIs, each with its own handler, to a table; the handlers share the coordinator. */
  public static void addTo(ApiTable apis, GroupCoordinator coordinator) {
    apis.addLater(KEYS, () -> addNow(apis, coordinator));
  }

  private static void addNow(ApiTable apis, GroupCoordinator coordinator) {
    apis.add(ApiKey.OFFSET_COMMIT, OffsetCommitRequest::read, OffsetCommitResponse::write,
        OffsetCommitResponse::throttleTimeMs, new OffsetCommitHandler(coordinator));
    apis.add(ApiKey.OFFSET_FETCH, OffsetFetchRequest::read, OffsetFetchResponse::write,
        OffsetFetchResponse::throttleTimeMs, new OffsetFetchHandler(coordinator));
    apis.add(ApiKey.JOIN_GROUP, JoinGroupRequest::read, JoinGroupResponse::write, JoinGroupResponse::throttleTimeMs,
        new JoinGroupHandler(coordinator));
    apis.add(ApiKey.SYNC_GROUP, SyncGroupRequest::read, SyncGroupResponse::write, SyncGroupResponse::throttleTimeMs,
        new SyncGroupHandler(coordinator));
    apis.add(ApiKey.HEARTBEAT, HeartbeatRequest::read, HeartbeatResponse::write, HeartbeatResponse::throttleTimeMs,
        new HeartbeatHandler(coordinator));
    apis.add(ApiKey.LEAVE_GROUP, LeaveGroupRequest::read, LeaveGroupResponse::write,
        LeaveGroupResponse::throttleTimeMs, new LeaveGroupHandler(coordinator));
    apis.add(ApiKey.CONSUMER_GROUP_HEARTBEAT, ConsumerGroupHeartbeatRequest::read,
        ConsumerGroupHeartbeatResponse::write, ConsumerGroupHeartbeatResponse::throttleTimeMs,
        new ConsumerGroupHeartbeatHandler(coordinator));
    apis.add(ApiKey.OFFSET_DELETE, OffsetDeleteRequest::read, OffsetDeleteResponse::write,
        OffsetDeleteResponse::throttleTimeMs, new OffsetDeleteHandler(coordinator));
    apis.add(ApiKey.DELETE_GROUPS, DeleteGroupsRequest::read, DeleteGroupsResponse::write,
        DeleteGroupsResponse::throttleTimeMs, new DeleteGroupsHandler(coordinator));
    apis.add(ApiKey.LIST_GROUPS, ListGroupsRequest::read, ListGroupsResponse::write,
        ListGroupsResponse::throttleTimeMs, new ListGroupsHandler(coordinator));
    apis.add(ApiKey.DESCRIBE_GROUPS, DescribeGroupsRequest::read, DescribeGroupsResponse::write,
        DescribeGroupsResponse::throttleTimeMs, new DescribeGroupsHandler(coordinator));
    apis.add(ApiKey.CONSUMER_GROUP_DESCRIBE, ConsumerGroupDescribeRequest::read, ConsumerGroupDescribeResponse::write,
        ConsumerGroupDescribeResponse::throttleTimeMs, new ConsumerGroupDescribeHandler(coordinator));
  }
}
