package dev.decant.fake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.FetchRequest;
import dev.decant.kafka.protocol.message.FetchResponse;
import dev.decant.kafka.protocol.message.ProduceRequest;
import java.io.EOFException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests brokers that die and return, deleted topics, and requests that wait meanwhile. */
@Timeout(60)
class BrokerLossTest {
  private static final int VERSION = 12;

  private static FetchResponse fetch(FakeCluster cluster, int partitionMaxBytes) throws IOException {
    try (RawClient client = new RawClient(cluster, 1, "reader")) {
      FetchRequest request = new FetchRequest().maxWaitMs(0).minBytes(1).maxBytes(1 << 20).sessionEpoch(-1)
          .topics(List.of(new FetchRequest.FetchTopic().topic("orders").partitions(
              List.of(new FetchRequest.FetchPartition().partition(0).partitionMaxBytes(partitionMaxBytes)))));
      return client.ask(ApiKey.FETCH, VERSION, request::write, FetchResponse::read);
    }
  }

  private static int sizeOf(FetchResponse response) {
    assertThat(response.errorCode()).isEqualTo(ErrorCode.NONE.code());
    FetchResponse.PartitionData data = response.responses().getFirst().partitions().getFirst();
    assertThat(data.errorCode()).isEqualTo(ErrorCode.NONE.code());
    return data.records() == null ? 0 : data.records().remaining();
  }

  private static void produce(FakeCluster cluster, String value) throws Exception {
    try (KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of())) {
      producer.send(new ProducerRecord<>("orders", value)).get(20, TimeUnit.SECONDS);
    }
  }

  @Test
  void fetchRightAfterARestartIsServed() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().topic("orders", 1).start()) {
      produce(cluster, "kept");
      int before = sizeOf(fetch(cluster, 1 << 20));
      assertThat(before).isPositive();
      cluster.broker(1).kill();
      cluster.broker(1).restart();
      assertThat(sizeOf(fetch(cluster, 1 << 20))).isEqualTo(before);
    }
  }

  @Test
  void portIsFreeAsSoonAsABrokerIsDead() {
    // The loop frees a port with its next select, which came too late for some restarts.
    try (FakeCluster cluster = FakeCluster.start()) {
      int port = cluster.broker(1).port();
      for (int i = 0; i < 300; i++) {
        cluster.broker(1).kill();
        cluster.broker(1).restart();
      }
      assertThat(cluster.broker(1).port()).isEqualTo(port);
    }
  }

  @Test
  void fetchWithANegativeBoundGetsTheFirstBatch() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().topic("orders", 1).start()) {
      produce(cluster, "first");
      produce(cluster, "second");
      assertThat(sizeOf(fetch(cluster, -1))).isPositive();
      assertThat(sizeOf(fetch(cluster, -1))).isLessThan(sizeOf(fetch(cluster, 1 << 20)));
    }
  }

  @Test
  void brokerComesBackWhileACommitAndAFetchWaitForIt() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().brokers(2)
        .topic("orders", 1, Map.of("min.insync.replicas", "2")).start();
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of("transactional.id", "t"));
        RawClient reader = new RawClient(cluster, 1, "reader")) {
      cluster.moveLeader("orders", 0, 1);
      producer.initTransactions();
      producer.beginTransaction();
      producer.send(new ProducerRecord<>("orders", "one")).get(20, TimeUnit.SECONDS);
      cluster.broker(2).kill();
      FetchRequest request = new FetchRequest().maxWaitMs(30_000).minBytes(1).maxBytes(1 << 20).sessionEpoch(-1)
          .isolationLevel((byte) 1).topics(List.of(new FetchRequest.FetchTopic().topic("orders").partitions(
              List.of(new FetchRequest.FetchPartition().partition(0).partitionMaxBytes(1 << 20)))));
      reader.send(ApiKey.FETCH, VERSION, request::write);
      Thread committing = Thread.startVirtualThread(producer::commitTransaction);
      var unused = cluster.awaitRequest(ApiKey.END_TXN, Duration.ofSeconds(20));
      cluster.broker(2).restart();
      committing.join();
      assertThat(sizeOf(reader.receive(ApiKey.FETCH, VERSION, FetchResponse::read))).isPositive();
    }
  }

  @Test
  void replicaThatIsNotInSyncLeadsWhereTheTopicAllowsIt() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().brokers(2).topic("orders", 1).topic("lossy", 1,
        Map.of("unclean.leader.election.enable", "true")).start();
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of())) {
      for (String topic : List.of("orders", "lossy")) {
        cluster.moveLeader(topic, 0, 1);
        producer.send(new ProducerRecord<>(topic, "copied")).get(20, TimeUnit.SECONDS);
      }
      cluster.broker(2).kill();
      for (String topic : List.of("orders", "lossy")) {
        producer.send(new ProducerRecord<>(topic, "later")).get(20, TimeUnit.SECONDS);
      }
      cluster.broker(1).kill();
      cluster.broker(2).restart();
      assertThat(cluster.log("orders", 0).leader()).isEqualTo(-1);
      assertThat(cluster.log("lossy", 0).leader()).isEqualTo(2);
      assertThat(cluster.log("lossy", 0).texts()).containsExactly("copied");
      cluster.broker(1).restart();
      assertThat(cluster.log("orders", 0).texts()).containsExactly("copied", "later");
      assertThat(cluster.log("lossy", 0).texts()).containsExactly("copied");
    }
  }

  @Test
  void livingReplicaThatIsNotInSyncLeadsAsSoonAsTheLastOneInSyncIsLost() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().brokers(2).topic("lossy", 1,
        Map.of("unclean.leader.election.enable", "true")).start()) {
      cluster.removeLeader("lossy", 0);
      cluster.broker(2).kill();
      cluster.broker(2).restart(); // without a leader it can copy nothing
      cluster.broker(1).kill();
      assertThat(cluster.log("lossy", 0).leader()).isEqualTo(2);
    }
  }

  @Test
  void producersAreForgottenAsOftenAsTheBrokersAreToldTo() throws Exception {
    FakeClusterBuilder builder = FakeCluster.builder().topic("orders", 1).setting("producer.id.expiration.ms", "1000");
    String interval = "producer.id.expiration.check.interval.ms";
    for (boolean isShort : List.of(false, true)) {
      try (FakeCluster cluster = (isShort ? builder.setting(interval, "500") : builder).start();
          Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()))) {
        produce(cluster, "one");
        cluster.clock().advance(Duration.ofMinutes(1));
        TopicPartition partition = new TopicPartition("orders", 0);
        assertThat(admin.describeProducers(List.of(partition)).partitionResult(partition).get(20, TimeUnit.SECONDS)
            .activeProducers()).hasSize(isShort ? 0 : 1);
        ConfigResource broker = new ConfigResource(ConfigResource.Type.BROKER, "1");
        assertThat(admin.describeConfigs(List.of(broker)).all().get(20, TimeUnit.SECONDS).values().iterator().next()
            .entries())
            .extracting(ConfigEntry::name).contains("producer.id.expiration.ms")
            .matches(names -> names.contains(interval) == isShort);
      }
    }
  }

  @Test
  void sendFailsWhenItsTopicIsDeletedWhileItWaitsForReplicas() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().brokers(2).topic("orders", 1).start();
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster,
            Map.of("retries", 0, "enable.idempotence", false, "acks", "all"))) {
      cluster.holdReplication("orders", 0);
      Future<RecordMetadata> sent = producer.send(new ProducerRecord<>("orders", "lost"));
      var unused = cluster.awaitRequest(ApiKey.PRODUCE, Duration.ofSeconds(20));
      cluster.deleteTopic("orders");
      assertThatThrownBy(() -> sent.get(20, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(NotLeaderOrFollowerException.class);
    }
  }

  @Test
  void requestWithoutAResponseIsRefusedByClosingItsConnection() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().topic("orders", 1).start();
        RawClient client = new RawClient(cluster, 1, "writer")) {
      var unused = cluster.faults().on(ApiKey.PRODUCE).answer(ErrorCode.NOT_LEADER_OR_FOLLOWER);
      client.send(ApiKey.PRODUCE, 9, new ProduceRequest().acks((short) 0).topicData(List.of())::write);
      assertThatThrownBy(() -> client.receive(ApiKey.PRODUCE, 9, (in, version) -> in))
          .isInstanceOf(EOFException.class);
    }
  }

  @Test
  void badArgumentsChangeNothing() throws Exception {
    FakeClusterBuilder builder = FakeCluster.builder().brokers(2).topic("orders", 1);
    try (FakeCluster cluster = builder.start(); FakeCluster other = builder.start()) {
      produce(cluster, "kept");
      cluster.broker(2).kill();
      for (int broker : List.of(2, 9)) {
        assertThatThrownBy(() -> cluster.loseRecords("orders", 0, broker, 0))
            .isInstanceOf(IllegalArgumentException.class);
      }
      assertThatThrownBy(() -> cluster.loseRecords("orders", 0, 1, -1)).hasMessageContaining("-1");
      assertThat(cluster.log("orders", 0).texts()).containsExactly("kept");
      assertThat(other.log("orders", 0).texts()).isEmpty();
      assertThatThrownBy(() -> cluster.faults().on(ApiKey.FETCH).delay(Duration.ofMillis(-1)))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void clusterWithSmallRequestsStarts() {
    try (FakeCluster cluster = FakeCluster.builder().setting("socket.request.max.bytes", "4096").start()) {
      assertThat(cluster.broker(1).isAlive()).isTrue();
    }
  }
}
