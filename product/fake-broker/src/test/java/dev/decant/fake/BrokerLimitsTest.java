package dev.decant.fake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.AlterConfigsRequest;
import dev.decant.kafka.protocol.message.AlterConfigsRequest.AlterConfigsResource;
import dev.decant.kafka.protocol.message.AlterConfigsRequest.AlterableConfig;
import dev.decant.kafka.protocol.message.AlterConfigsResponse;
import dev.decant.kafka.protocol.message.ConsumerGroupHeartbeatRequest;
import dev.decant.kafka.protocol.message.ConsumerGroupHeartbeatResponse;
import dev.decant.kafka.protocol.message.FetchRequest;
import dev.decant.kafka.protocol.message.FetchResponse;
import dev.decant.kafka.protocol.message.OffsetFetchRequest;
import dev.decant.kafka.protocol.message.OffsetFetchRequest.OffsetFetchRequestGroup;
import dev.decant.kafka.protocol.message.OffsetFetchRequest.OffsetFetchRequestTopics;
import dev.decant.kafka.protocol.message.OffsetFetchResponse;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests limits of settings, of memory and of waits, and the places of errors in responses. */
@Timeout(60)
@SuppressWarnings("NullAway") // a null fails the test
class BrokerLimitsTest {
  @ParameterizedTest
  @ValueSource(strings = {"offsets.topic.num.partitions", "transaction.state.log.num.partitions", "num.partitions",
      "socket.request.max.bytes", "group.max.size", "transaction.max.timeout.ms"})
  void settingBelowItsLimitIsRefused(String setting) {
    assertThatThrownBy(() -> FakeCluster.builder().setting(setting, "0")).isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Invalid value 0 for configuration " + setting + ": Value must be at least 1");
  }

  private static AlterConfigsResponse alter(RawClient client, int version, String name, Map<String, String> configs)
      throws IOException {
    AlterConfigsRequest request = new AlterConfigsRequest().resources(List.of(new AlterConfigsResource()
        .resourceType((byte) 2).resourceName(name).configs(configs.entrySet().stream()
            .map(c -> new AlterableConfig().name(c.getKey()).value(c.getValue())).toList())));
    return client.ask(ApiKey.ALTER_CONFIGS, version, request::write, AlterConfigsResponse::read);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void alteredConfigsTakeThePlaceOfAllThatWereSet(int version) throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().topic("orders", 1, Map.of("retention.ms", "5")).start();
        Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()));
        RawClient client = new RawClient(cluster, 1, "admin")) {
      AlterConfigsResponse response = alter(client, version, "orders", Map.of("segment.ms", "7"));
      assertThat(response.responses().getFirst().errorCode()).isEqualTo(ErrorCode.NONE.code());
      ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, "orders");
      var configs = admin.describeConfigs(List.of(topic)).all().get(20, TimeUnit.SECONDS).get(topic);
      assertThat(configs.get("segment.ms").value()).isEqualTo("7");
      assertThat(configs.get("retention.ms").isDefault()).isTrue();
      response = alter(client, version, "orders", Map.of("segment.ms", "0"));
      assertThat(response.responses().getFirst().errorCode()).isEqualTo(ErrorCode.INVALID_CONFIG.code());
      response = alter(client, version, "other", Map.of());
      assertThat(response.responses().getFirst().errorCode())
          .isEqualTo(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION.code());
    }
  }

  @Test
  void requestForMorePartitionsThanAControllerMakesIsRefused() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().topic("orders", 1).start();
        Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()))) {
      assertThatThrownBy(() -> admin.createTopics(List.of(new NewTopic("large", Integer.MAX_VALUE, (short) 1))).all()
          .get(20, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(PolicyViolationException.class);
      assertThatThrownBy(() -> admin.createPartitions(Map.of("orders", NewPartitions.increaseTo(Integer.MAX_VALUE)))
          .all().get(20, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(PolicyViolationException.class);
    }
  }

  @Test
  void waitForARequestEndsWithTheCluster() throws Exception {
    FakeCluster cluster = FakeCluster.start();
    CompletableFuture<ReceivedRequest> waiting = new CompletableFuture<>();
    Thread waiter = Thread.ofPlatform().start(() -> {
      try {
        waiting.complete(cluster.awaitRequest(ApiKey.FETCH, Duration.ofDays(1)));
      } catch (Throwable e) { // the test checks it
        waiting.completeExceptionally(e);
      }
    });
    cluster.close();
    assertThatThrownBy(() -> waiting.get(20, TimeUnit.SECONDS)).hasCauseInstanceOf(FakeClusterException.class)
        .hasMessageContaining("closed");
    waiter.join();
  }

  private static FetchRequest fetch(int sessionId, int epoch, int partitions) {
    return new FetchRequest().maxWaitMs(0).minBytes(1).maxBytes(1 << 20).sessionId(sessionId).sessionEpoch(epoch)
        .topics(partitions == 0
            ? List.of()
            : List.of(new FetchRequest.FetchTopic().topic("orders").partitions(
                List.of(new FetchRequest.FetchPartition().partition(0).partitionMaxBytes(1 << 20)))));
  }

  @Test
  void fetchThatAFaultRefusesHasItsErrorWhereBrokersPutIt() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().topic("orders", 1).start();
        RawClient client = new RawClient(cluster, 1, "reader")) {
      FetchResponse first = client.ask(ApiKey.FETCH, 12, fetch(0, 0, 1)::write, FetchResponse::read);
      assertThat(first.sessionId()).isPositive();
      cluster.faults().on(ApiKey.FETCH).answer(ErrorCode.NOT_LEADER_OR_FOLLOWER);
      FetchResponse refused = client.ask(ApiKey.FETCH, 12, fetch(first.sessionId(), 1, 0)::write, FetchResponse::read);
      assertThat(refused.errorCode()).isEqualTo(ErrorCode.NONE.code());
      assertThat(refused.responses().getFirst().partitions().getFirst().errorCode())
          .isEqualTo(ErrorCode.NOT_LEADER_OR_FOLLOWER.code());
      FetchResponse next = client.ask(ApiKey.FETCH, 12, fetch(first.sessionId(), 2, 0)::write, FetchResponse::read);
      assertThat(next.errorCode()).isEqualTo(ErrorCode.NONE.code());
      cluster.faults().on(ApiKey.FETCH).answer(ErrorCode.FETCH_SESSION_ID_NOT_FOUND);
      FetchResponse lost = client.ask(ApiKey.FETCH, 12, fetch(first.sessionId(), 3, 0)::write, FetchResponse::read);
      assertThat(lost.errorCode()).isEqualTo(ErrorCode.FETCH_SESSION_ID_NOT_FOUND.code());
    }
  }

  @Test
  void fetchOfOffsetsThatAFaultRefusesHasItsErrorWhereBrokersPutIt() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().topic("orders", 1).start();
        RawClient client = new RawClient(cluster, 1, "reader")) {
      OffsetFetchRequest request = new OffsetFetchRequest().groups(List.of(new OffsetFetchRequestGroup().groupId("g")
          .topics(List.of(new OffsetFetchRequestTopics().name("orders").partitionIndexes(List.of(0))))));
      cluster.faults().on(ApiKey.OFFSET_FETCH).answer(ErrorCode.UNSTABLE_OFFSET_COMMIT);
      var group = client.ask(ApiKey.OFFSET_FETCH, 8, request::write, OffsetFetchResponse::read).groups().getFirst();
      assertThat(group.errorCode()).isEqualTo(ErrorCode.NONE.code());
      assertThat(group.topics().getFirst().partitions().getFirst().errorCode())
          .isEqualTo(ErrorCode.UNSTABLE_OFFSET_COMMIT.code());
      cluster.faults().on(ApiKey.OFFSET_FETCH).answer(ErrorCode.NOT_COORDINATOR);
      group = client.ask(ApiKey.OFFSET_FETCH, 8, request::write, OffsetFetchResponse::read).groups().getFirst();
      assertThat(group.errorCode()).isEqualTo(ErrorCode.NOT_COORDINATOR.code());
    }
  }

  @Test
  void largeRequestsThatDoNotBecomeWholeGiveTheirMemoryBack() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().setting("socket.request.max.bytes", "1048576")
        .topic("orders", 1).start();
        Socket first = half(cluster);
        Socket second = half(cluster);
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of())) {
      Future<RecordMetadata> sent = producer.send(new ProducerRecord<>("orders", "x".repeat(500_000)));
      while (!sent.isDone()) {
        cluster.clock().advance(Duration.ofSeconds(30));
      }
      assertThat(sent.get(20, TimeUnit.SECONDS).offset()).isZero();
      assertThat(first.getInputStream().read()).isEqualTo(-1);
      assertThat(second.getInputStream().read()).isEqualTo(-1);
    }
  }

  /** Announces a request of a megabyte, and sends less than that. */
  private static Socket half(FakeCluster cluster) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), cluster.broker(1).port());
    socket.setSoTimeout(20_000);
    DataOutputStream out = new DataOutputStream(socket.getOutputStream());
    out.writeInt(1 << 20);
    out.write(new byte[100_000]);
    out.flush();
    return socket;
  }

  @ParameterizedTest
  @ValueSource(strings = {"o*o*o*o*o*o*x", "(?=orders).*"})
  void subscriptionThatBrokersCannotMatchIsRefused(String expression) throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().topic("o".repeat(200), 1).start();
        RawClient client = new RawClient(cluster, 1, "reader")) {
      ConsumerGroupHeartbeatRequest request = new ConsumerGroupHeartbeatRequest().groupId("g").memberId("m")
          .memberEpoch(0).rebalanceTimeoutMs(1_000).topicPartitions(List.of()).subscribedTopicNames(null)
          .subscribedTopicRegex(expression);
      ConsumerGroupHeartbeatResponse response = client.ask(ApiKey.CONSUMER_GROUP_HEARTBEAT, 1, request::write,
          ConsumerGroupHeartbeatResponse::read);
      assertThat(response.errorCode()).isEqualTo(ErrorCode.INVALID_REGULAR_EXPRESSION.code());
      assertThat(response.errorMessage()).contains(expression);
    }
  }
}
