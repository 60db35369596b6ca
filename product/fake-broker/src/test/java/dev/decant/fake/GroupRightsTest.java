package dev.decant.fake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.protocol.message.AlterShareGroupOffsetsRequest;
import dev.decant.kafka.protocol.message.AlterShareGroupOffsetsRequest.AlterShareGroupOffsetsRequestPartition;
import dev.decant.kafka.protocol.message.AlterShareGroupOffsetsRequest.AlterShareGroupOffsetsRequestTopic;
import dev.decant.kafka.protocol.message.AlterShareGroupOffsetsResponse;
import dev.decant.kafka.protocol.message.ConsumerGroupDescribeRequest;
import dev.decant.kafka.protocol.message.ConsumerGroupDescribeResponse;
import dev.decant.kafka.protocol.message.ConsumerGroupHeartbeatRequest;
import dev.decant.kafka.protocol.message.ConsumerGroupHeartbeatResponse;
import dev.decant.kafka.protocol.message.DeleteShareGroupOffsetsRequest;
import dev.decant.kafka.protocol.message.DeleteShareGroupOffsetsRequest.DeleteShareGroupOffsetsRequestTopic;
import dev.decant.kafka.protocol.message.DeleteShareGroupOffsetsResponse;
import dev.decant.kafka.protocol.message.DescribeShareGroupOffsetsRequest;
import dev.decant.kafka.protocol.message.DescribeShareGroupOffsetsRequest.DescribeShareGroupOffsetsRequestGroup;
import dev.decant.kafka.protocol.message.DescribeShareGroupOffsetsRequest.DescribeShareGroupOffsetsRequestTopic;
import dev.decant.kafka.protocol.message.DescribeShareGroupOffsetsResponse;
import dev.decant.kafka.protocol.message.MetadataRequest;
import dev.decant.kafka.protocol.message.MetadataResponse;
import dev.decant.kafka.protocol.message.ShareFetchRequest;
import dev.decant.kafka.protocol.message.ShareFetchRequest.FetchPartition;
import dev.decant.kafka.protocol.message.ShareFetchRequest.FetchTopic;
import dev.decant.kafka.protocol.message.ShareFetchResponse;
import dev.decant.kafka.protocol.message.ShareGroupDescribeRequest;
import dev.decant.kafka.protocol.message.ShareGroupDescribeResponse;
import dev.decant.kafka.protocol.message.ShareGroupHeartbeatRequest;
import dev.decant.kafka.protocol.message.ShareGroupHeartbeatResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests groups and the rights on their topics. {@code SecurityOnBrokersTest} sends the same requests to a real broker.
 */
@Timeout(60)
@SuppressWarnings("NullAway") // a null fails the test
class GroupRightsTest {
  private static final Resource ORDERS = Resource.topic("orders");
  private static final int NO_TOPIC = ErrorCode.TOPIC_AUTHORIZATION_FAILED.code();

  /**
   * A cluster with the topics {@code orders} and {@code other}. A change of its rules is in force when the call
   * returns.
   */
  interface Rules {
    void deny(Resource resource, Operation... operations) throws Exception;

    void remove(Resource resource, Operation... operations) throws Exception;
  }

  /** The requests of a client, and the responses to compare. */
  interface Story {
    List<Object> tell(RawClient client, Rules rules) throws Exception;
  }

  private static void onFake(Story story, Consumer heard) throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().topic("orders", 1).topic("other", 1).start();
        RawClient client = new RawClient(cluster, 1, "raw")) {
      heard.accept(story.tell(client, ofFake(cluster, "User:ANONYMOUS")));
    }
  }

  /** Checks the responses of a story. */
  private interface Consumer {
    void accept(List<Object> responses);
  }

  static Rules ofFake(FakeCluster cluster, String principal) {
    return new Rules() {
      @Override
      public void deny(Resource resource, Operation... operations) {
        cluster.security().deny(principal, resource, operations);
      }

      @Override
      public void remove(Resource resource, Operation... operations) {
        cluster.security().remove(principal, resource, operations);
      }
    };
  }

  static List<Object> shareOffsets(RawClient client, Rules rules) throws Exception {
    List<Object> heard = new ArrayList<>();
    rules.deny(ORDERS, Operation.READ, Operation.DESCRIBE);
    List<AlterShareGroupOffsetsRequestTopic> topics = Stream.of("other", "missing", "orders")
        .map(name -> new AlterShareGroupOffsetsRequestTopic().topicName(name)
            .partitions(List.of(new AlterShareGroupOffsetsRequestPartition().startOffset(0))))
        .toList();
    heard.add(client.ask(ApiKey.ALTER_SHARE_GROUP_OFFSETS, 0,
        new AlterShareGroupOffsetsRequest().groupId("offsets").topics(topics)::write,
        AlterShareGroupOffsetsResponse::read));
    heard.add(describedOffsets(client, Stream.of("orders", "other")
        .map(name -> new DescribeShareGroupOffsetsRequestTopic().topicName(name).partitions(List.of(0))).toList()));
    rules.remove(ORDERS, Operation.READ, Operation.DESCRIBE);
    rules.deny(Resource.topic("other"), Operation.READ, Operation.DESCRIBE);
    heard.add(describedOffsets(client, null));
    heard.add(client.ask(ApiKey.DELETE_SHARE_GROUP_OFFSETS, 0,
        new DeleteShareGroupOffsetsRequest().groupId("offsets").topics(Stream.of("missing", "orders", "other")
            .map(name -> new DeleteShareGroupOffsetsRequestTopic().topicName(name)).toList())::write,
        DeleteShareGroupOffsetsResponse::read));
    rules.remove(Resource.topic("other"), Operation.READ, Operation.DESCRIBE);
    return heard;
  }

  private static DescribeShareGroupOffsetsResponse describedOffsets(RawClient client,
      List<DescribeShareGroupOffsetsRequestTopic> topics) throws IOException {
    return client.ask(ApiKey.DESCRIBE_SHARE_GROUP_OFFSETS, 1,
        new DescribeShareGroupOffsetsRequest().groups(List.of(new DescribeShareGroupOffsetsRequestGroup()
            .groupId("offsets").topics(topics)))::write,
        DescribeShareGroupOffsetsResponse::read);
  }

  @Test
  void offsetsOfShareGroupsNeedTheRightsOnTheirTopics() throws Exception {
    onFake(GroupRightsTest::shareOffsets, heard -> {
      AlterShareGroupOffsetsResponse altered = (AlterShareGroupOffsetsResponse) heard.get(0);
      assertThat(altered.responses()).extracting(t -> t.topicName() + " " + t.partitions().getFirst().errorCode())
          .containsExactly("missing 3", "orders 29", "other 0");
      DescribeShareGroupOffsetsResponse named = (DescribeShareGroupOffsetsResponse) heard.get(1);
      assertThat(named.groups().getFirst().topics())
          .extracting(t -> t.topicName() + " " + t.partitions().getFirst().errorCode() + " "
              + t.partitions().getFirst().startOffset())
          .containsExactly("other 0 0", "orders 29 -1");
      assertThat(((DescribeShareGroupOffsetsResponse) heard.get(2)).groups().getFirst().topics()).isEmpty();
      DeleteShareGroupOffsetsResponse deleted = (DeleteShareGroupOffsetsResponse) heard.get(3);
      assertThat(deleted.responses()).extracting(t -> t.topicName() + " " + t.errorCode()).startsWith("other 29");
    });
  }

  /** Joins a share group and a consumer group, and waits until both have a partition. */
  private static void join(RawClient client, String group, String topic) throws IOException {
    ConsumerGroupHeartbeatResponse consumer = beat(client, group + "-consumer", 0,
        new ConsumerGroupHeartbeatRequest().subscribedTopicNames(List.of(topic)));
    while (consumer.assignment() == null || consumer.assignment().topicPartitions().isEmpty()) {
      consumer = beat(client, group + "-consumer", consumer.memberEpoch(), new ConsumerGroupHeartbeatRequest());
    }
    ShareGroupHeartbeatResponse share = beat(client, group + "-share", 0, List.of(topic));
    while (share.assignment() == null || share.assignment().topicPartitions().isEmpty()) {
      share = beat(client, group + "-share", share.memberEpoch(), List.of(topic)); // @Timeout bounds the loop
    }
  }

  private static ConsumerGroupHeartbeatResponse beat(RawClient client, String group, int epoch,
      ConsumerGroupHeartbeatRequest subscription) throws IOException {
    ConsumerGroupHeartbeatRequest request = subscription.groupId(group).memberId("m").memberEpoch(epoch);
    if (epoch == 0) {
      request.rebalanceTimeoutMs(1000).topicPartitions(List.of());
    }
    ConsumerGroupHeartbeatResponse response = client.ask(ApiKey.CONSUMER_GROUP_HEARTBEAT, 1, request::write,
        ConsumerGroupHeartbeatResponse::read);
    assertThat(response.errorCode()).isZero();
    return response;
  }

  private static ShareGroupHeartbeatResponse beat(RawClient client, String group, int epoch, List<String> topics)
      throws IOException {
    ShareGroupHeartbeatResponse response = client.ask(ApiKey.SHARE_GROUP_HEARTBEAT, 1, new ShareGroupHeartbeatRequest()
        .groupId(group).memberId("m").memberEpoch(epoch).subscribedTopicNames(topics)::write,
        ShareGroupHeartbeatResponse::read);
    assertThat(response.errorCode()).isZero();
    return response;
  }

  /** Returns the descriptions of a hidden group, and of one whose operations are limited. */
  static List<Object> descriptions(RawClient client, Rules rules) throws Exception {
    List<Object> heard = new ArrayList<>();
    join(client, "hidden", "orders");
    join(client, "shown", "other");
    rules.deny(ORDERS, Operation.DESCRIBE);
    rules.deny(Resource.group("shown-consumer"), Operation.DELETE);
    rules.deny(Resource.group("shown-share"), Operation.ALTER_CONFIGS);
    for (String group : List.of("hidden", "shown")) {
      heard.add(client.ask(ApiKey.CONSUMER_GROUP_DESCRIBE, 1, new ConsumerGroupDescribeRequest()
          .groupIds(List.of(group + "-consumer")).includeAuthorizedOperations(true)::write,
          ConsumerGroupDescribeResponse::read).groups().getFirst());
      heard.add(client.ask(ApiKey.SHARE_GROUP_DESCRIBE, 1, new ShareGroupDescribeRequest()
          .groupIds(List.of(group + "-share")).includeAuthorizedOperations(true)::write,
          ShareGroupDescribeResponse::read).groups().getFirst());
    }
    rules.remove(ORDERS, Operation.DESCRIBE);
    rules.remove(Resource.group("shown-consumer"), Operation.DELETE);
    rules.remove(Resource.group("shown-share"), Operation.ALTER_CONFIGS);
    return heard;
  }

  @Test
  void aGroupWithAForbiddenTopicIsNotDescribed() throws Exception {
    onFake(GroupRightsTest::descriptions, heard -> {
      ConsumerGroupDescribeResponse.DescribedGroup consumers = (ConsumerGroupDescribeResponse.DescribedGroup) heard
          .get(0);
      assertThat(consumers.errorCode()).isEqualTo((short) NO_TOPIC);
      assertThat(consumers.members()).isEmpty();
      assertThat(consumers.groupState()).isEmpty();
      ShareGroupDescribeResponse.DescribedGroup shares = (ShareGroupDescribeResponse.DescribedGroup) heard.get(1);
      assertThat(shares.errorCode()).isEqualTo((short) NO_TOPIC);
      assertThat(shares.members()).isEmpty();
      int read = 1 << 3;
      int delete = 1 << 6;
      int describe = 1 << 8;
      int describeConfigs = 1 << 10;
      int alterConfigs = 1 << 11;
      assertThat(((ConsumerGroupDescribeResponse.DescribedGroup) heard.get(2)).authorizedOperations())
          .isEqualTo(read | describe | describeConfigs | alterConfigs);
      assertThat(((ShareGroupDescribeResponse.DescribedGroup) heard.get(3)).authorizedOperations())
          .isEqualTo(read | delete | describe | describeConfigs);
    });
  }

  /**
   * Returns the assignment of a member that subscribes to all topics by a pattern, with one topic that it may not
   * describe.
   */
  static List<Object> pattern(RawClient client, Rules rules) throws Exception {
    rules.deny(ORDERS, Operation.DESCRIBE);
    ConsumerGroupHeartbeatResponse response = beat(client, "pattern", 0,
        new ConsumerGroupHeartbeatRequest().subscribedTopicRegex("o.*"));
    while (response.assignment() == null || response.assignment().topicPartitions().isEmpty()) {
      response = beat(client, "pattern", response.memberEpoch(), new ConsumerGroupHeartbeatRequest());
    }
    rules.remove(ORDERS, Operation.DESCRIBE);
    Map<Uuid, String> names = names(client);
    return List.of(response.assignment().topicPartitions().stream().map(t -> names.get(t.topicId())).toList());
  }

  private static Map<Uuid, String> names(RawClient client) throws IOException {
    Map<Uuid, String> names = new HashMap<>();
    client.ask(ApiKey.METADATA, 12, new MetadataRequest().topics(null)::write, MetadataResponse::read).topics()
        .forEach(topic -> names.put(topic.topicId(), topic.name()));
    return names;
  }

  @Test
  void aPatternDoesNotMatchATopicThatTheMemberMayNotKnow() throws Exception {
    onFake(GroupRightsTest::pattern, heard -> assertThat(heard).containsExactly(List.of("other")));
  }

  /** Returns the responses to share fetches that acquire nothing, of an existing and of an unknown partition. */
  static List<Object> shareFetch(RawClient client, Rules rules) throws Exception {
    Uuid orders = names(client).entrySet().stream().filter(e -> e.getValue().equals("orders")).findFirst()
        .orElseThrow().getKey();
    rules.deny(ORDERS, Operation.READ);
    ShareFetchRequest request = new ShareFetchRequest().groupId("fetch").memberId("m").shareSessionEpoch(0)
        .maxBytes(1000).topics(List.of(new FetchTopic().topicId(orders).partitions(List.of(new FetchPartition(),
            new FetchPartition().partitionIndex(7)))));
    ShareFetchResponse response = client.ask(ApiKey.SHARE_FETCH, 1, request::write, ShareFetchResponse::read);
    rules.remove(ORDERS, Operation.READ);
    return List.of((int) response.errorCode(), response.responses().stream().flatMap(t -> t.partitions().stream())
        .map(p -> p.partitionIndex() + " " + p.errorCode()).sorted().toList());
  }

  @Test
  void aShareFetchDoesNotTellWhichPartitionsAForbiddenTopicHas() throws Exception {
    onFake(GroupRightsTest::shareFetch, heard -> assertThat(heard).containsExactly(0, List.of("0 29", "7 29")));
  }
}
