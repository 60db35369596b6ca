package dev.decant.fake;

import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.message.AddPartitionsToTxnRequest;
import dev.decant.kafka.protocol.message.AddPartitionsToTxnRequest.AddPartitionsToTxnTopic;
import dev.decant.kafka.protocol.message.AddPartitionsToTxnResponse;
import dev.decant.kafka.protocol.message.AlterConfigsRequest;
import dev.decant.kafka.protocol.message.AlterConfigsResponse;
import dev.decant.kafka.protocol.message.ConsumerGroupDescribeRequest;
import dev.decant.kafka.protocol.message.ConsumerGroupDescribeResponse;
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
import dev.decant.kafka.protocol.message.DeleteTopicsRequest;
import dev.decant.kafka.protocol.message.DeleteTopicsRequest.DeleteTopicState;
import dev.decant.kafka.protocol.message.DeleteTopicsResponse;
import dev.decant.kafka.protocol.message.DescribeConfigsRequest;
import dev.decant.kafka.protocol.message.DescribeConfigsRequest.DescribeConfigsResource;
import dev.decant.kafka.protocol.message.DescribeConfigsResponse;
import dev.decant.kafka.protocol.message.DescribeGroupsRequest;
import dev.decant.kafka.protocol.message.DescribeGroupsResponse;
import dev.decant.kafka.protocol.message.DescribeProducersRequest;
import dev.decant.kafka.protocol.message.DescribeProducersResponse;
import dev.decant.kafka.protocol.message.DescribeShareGroupOffsetsRequest;
import dev.decant.kafka.protocol.message.DescribeShareGroupOffsetsRequest.DescribeShareGroupOffsetsRequestGroup;
import dev.decant.kafka.protocol.message.DescribeShareGroupOffsetsResponse;
import dev.decant.kafka.protocol.message.FetchRequest;
import dev.decant.kafka.protocol.message.FetchRequest.FetchPartition;
import dev.decant.kafka.protocol.message.FetchRequest.FetchTopic;
import dev.decant.kafka.protocol.message.FetchResponse;
import dev.decant.kafka.protocol.message.FindCoordinatorRequest;
import dev.decant.kafka.protocol.message.FindCoordinatorResponse;
import dev.decant.kafka.protocol.message.IncrementalAlterConfigsRequest;
import dev.decant.kafka.protocol.message.IncrementalAlterConfigsRequest.AlterConfigsResource;
import dev.decant.kafka.protocol.message.IncrementalAlterConfigsRequest.AlterableConfig;
import dev.decant.kafka.protocol.message.IncrementalAlterConfigsResponse;
import dev.decant.kafka.protocol.message.ListGroupsRequest;
import dev.decant.kafka.protocol.message.ListGroupsResponse;
import dev.decant.kafka.protocol.message.ListOffsetsRequest;
import dev.decant.kafka.protocol.message.ListOffsetsRequest.ListOffsetsPartition;
import dev.decant.kafka.protocol.message.ListOffsetsRequest.ListOffsetsTopic;
import dev.decant.kafka.protocol.message.ListOffsetsResponse;
import dev.decant.kafka.protocol.message.MetadataRequest;
import dev.decant.kafka.protocol.message.MetadataRequest.MetadataRequestTopic;
import dev.decant.kafka.protocol.message.MetadataResponse;
import dev.decant.kafka.protocol.message.OffsetCommitRequest;
import dev.decant.kafka.protocol.message.OffsetCommitRequest.OffsetCommitRequestPartition;
import dev.decant.kafka.protocol.message.OffsetCommitRequest.OffsetCommitRequestTopic;
import dev.decant.kafka.protocol.message.OffsetCommitResponse;
import dev.decant.kafka.protocol.message.OffsetDeleteRequest;
import dev.decant.kafka.protocol.message.OffsetDeleteRequest.OffsetDeleteRequestPartition;
import dev.decant.kafka.protocol.message.OffsetDeleteRequest.OffsetDeleteRequestTopic;
import dev.decant.kafka.protocol.message.OffsetDeleteResponse;
import dev.decant.kafka.protocol.message.OffsetFetchRequest;
import dev.decant.kafka.protocol.message.OffsetFetchRequest.OffsetFetchRequestGroup;
import dev.decant.kafka.protocol.message.OffsetFetchRequest.OffsetFetchRequestTopics;
import dev.decant.kafka.protocol.message.OffsetFetchResponse;
import dev.decant.kafka.protocol.message.OffsetForLeaderEpochRequest;
import dev.decant.kafka.protocol.message.OffsetForLeaderEpochRequest.OffsetForLeaderPartition;
import dev.decant.kafka.protocol.message.OffsetForLeaderEpochRequest.OffsetForLeaderTopic;
import dev.decant.kafka.protocol.message.OffsetForLeaderEpochResponse;
import dev.decant.kafka.protocol.message.ShareGroupDescribeRequest;
import dev.decant.kafka.protocol.message.ShareGroupDescribeResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/** Requests that each name a resource that the client may not use, one that it may use, and one that does not exist. */
final class MixedRights {
  private static final List<String> TOPICS = List.of("missing", "orders", "other");
  private static final List<String> GROUPS = List.of("hidden", "shown", "missing");

  private MixedRights() {}

  /** One request, and the reader of its response. */
  private record Question<R>(ApiKey api, int version, RawClient.Body request, RawClient.Reading<R> response) {
    String ask(RawClient client) throws Exception {
      try {
        return String.valueOf(client.ask(api, version, request, response));
      } catch (IOException e) {
        throw new IOException("no response to " + api, e);
      }
    }
  }

  /** Sends all requests, while the topic {@code orders} and the group {@code hidden} are forbidden. */
  static List<Object> tell(RawClient client, GroupRightsTest.Rules rules) throws Exception {
    Operation[] ofTopic = {Operation.ALL};
    rules.deny(Resource.topic("orders"), ofTopic);
    rules.deny(Resource.group("hidden"), ofTopic);
    rules.deny(Resource.cluster(), Operation.CREATE, Operation.DELETE, Operation.CLUSTER_ACTION, Operation.DESCRIBE);
    try {
      List<Object> heard = new ArrayList<>();
      for (Question<?> question : Stream.of(records(), topics(), configs(), groups()).flatMap(List::stream).toList()) {
        heard.add(question.ask(client));
      }
      return heard;
    } finally {
      rules.remove(Resource.topic("orders"), ofTopic);
      rules.remove(Resource.group("hidden"), ofTopic);
      rules.remove(Resource.cluster(), Operation.CREATE, Operation.DELETE, Operation.CLUSTER_ACTION,
          Operation.DESCRIBE);
    }
  }

  private static <T> List<T> of(List<String> names, Function<String, T> named) {
    return names.stream().map(named).toList();
  }

  private static List<Question<?>> records() {
    return List.of(
        new Question<>(ApiKey.FETCH, 12, new FetchRequest().maxWaitMs(0).maxBytes(1000).sessionEpoch(-1)
            .topics(of(TOPICS, name -> new FetchTopic().topic(name).partitions(List.of(
                new FetchPartition().partition(name.equals("orders") ? 7 : 0).partitionMaxBytes(1000)))))::write,
            FetchResponse::read),
        new Question<>(ApiKey.LIST_OFFSETS, 8, new ListOffsetsRequest().topics(of(TOPICS, name -> new ListOffsetsTopic()
            .name(name).partitions(List.of(new ListOffsetsPartition().timestamp(-1)))))::write,
            ListOffsetsResponse::read),
        new Question<>(ApiKey.OFFSET_FOR_LEADER_EPOCH, 4, new OffsetForLeaderEpochRequest().topics(of(TOPICS,
            name -> new OffsetForLeaderTopic().topic(name).partitions(List.of(new OffsetForLeaderPartition()))))::write,
            OffsetForLeaderEpochResponse::read),
        new Question<>(ApiKey.DELETE_RECORDS, 2, new DeleteRecordsRequest().timeoutMs(20_000).topics(of(TOPICS,
            name -> new DeleteRecordsTopic().name(name).partitions(List.of(new DeleteRecordsPartition()))))::write,
            DeleteRecordsResponse::read),
        new Question<>(ApiKey.DESCRIBE_PRODUCERS, 0, new DescribeProducersRequest().topics(of(TOPICS,
            name -> new DescribeProducersRequest.TopicRequest().name(name).partitionIndexes(List.of(0))))::write,
            DescribeProducersResponse::read),
        new Question<>(ApiKey.ADD_PARTITIONS_TO_TXN, 3, new AddPartitionsToTxnRequest()
            .v3AndBelowTransactionalId("mixed").v3AndBelowTopics(of(TOPICS, name -> new AddPartitionsToTxnTopic()
                .name(name).partitions(List.of(0, 7))))::write,
            AddPartitionsToTxnResponse::read));
  }

  private static List<Question<?>> topics() {
    return List.of(
        new Question<>(ApiKey.METADATA, 13, new MetadataRequest().allowAutoTopicCreation(false)
            .topics(of(TOPICS, name -> new MetadataRequestTopic().name(name)))::write, MetadataResponse::read),
        new Question<>(ApiKey.CREATE_TOPICS, 7, new CreateTopicsRequest().validateOnly(true).timeoutMs(20_000)
            .topics(of(List.of("orders", "orders", "other"), name -> new CreatableTopic().name(name).numPartitions(1)
                .replicationFactor((short) 1)))::write,
            CreateTopicsResponse::read),
        new Question<>(ApiKey.DELETE_TOPICS, 6, new DeleteTopicsRequest().timeoutMs(20_000).topics(of(
            List.of("missing", "orders"), name -> new DeleteTopicState().name(name)))::write,
            DeleteTopicsResponse::read),
        new Question<>(ApiKey.CREATE_PARTITIONS, 3, new CreatePartitionsRequest().validateOnly(true).timeoutMs(20_000)
            .topics(of(TOPICS, name -> new CreatePartitionsTopic().name(name).count(2)))::write,
            CreatePartitionsResponse::read));
  }

  private static List<Question<?>> configs() {
    AlterableConfig nothing = new AlterableConfig().name("retention.ms").value(null);
    AlterableConfig time = new AlterableConfig().name("retention.ms").value("1000");
    AlterableConfig session = new AlterableConfig().name("consumer.session.timeout.ms").value("50000");
    return List.of(
        new Question<>(ApiKey.DESCRIBE_CONFIGS, 4, new DescribeConfigsRequest().resources(List.of(
            described(2, "orders"), described(2, "missing"), described(2, "other"), described(32, "hidden"),
            described(32, "shown"), described(32, "")))::write,
            DescribeConfigsResponse::read),
        new Question<>(ApiKey.INCREMENTAL_ALTER_CONFIGS, 1, altered(new AlterConfigsResource().resourceType((byte) 2)
            .resourceName("orders").configs(List.of(nothing)))::write, IncrementalAlterConfigsResponse::read),
        new Question<>(ApiKey.INCREMENTAL_ALTER_CONFIGS, 1, altered(new AlterConfigsResource().resourceType((byte) 2)
            .resourceName("orders").configs(List.of(time, time)))::write, IncrementalAlterConfigsResponse::read),
        new Question<>(ApiKey.INCREMENTAL_ALTER_CONFIGS, 1, altered(
            new AlterConfigsResource().resourceType((byte) 32).resourceName("hidden").configs(List.of(session)),
            new AlterConfigsResource().resourceType((byte) 32).resourceName("hidden").configs(List.of(session)),
            new AlterConfigsResource().resourceType((byte) 32).resourceName("shown").configs(List.of(session)))::write,
            IncrementalAlterConfigsResponse::read),
        new Question<>(ApiKey.ALTER_CONFIGS, 2, new AlterConfigsRequest().validateOnly(true).resources(of(
            List.of("orders", "other"), name -> new AlterConfigsRequest.AlterConfigsResource()
                .resourceType((byte) 2).resourceName(name)))::write,
            AlterConfigsResponse::read));
  }

  private static DescribeConfigsResource described(int type, String name) {
    return new DescribeConfigsResource().resourceType((byte) type).resourceName(name)
        .configurationKeys(List.of("cleanup.policy", "consumer.session.timeout.ms"));
  }

  private static IncrementalAlterConfigsRequest altered(AlterConfigsResource... resources) {
    return new IncrementalAlterConfigsRequest().validateOnly(true).resources(List.of(resources));
  }

  private static List<Question<?>> groups() {
    return List.of(
        new Question<>(ApiKey.OFFSET_COMMIT, 9, new OffsetCommitRequest().groupId("shown").topics(of(TOPICS,
            name -> new OffsetCommitRequestTopic().name(name).partitions(List.of(
                new OffsetCommitRequestPartition().committedOffset(1)))))::write,
            OffsetCommitResponse::read),
        new Question<>(ApiKey.OFFSET_FETCH, 9, new OffsetFetchRequest().groups(of(GROUPS,
            id -> new OffsetFetchRequestGroup().groupId(id).topics(of(TOPICS,
                name -> new OffsetFetchRequestTopics().name(name).partitionIndexes(List.of(0))))))::write,
            OffsetFetchResponse::read),
        new Question<>(ApiKey.OFFSET_FETCH, 9, new OffsetFetchRequest().groups(of(GROUPS,
            id -> new OffsetFetchRequestGroup().groupId(id).topics(null)))::write,
            OffsetFetchResponse::read),
        new Question<>(ApiKey.OFFSET_DELETE, 0, new OffsetDeleteRequest().groupId("shown").topics(of(TOPICS,
            name -> new OffsetDeleteRequestTopic().name(name)
                .partitions(List.of(new OffsetDeleteRequestPartition().partitionIndex(0)))))::write,
            OffsetDeleteResponse::read),
        new Question<>(ApiKey.DESCRIBE_GROUPS, 6,
            new DescribeGroupsRequest().groups(List.of("missing", "hidden")).includeAuthorizedOperations(true)::write,
            DescribeGroupsResponse::read),
        new Question<>(ApiKey.CONSUMER_GROUP_DESCRIBE, 1,
            new ConsumerGroupDescribeRequest().groupIds(List.of("missing", "hidden"))::write,
            ConsumerGroupDescribeResponse::read),
        new Question<>(ApiKey.SHARE_GROUP_DESCRIBE, 1,
            new ShareGroupDescribeRequest().groupIds(List.of("missing", "hidden"))::write,
            ShareGroupDescribeResponse::read),
        new Question<>(ApiKey.DESCRIBE_SHARE_GROUP_OFFSETS, 1, new DescribeShareGroupOffsetsRequest().groups(of(
            List.of("hidden", "absent"),
            id -> new DescribeShareGroupOffsetsRequestGroup().groupId(id).topics(List.of())))::write,
            DescribeShareGroupOffsetsResponse::read),
        new Question<>(ApiKey.DELETE_GROUPS, 2,
            new DeleteGroupsRequest().groupsNames(List.of("hidden", "missing"))::write, DeleteGroupsResponse::read),
        new Question<>(ApiKey.FIND_COORDINATOR, 6, new FindCoordinatorRequest().coordinatorKeys(GROUPS)::write,
            FindCoordinatorResponse::read),
        new Question<>(ApiKey.LIST_GROUPS, 5, new ListGroupsRequest().statesFilter(List.of("none"))::write,
            ListGroupsResponse::read));
  }
}
