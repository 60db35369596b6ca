package dev.decant.fake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.AddOffsetsToTxnRequest;
import dev.decant.kafka.protocol.message.AddOffsetsToTxnResponse;
import dev.decant.kafka.protocol.message.AddPartitionsToTxnRequest;
import dev.decant.kafka.protocol.message.AddPartitionsToTxnRequest.AddPartitionsToTxnTopic;
import dev.decant.kafka.protocol.message.AddPartitionsToTxnResponse;
import dev.decant.kafka.protocol.message.AlterConfigsRequest;
import dev.decant.kafka.protocol.message.AlterConfigsResponse;
import dev.decant.kafka.protocol.message.AlterPartitionReassignmentsRequest;
import dev.decant.kafka.protocol.message.AlterPartitionReassignmentsRequest.ReassignablePartition;
import dev.decant.kafka.protocol.message.AlterPartitionReassignmentsRequest.ReassignableTopic;
import dev.decant.kafka.protocol.message.AlterPartitionReassignmentsResponse;
import dev.decant.kafka.protocol.message.AlterShareGroupOffsetsRequest;
import dev.decant.kafka.protocol.message.AlterShareGroupOffsetsResponse;
import dev.decant.kafka.protocol.message.ConsumerGroupDescribeRequest;
import dev.decant.kafka.protocol.message.ConsumerGroupDescribeResponse;
import dev.decant.kafka.protocol.message.ConsumerGroupHeartbeatRequest;
import dev.decant.kafka.protocol.message.ConsumerGroupHeartbeatResponse;
import dev.decant.kafka.protocol.message.CreatePartitionsRequest;
import dev.decant.kafka.protocol.message.CreatePartitionsRequest.CreatePartitionsTopic;
import dev.decant.kafka.protocol.message.CreatePartitionsResponse;
import dev.decant.kafka.protocol.message.CreateTopicsRequest;
import dev.decant.kafka.protocol.message.CreateTopicsRequest.CreatableTopic;
import dev.decant.kafka.protocol.message.CreateTopicsResponse;
import dev.decant.kafka.protocol.message.DeleteGroupsRequest;
import dev.decant.kafka.protocol.message.DeleteGroupsResponse;
import dev.decant.kafka.protocol.message.DeleteRecordsRequest;
import dev.decant.kafka.protocol.message.DeleteRecordsRequest.DeleteRecordsPartition;
import dev.decant.kafka.protocol.message.DeleteRecordsRequest.DeleteRecordsTopic;
import dev.decant.kafka.protocol.message.DeleteRecordsResponse;
import dev.decant.kafka.protocol.message.DeleteShareGroupOffsetsRequest;
import dev.decant.kafka.protocol.message.DeleteShareGroupOffsetsResponse;
import dev.decant.kafka.protocol.message.DeleteTopicsRequest;
import dev.decant.kafka.protocol.message.DeleteTopicsRequest.DeleteTopicState;
import dev.decant.kafka.protocol.message.DeleteTopicsResponse;
import dev.decant.kafka.protocol.message.DescribeAclsRequest;
import dev.decant.kafka.protocol.message.DescribeAclsResponse;
import dev.decant.kafka.protocol.message.DescribeConfigsRequest;
import dev.decant.kafka.protocol.message.DescribeConfigsRequest.DescribeConfigsResource;
import dev.decant.kafka.protocol.message.DescribeConfigsResponse;
import dev.decant.kafka.protocol.message.DescribeGroupsRequest;
import dev.decant.kafka.protocol.message.DescribeGroupsResponse;
import dev.decant.kafka.protocol.message.DescribeLogDirsRequest;
import dev.decant.kafka.protocol.message.DescribeLogDirsResponse;
import dev.decant.kafka.protocol.message.DescribeProducersRequest;
import dev.decant.kafka.protocol.message.DescribeProducersResponse;
import dev.decant.kafka.protocol.message.DescribeShareGroupOffsetsRequest;
import dev.decant.kafka.protocol.message.DescribeShareGroupOffsetsRequest.DescribeShareGroupOffsetsRequestGroup;
import dev.decant.kafka.protocol.message.DescribeShareGroupOffsetsResponse;
import dev.decant.kafka.protocol.message.DescribeTransactionsRequest;
import dev.decant.kafka.protocol.message.DescribeTransactionsResponse;
import dev.decant.kafka.protocol.message.EndTxnRequest;
import dev.decant.kafka.protocol.message.EndTxnResponse;
import dev.decant.kafka.protocol.message.FetchRequest;
import dev.decant.kafka.protocol.message.FetchRequest.FetchPartition;
import dev.decant.kafka.protocol.message.FetchRequest.FetchTopic;
import dev.decant.kafka.protocol.message.FetchResponse;
import dev.decant.kafka.protocol.message.FindCoordinatorRequest;
import dev.decant.kafka.protocol.message.FindCoordinatorResponse;
import dev.decant.kafka.protocol.message.HeartbeatRequest;
import dev.decant.kafka.protocol.message.HeartbeatResponse;
import dev.decant.kafka.protocol.message.IncrementalAlterConfigsRequest;
import dev.decant.kafka.protocol.message.IncrementalAlterConfigsRequest.AlterConfigsResource;
import dev.decant.kafka.protocol.message.IncrementalAlterConfigsResponse;
import dev.decant.kafka.protocol.message.InitProducerIdRequest;
import dev.decant.kafka.protocol.message.InitProducerIdResponse;
import dev.decant.kafka.protocol.message.JoinGroupRequest;
import dev.decant.kafka.protocol.message.JoinGroupResponse;
import dev.decant.kafka.protocol.message.LeaveGroupRequest;
import dev.decant.kafka.protocol.message.LeaveGroupResponse;
import dev.decant.kafka.protocol.message.ListOffsetsRequest;
import dev.decant.kafka.protocol.message.ListOffsetsRequest.ListOffsetsPartition;
import dev.decant.kafka.protocol.message.ListOffsetsRequest.ListOffsetsTopic;
import dev.decant.kafka.protocol.message.ListOffsetsResponse;
import dev.decant.kafka.protocol.message.ListPartitionReassignmentsRequest;
import dev.decant.kafka.protocol.message.ListPartitionReassignmentsResponse;
import dev.decant.kafka.protocol.message.MetadataRequest;
import dev.decant.kafka.protocol.message.MetadataRequest.MetadataRequestTopic;
import dev.decant.kafka.protocol.message.MetadataResponse;
import dev.decant.kafka.protocol.message.OffsetCommitRequest;
import dev.decant.kafka.protocol.message.OffsetCommitRequest.OffsetCommitRequestPartition;
import dev.decant.kafka.protocol.message.OffsetCommitRequest.OffsetCommitRequestTopic;
import dev.decant.kafka.protocol.message.OffsetCommitResponse;
import dev.decant.kafka.protocol.message.OffsetDeleteRequest;
import dev.decant.kafka.protocol.message.OffsetDeleteResponse;
import dev.decant.kafka.protocol.message.OffsetFetchRequest;
import dev.decant.kafka.protocol.message.OffsetFetchRequest.OffsetFetchRequestGroup;
import dev.decant.kafka.protocol.message.OffsetFetchRequest.OffsetFetchRequestTopics;
import dev.decant.kafka.protocol.message.OffsetFetchResponse;
import dev.decant.kafka.protocol.message.OffsetForLeaderEpochRequest;
import dev.decant.kafka.protocol.message.OffsetForLeaderEpochRequest.OffsetForLeaderPartition;
import dev.decant.kafka.protocol.message.OffsetForLeaderEpochRequest.OffsetForLeaderTopic;
import dev.decant.kafka.protocol.message.OffsetForLeaderEpochResponse;
import dev.decant.kafka.protocol.message.ProduceRequest;
import dev.decant.kafka.protocol.message.ProduceRequest.PartitionProduceData;
import dev.decant.kafka.protocol.message.ProduceRequest.TopicProduceData;
import dev.decant.kafka.protocol.message.ProduceResponse;
import dev.decant.kafka.protocol.message.ShareAcknowledgeRequest;
import dev.decant.kafka.protocol.message.ShareAcknowledgeResponse;
import dev.decant.kafka.protocol.message.ShareFetchRequest;
import dev.decant.kafka.protocol.message.ShareFetchResponse;
import dev.decant.kafka.protocol.message.ShareGroupDescribeRequest;
import dev.decant.kafka.protocol.message.ShareGroupDescribeResponse;
import dev.decant.kafka.protocol.message.ShareGroupHeartbeatRequest;
import dev.decant.kafka.protocol.message.ShareGroupHeartbeatResponse;
import dev.decant.kafka.protocol.message.SyncGroupRequest;
import dev.decant.kafka.protocol.message.SyncGroupResponse;
import dev.decant.kafka.protocol.message.TxnOffsetCommitRequest;
import dev.decant.kafka.protocol.message.TxnOffsetCommitRequest.TxnOffsetCommitRequestPartition;
import dev.decant.kafka.protocol.message.TxnOffsetCommitRequest.TxnOffsetCommitRequestTopic;
import dev.decant.kafka.protocol.message.TxnOffsetCommitResponse;
import dev.decant.kafka.protocol.message.WriteTxnMarkersRequest;
import dev.decant.kafka.protocol.message.WriteTxnMarkersRequest.WritableTxnMarker;
import dev.decant.kafka.protocol.message.WriteTxnMarkersRequest.WritableTxnMarkerTopic;
import dev.decant.kafka.protocol.message.WriteTxnMarkersResponse;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests each API with a needed operation denied: the error is that of Kafka's brokers. */
@Timeout(60)
class RightsTest {
  private static final String CLIENT = "User:ANONYMOUS";
  private static final Resource ORDERS = Resource.topic("orders");
  private static final Resource BILLING = Resource.group("billing");
  private static final Resource PAYMENTS = Resource.transactionalId("payments");
  private static final ErrorCode NO_TOPIC = ErrorCode.TOPIC_AUTHORIZATION_FAILED;
  private static final ErrorCode NO_GROUP = ErrorCode.GROUP_AUTHORIZATION_FAILED;
  private static final ErrorCode NO_ID = ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED;
  private static final ErrorCode NO_CLUSTER = ErrorCode.CLUSTER_AUTHORIZATION_FAILED;
  private static FakeCluster cluster;

  /** A request, and the place of the error in its response. */
  interface Case {
    Answer ask(RawClient client) throws Exception;
  }

  /** The error in a response, and the whole response. */
  record Answer(IntSupplier errorOf, String text) {
    int error() {
      return errorOf.getAsInt();
    }
  }

  record Denied(Resource resource, Operation operation, ErrorCode error) {
    @Override
    public String toString() {
      return resource + " " + operation + " " + error;
    }
  }

  @BeforeAll
  static void start() {
    cluster = FakeCluster.builder().topic("orders", 1).topic("other", 1).start();
  }

  @AfterAll
  static void close() {
    cluster.close();
  }

  private static <R> Arguments of(ApiKey api, int version, Denied denied, RawClient.Body request,
      RawClient.Reading<R> response, ToIntFunction<R> error) {
    Case asked = client -> {
      R received = client.ask(api, version, request, response);
      return new Answer(() -> error.applyAsInt(received), String.valueOf(received));
    };
    return arguments(api, version, denied, asked);
  }

  private static Denied topic(Operation operation) {
    return new Denied(ORDERS, operation, NO_TOPIC);
  }

  private static Denied group(Operation operation) {
    return new Denied(BILLING, operation, NO_GROUP);
  }

  private static Denied id(Operation operation) {
    return new Denied(PAYMENTS, operation, NO_ID);
  }

  private static Denied cluster(Operation operation) {
    return new Denied(Resource.cluster(), operation, NO_CLUSTER);
  }

  static Stream<Arguments> records() {
    ProduceRequest produce = new ProduceRequest().acks((short) 1).topicData(List.of(new TopicProduceData()
        .name("orders").partitionData(List.of(new PartitionProduceData().index(0)))));
    ToIntFunction<ProduceResponse> produced = r -> r.responses().getFirst().partitionResponses().getFirst()
        .errorCode();
    FetchRequest fetch = new FetchRequest().maxWaitMs(0).maxBytes(1000).sessionEpoch(-1).topics(List.of(
        new FetchTopic().topic("orders").partitions(List.of(new FetchPartition().partition(0)
            .partitionMaxBytes(1000)))));
    return Stream.of(
        of(ApiKey.PRODUCE, 12, topic(Operation.WRITE), produce::write, ProduceResponse::read, produced),
        of(ApiKey.FETCH, 12, topic(Operation.READ), fetch::write, FetchResponse::read,
            r -> r.responses().getFirst().partitions().getFirst().errorCode()),
        of(ApiKey.LIST_OFFSETS, 8, topic(Operation.DESCRIBE),
            new ListOffsetsRequest().topics(List.of(new ListOffsetsTopic().name("orders")
                .partitions(List.of(new ListOffsetsPartition().timestamp(-1)))))::write,
            ListOffsetsResponse::read, r -> r.topics().getFirst().partitions().getFirst().errorCode()),
        of(ApiKey.OFFSET_FOR_LEADER_EPOCH, 4, topic(Operation.DESCRIBE),
            new OffsetForLeaderEpochRequest().topics(List.of(new OffsetForLeaderTopic().topic("orders")
                .partitions(List.of(new OffsetForLeaderPartition()))))::write,
            OffsetForLeaderEpochResponse::read, r -> r.topics().getFirst().partitions().getFirst().errorCode()),
        of(ApiKey.DELETE_RECORDS, 2, topic(Operation.DELETE),
            new DeleteRecordsRequest().topics(List.of(new DeleteRecordsTopic().name("orders")
                .partitions(List.of(new DeleteRecordsPartition()))))::write,
            DeleteRecordsResponse::read, r -> r.topics().getFirst().partitions().getFirst().errorCode()),
        of(ApiKey.DESCRIBE_PRODUCERS, 0, topic(Operation.READ),
            new DescribeProducersRequest().topics(List.of(new DescribeProducersRequest.TopicRequest().name("orders")
                .partitionIndexes(List.of(0))))::write,
            DescribeProducersResponse::read, r -> r.topics().getFirst().partitions().getFirst().errorCode()));
  }

  static Stream<Arguments> topics() {
    MetadataRequest metadata = new MetadataRequest().topics(List.of(new MetadataRequestTopic().name("orders")));
    DeleteTopicsRequest delete = new DeleteTopicsRequest().timeoutMs(20_000).topics(
        List.of(new DeleteTopicState().name("orders")));
    return Stream.of(
        of(ApiKey.METADATA, 13, topic(Operation.DESCRIBE), metadata::write, MetadataResponse::read,
            r -> r.topics().getFirst().errorCode()),
        of(ApiKey.METADATA, 1, topic(Operation.DESCRIBE), metadata::write, MetadataResponse::read,
            r -> r.topics().getFirst().errorCode()),
        of(ApiKey.CREATE_TOPICS, 7, new Denied(Resource.topic("made"), Operation.CREATE, NO_TOPIC),
            new CreateTopicsRequest().topics(List.of(new CreatableTopic().name("made").numPartitions(1)
                .replicationFactor((short) 1)))::write,
            CreateTopicsResponse::read, r -> r.topics().getFirst().errorCode()),
        of(ApiKey.DELETE_TOPICS, 6, topic(Operation.DELETE), delete::write, DeleteTopicsResponse::read,
            r -> r.responses().getFirst().errorCode()),
        of(ApiKey.DELETE_TOPICS, 5, topic(Operation.DELETE),
            new DeleteTopicsRequest().timeoutMs(20_000).topicNames(List.of("orders"))::write,
            DeleteTopicsResponse::read, r -> r.responses().getFirst().errorCode()),
        of(ApiKey.CREATE_PARTITIONS, 3, topic(Operation.ALTER),
            new CreatePartitionsRequest().topics(List.of(new CreatePartitionsTopic().name("orders").count(2)))::write,
            CreatePartitionsResponse::read, r -> r.results().getFirst().errorCode()),
        of(ApiKey.DESCRIBE_CONFIGS, 4, topic(Operation.DESCRIBE_CONFIGS), configs(2, "orders")::write,
            DescribeConfigsResponse::read, r -> r.results().getFirst().errorCode()),
        of(ApiKey.DESCRIBE_CONFIGS, 4, cluster(Operation.DESCRIBE_CONFIGS), configs(4, "1")::write,
            DescribeConfigsResponse::read, r -> r.results().getFirst().errorCode()),
        of(ApiKey.INCREMENTAL_ALTER_CONFIGS, 1, topic(Operation.ALTER_CONFIGS), alter(2, "orders")::write,
            IncrementalAlterConfigsResponse::read, r -> r.responses().getFirst().errorCode()),
        of(ApiKey.INCREMENTAL_ALTER_CONFIGS, 1, cluster(Operation.ALTER_CONFIGS), alter(4, "1")::write,
            IncrementalAlterConfigsResponse::read, r -> r.responses().getFirst().errorCode()),
        of(ApiKey.DESCRIBE_CONFIGS, 4, group(Operation.DESCRIBE_CONFIGS), configs(32, "billing")::write,
            DescribeConfigsResponse::read, r -> r.results().getFirst().errorCode()),
        of(ApiKey.DESCRIBE_CONFIGS, 4, cluster(Operation.DESCRIBE_CONFIGS), configs(16, "metrics")::write,
            DescribeConfigsResponse::read, r -> r.results().getFirst().errorCode()),
        of(ApiKey.INCREMENTAL_ALTER_CONFIGS, 1, group(Operation.ALTER_CONFIGS), alter(32, "billing")::write,
            IncrementalAlterConfigsResponse::read, r -> r.responses().getFirst().errorCode()),
        of(ApiKey.INCREMENTAL_ALTER_CONFIGS, 1, cluster(Operation.ALTER_CONFIGS), alter(16, "metrics")::write,
            IncrementalAlterConfigsResponse::read, r -> r.responses().getFirst().errorCode()),
        of(ApiKey.ALTER_CONFIGS, 2, topic(Operation.ALTER_CONFIGS), replace(2, "orders")::write,
            AlterConfigsResponse::read, r -> r.responses().getFirst().errorCode()),
        of(ApiKey.ALTER_CONFIGS, 2, group(Operation.ALTER_CONFIGS), replace(32, "billing")::write,
            AlterConfigsResponse::read, r -> r.responses().getFirst().errorCode()),
        of(ApiKey.ALTER_CONFIGS, 2, cluster(Operation.ALTER_CONFIGS), replace(16, "metrics")::write,
            AlterConfigsResponse::read, r -> r.responses().getFirst().errorCode()),
        of(ApiKey.DESCRIBE_LOG_DIRS, 4, cluster(Operation.DESCRIBE),
            new DescribeLogDirsRequest().topics(null)::write, DescribeLogDirsResponse::read,
            DescribeLogDirsResponse::errorCode),
        of(ApiKey.ALTER_PARTITION_REASSIGNMENTS, 1, cluster(Operation.ALTER),
            new AlterPartitionReassignmentsRequest().topics(List.of(new ReassignableTopic().name("orders").partitions(
                List.of(new ReassignablePartition().replicas(List.of(1))))))::write,
            AlterPartitionReassignmentsResponse::read, AlterPartitionReassignmentsResponse::errorCode),
        of(ApiKey.LIST_PARTITION_REASSIGNMENTS, 0, cluster(Operation.DESCRIBE),
            new ListPartitionReassignmentsRequest()::write, ListPartitionReassignmentsResponse::read,
            ListPartitionReassignmentsResponse::errorCode),
        of(ApiKey.DESCRIBE_ACLS, 3, cluster(Operation.DESCRIBE),
            new DescribeAclsRequest().resourceTypeFilter((byte) 1).patternTypeFilter((byte) 1).operation((byte) 1)
                .permissionType((byte) 1)::write,
            DescribeAclsResponse::read, DescribeAclsResponse::errorCode));
  }

  private static DescribeConfigsRequest configs(int type, String name) {
    return new DescribeConfigsRequest().resources(List.of(
        new DescribeConfigsResource().resourceType((byte) type).resourceName(name).configurationKeys(null)));
  }

  private static IncrementalAlterConfigsRequest alter(int type, String name) {
    return new IncrementalAlterConfigsRequest().validateOnly(true).resources(List.of(
        new AlterConfigsResource().resourceType((byte) type).resourceName(name)));
  }

  private static AlterConfigsRequest replace(int type, String name) {
    return new AlterConfigsRequest().validateOnly(true).resources(List.of(
        new AlterConfigsRequest.AlterConfigsResource().resourceType((byte) type).resourceName(name)));
  }

  private static ShareGroupHeartbeatRequest beatOf(String memberId) {
    return new ShareGroupHeartbeatRequest().groupId("billing").memberId(memberId).memberEpoch(0)
        .subscribedTopicNames(List.of("orders"));
  }

  static Stream<Arguments> shares() {
    ShareGroupHeartbeatRequest beat = beatOf("m");
    return Stream.of(
        of(ApiKey.SHARE_GROUP_HEARTBEAT, 1, group(Operation.READ), beat::write, ShareGroupHeartbeatResponse::read,
            ShareGroupHeartbeatResponse::errorCode),
        of(ApiKey.SHARE_GROUP_HEARTBEAT, 1, topic(Operation.DESCRIBE), beat::write, ShareGroupHeartbeatResponse::read,
            ShareGroupHeartbeatResponse::errorCode),
        of(ApiKey.SHARE_GROUP_HEARTBEAT, 1, new Denied(Resource.topic("orders"), Operation.DESCRIBE,
            ErrorCode.INVALID_REQUEST), beatOf("")::write, ShareGroupHeartbeatResponse::read,
            ShareGroupHeartbeatResponse::errorCode),
        of(ApiKey.SHARE_GROUP_HEARTBEAT, 1, new Denied(Resource.topic("orders"), Operation.DESCRIBE,
            ErrorCode.INVALID_REQUEST), beatOf("m".repeat(37))::write, ShareGroupHeartbeatResponse::read,
            ShareGroupHeartbeatResponse::errorCode),
        of(ApiKey.SHARE_GROUP_HEARTBEAT, 1, group(Operation.READ), beatOf("")::write, ShareGroupHeartbeatResponse::read,
            ShareGroupHeartbeatResponse::errorCode),
        of(ApiKey.SHARE_FETCH, 1, group(Operation.READ),
            new ShareFetchRequest().groupId("billing").memberId("m")::write, ShareFetchResponse::read,
            ShareFetchResponse::errorCode),
        of(ApiKey.SHARE_ACKNOWLEDGE, 1, group(Operation.READ),
            new ShareAcknowledgeRequest().groupId("billing").memberId("m")::write, ShareAcknowledgeResponse::read,
            ShareAcknowledgeResponse::errorCode),
        of(ApiKey.SHARE_GROUP_DESCRIBE, 1, group(Operation.DESCRIBE),
            new ShareGroupDescribeRequest().groupIds(List.of("billing"))::write, ShareGroupDescribeResponse::read,
            r -> r.groups().getFirst().errorCode()),
        of(ApiKey.DESCRIBE_SHARE_GROUP_OFFSETS, 1, group(Operation.DESCRIBE),
            new DescribeShareGroupOffsetsRequest().groups(List.of(new DescribeShareGroupOffsetsRequestGroup()
                .groupId("billing").topics(null)))::write,
            DescribeShareGroupOffsetsResponse::read, r -> r.groups().getFirst().errorCode()),
        of(ApiKey.ALTER_SHARE_GROUP_OFFSETS, 0, group(Operation.READ),
            new AlterShareGroupOffsetsRequest().groupId("billing")::write, AlterShareGroupOffsetsResponse::read,
            AlterShareGroupOffsetsResponse::errorCode),
        of(ApiKey.DELETE_SHARE_GROUP_OFFSETS, 0, group(Operation.DELETE),
            new DeleteShareGroupOffsetsRequest().groupId("billing")::write, DeleteShareGroupOffsetsResponse::read,
            DeleteShareGroupOffsetsResponse::errorCode));
  }

  static Stream<Arguments> groups() {
    OffsetCommitRequest commit = new OffsetCommitRequest().groupId("billing").topics(List.of(
        new OffsetCommitRequestTopic().name("orders").partitions(List.of(new OffsetCommitRequestPartition()))));
    ToIntFunction<OffsetCommitResponse> committed = r -> r.topics().getFirst().partitions().getFirst().errorCode();
    OffsetFetchRequest fetch = new OffsetFetchRequest().groups(List.of(new OffsetFetchRequestGroup().groupId("billing")
        .topics(List.of(new OffsetFetchRequestTopics().name("orders").partitionIndexes(List.of(0))))));
    SyncGroupRequest sync = new SyncGroupRequest().groupId("billing").protocolType("consumer").protocolName("range");
    OffsetDeleteRequest delete = new OffsetDeleteRequest().groupId("billing");
    ConsumerGroupHeartbeatRequest beat = new ConsumerGroupHeartbeatRequest().groupId("billing").memberId("m")
        .memberEpoch(0).rebalanceTimeoutMs(1000).topicPartitions(List.of()).subscribedTopicNames(List.of("orders"));
    return Stream.of(
        of(ApiKey.JOIN_GROUP, 9, group(Operation.READ), new JoinGroupRequest().groupId("billing")::write,
            JoinGroupResponse::read, JoinGroupResponse::errorCode),
        of(ApiKey.SYNC_GROUP, 5, group(Operation.READ), sync::write,
            SyncGroupResponse::read, SyncGroupResponse::errorCode),
        of(ApiKey.HEARTBEAT, 4, group(Operation.READ), new HeartbeatRequest().groupId("billing")::write,
            HeartbeatResponse::read, HeartbeatResponse::errorCode),
        of(ApiKey.LEAVE_GROUP, 5, group(Operation.READ), new LeaveGroupRequest().groupId("billing")::write,
            LeaveGroupResponse::read, LeaveGroupResponse::errorCode),
        of(ApiKey.CONSUMER_GROUP_HEARTBEAT, 1, group(Operation.READ), beat::write,
            ConsumerGroupHeartbeatResponse::read, ConsumerGroupHeartbeatResponse::errorCode),
        of(ApiKey.CONSUMER_GROUP_HEARTBEAT, 1, topic(Operation.DESCRIBE), beat::write,
            ConsumerGroupHeartbeatResponse::read, ConsumerGroupHeartbeatResponse::errorCode),
        of(ApiKey.OFFSET_COMMIT, 9, group(Operation.READ), commit::write, OffsetCommitResponse::read, committed),
        of(ApiKey.OFFSET_COMMIT, 9, topic(Operation.READ), commit::write, OffsetCommitResponse::read, committed),
        of(ApiKey.OFFSET_FETCH, 9, group(Operation.DESCRIBE), fetch::write, OffsetFetchResponse::read,
            r -> r.groups().getFirst().errorCode()),
        of(ApiKey.OFFSET_FETCH, 9, topic(Operation.DESCRIBE), fetch::write, OffsetFetchResponse::read,
            r -> r.groups().getFirst().topics().getFirst().partitions().getFirst().errorCode()),
        of(ApiKey.OFFSET_FETCH, 7, group(Operation.DESCRIBE),
            new OffsetFetchRequest().groupId("billing").topics(null)::write, OffsetFetchResponse::read,
            OffsetFetchResponse::errorCode),
        of(ApiKey.OFFSET_DELETE, 0, group(Operation.DELETE), delete::write, OffsetDeleteResponse::read,
            OffsetDeleteResponse::errorCode),
        of(ApiKey.DESCRIBE_GROUPS, 6, group(Operation.DESCRIBE),
            new DescribeGroupsRequest().groups(List.of("billing"))::write, DescribeGroupsResponse::read,
            r -> r.groups().getFirst().errorCode()),
        of(ApiKey.CONSUMER_GROUP_DESCRIBE, 1, group(Operation.DESCRIBE),
            new ConsumerGroupDescribeRequest().groupIds(List.of("billing"))::write,
            ConsumerGroupDescribeResponse::read, r -> r.groups().getFirst().errorCode()),
        of(ApiKey.DELETE_GROUPS, 2, group(Operation.DELETE),
            new DeleteGroupsRequest().groupsNames(List.of("billing"))::write, DeleteGroupsResponse::read,
            r -> r.results().getFirst().errorCode()),
        of(ApiKey.FIND_COORDINATOR, 6, group(Operation.DESCRIBE),
            new FindCoordinatorRequest().coordinatorKeys(List.of("billing"))::write, FindCoordinatorResponse::read,
            r -> r.coordinators().getFirst().errorCode()),
        of(ApiKey.FIND_COORDINATOR, 3, group(Operation.DESCRIBE), new FindCoordinatorRequest().key("billing")::write,
            FindCoordinatorResponse::read, FindCoordinatorResponse::errorCode));
  }

  static Stream<Arguments> transactions() {
    AddPartitionsToTxnRequest add = new AddPartitionsToTxnRequest().v3AndBelowTransactionalId("payments")
        .v3AndBelowTopics(List.of(new AddPartitionsToTxnTopic().name("other").partitions(List.of(0)),
            new AddPartitionsToTxnTopic().name("orders").partitions(List.of(0))));
    AddOffsetsToTxnRequest offsets = new AddOffsetsToTxnRequest().transactionalId("payments").groupId("billing");
    TxnOffsetCommitRequest commit = new TxnOffsetCommitRequest().transactionalId("payments").groupId("billing")
        .topics(List.of(new TxnOffsetCommitRequestTopic().name("orders").partitions(List.of(
            new TxnOffsetCommitRequestPartition()))));
    ToIntFunction<TxnOffsetCommitResponse> committed = r -> r.topics().getFirst().partitions().getFirst()
        .errorCode();
    return Stream.of(
        of(ApiKey.INIT_PRODUCER_ID, 4, id(Operation.WRITE),
            new InitProducerIdRequest().transactionalId("payments").transactionTimeoutMs(1000)::write,
            InitProducerIdResponse::read, InitProducerIdResponse::errorCode),
        of(ApiKey.ADD_PARTITIONS_TO_TXN, 3, id(Operation.WRITE), add::write, AddPartitionsToTxnResponse::read,
            r -> r.resultsByTopicV3AndBelow().getFirst().resultsByPartition().getFirst().partitionErrorCode()),
        of(ApiKey.ADD_PARTITIONS_TO_TXN, 3, topic(Operation.WRITE), add::write, AddPartitionsToTxnResponse::read,
            r -> r.resultsByTopicV3AndBelow().getLast().resultsByPartition().getFirst().partitionErrorCode()),
        of(ApiKey.ADD_PARTITIONS_TO_TXN, 3, new Denied(ORDERS, Operation.WRITE, ErrorCode.OPERATION_NOT_ATTEMPTED),
            add::write, AddPartitionsToTxnResponse::read,
            r -> r.resultsByTopicV3AndBelow().getFirst().resultsByPartition().getFirst().partitionErrorCode()),
        of(ApiKey.ADD_PARTITIONS_TO_TXN, 4, cluster(Operation.CLUSTER_ACTION), new AddPartitionsToTxnRequest()::write,
            AddPartitionsToTxnResponse::read, AddPartitionsToTxnResponse::errorCode),
        of(ApiKey.ADD_OFFSETS_TO_TXN, 3, id(Operation.WRITE), offsets::write, AddOffsetsToTxnResponse::read,
            AddOffsetsToTxnResponse::errorCode),
        of(ApiKey.ADD_OFFSETS_TO_TXN, 3, group(Operation.READ), offsets::write, AddOffsetsToTxnResponse::read,
            AddOffsetsToTxnResponse::errorCode),
        of(ApiKey.END_TXN, 3, id(Operation.WRITE), new EndTxnRequest().transactionalId("payments")::write,
            EndTxnResponse::read, EndTxnResponse::errorCode),
        of(ApiKey.TXN_OFFSET_COMMIT, 3, id(Operation.WRITE), commit::write, TxnOffsetCommitResponse::read, committed),
        of(ApiKey.TXN_OFFSET_COMMIT, 3, group(Operation.READ), commit::write, TxnOffsetCommitResponse::read,
            committed),
        of(ApiKey.TXN_OFFSET_COMMIT, 3, topic(Operation.READ), commit::write, TxnOffsetCommitResponse::read,
            committed),
        of(ApiKey.DESCRIBE_TRANSACTIONS, 0, id(Operation.DESCRIBE),
            new DescribeTransactionsRequest().transactionalIds(List.of("payments"))::write,
            DescribeTransactionsResponse::read, r -> r.transactionStates().getFirst().errorCode()),
        of(ApiKey.FIND_COORDINATOR, 6, id(Operation.DESCRIBE),
            new FindCoordinatorRequest().keyType((byte) 1).coordinatorKeys(List.of("payments"))::write,
            FindCoordinatorResponse::read, r -> r.coordinators().getFirst().errorCode()));
  }

  /** Returns the operation on the cluster that would suffice as well, or one that no case needs for other APIs. */
  static Operation operationOfCluster(ApiKey api, Operation ofTopic) {
    return switch (api) {
      case CREATE_TOPICS, DELETE_TOPICS -> ofTopic;
      default -> Operation.CLUSTER_ACTION;
    };
  }

  @ParameterizedTest
  @MethodSource({"records", "topics", "groups", "shares", "transactions"})
  void aDeniedOperationHasTheErrorOfBrokers(ApiKey api, int version, Denied denied, Case asked) throws Exception {
    cluster.security().deny(CLIENT, denied.resource(), denied.operation());
    Operation alsoDenied = operationOfCluster(api, denied.operation());
    cluster.security().deny(CLIENT, Resource.cluster(), alsoDenied);
    try (RawClient client = new RawClient(cluster, 1, "raw")) {
      assertThat(asked.ask(client).error()).isEqualTo(denied.error().code());
    } finally {
      cluster.security().remove(CLIENT, denied.resource(), denied.operation());
      cluster.security().remove(CLIENT, Resource.cluster(), alsoDenied);
    }
    assertThat(cluster.log("orders", 0).texts()).isEmpty();
  }

  /** Without the rule none of these requests has the error. */
  @ParameterizedTest
  @MethodSource({"records", "groups", "transactions"})
  void anAllowedOperationHasNoSuchError(ApiKey api, int version, Denied denied, Case asked) throws Exception {
    if (api == ApiKey.JOIN_GROUP || api == ApiKey.CONSUMER_GROUP_HEARTBEAT) {
      return; // leaves members behind
    }
    try (RawClient client = new RawClient(cluster, 1, "raw")) {
      assertThat(asked.ask(client).error()).isNotIn((int) NO_TOPIC.code(), (int) NO_GROUP.code(), (int) NO_ID.code(),
          (int) NO_CLUSTER.code());
    }
  }

  @ParameterizedTest
  @MethodSource("markers")
  void markersNeedTheRightsOfBrokers(WriteTxnMarkersRequest request) throws Exception {
    cluster.security().deny(CLIENT, Resource.cluster(), Operation.CLUSTER_ACTION, Operation.ALTER);
    try (RawClient client = new RawClient(cluster, 1, "raw")) {
      WriteTxnMarkersResponse response = client.ask(ApiKey.WRITE_TXN_MARKERS, 1, request::write,
          WriteTxnMarkersResponse::read);
      assertThat(response.markers().getFirst().topics().getFirst().partitions().getFirst().errorCode())
          .isEqualTo(NO_CLUSTER.code());
    } finally {
      cluster.security().remove(CLIENT, Resource.cluster(), Operation.CLUSTER_ACTION, Operation.ALTER);
    }
  }

  static Stream<WriteTxnMarkersRequest> markers() {
    return Stream.of(new WriteTxnMarkersRequest().markers(List.of(new WritableTxnMarker().producerId(1)
        .topics(List.of(new WritableTxnMarkerTopic().name("orders").partitionIndexes(List.of(0)))))));
  }
}
