package dev.decant.fake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.FetchRequest;
import dev.decant.kafka.protocol.message.FetchResponse;
import dev.decant.kafka.protocol.message.MetadataRequest;
import dev.decant.kafka.protocol.message.MetadataResponse;
import dev.decant.kafka.protocol.message.OffsetForLeaderEpochRequest;
import dev.decant.kafka.protocol.message.OffsetForLeaderEpochResponse;
import dev.decant.kafka.protocol.message.ProduceResponse;
import dev.decant.kafka.serialization.Serdes;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidPidMappingException;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests faults of brokers, coordinators, members and producers at chosen moments, as clients see them. */
@Timeout(60)
@SuppressWarnings("NullAway") // a null fails the test
class ClusterFaultsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private static RecordMetadata send(KafkaProducer<String, String> producer, String value) throws Exception {
    return producer.send(new ProducerRecord<>("orders", 0, "k", value)).get(20, TimeUnit.SECONDS);
  }

  @Test
  void producerFollowsToAnotherReplicaWhenTheDiskIsFull() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().brokers(3).topic("orders", 1).start();
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of());
        Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()))) {
      send(producer, "before");
      cluster.broker(1).fillDisk();
      send(producer, "after");
      assertThat(cluster.log("orders", 0).leader()).isEqualTo(2);
      assertThat(cluster.log("orders", 0).texts()).containsExactly("before", "after");
      assertThat(cluster.requests(ApiKey.PRODUCE)).extracting(ReceivedRequest::broker).startsWith(1, 1).endsWith(2);
      assertThat(admin.describeLogDirs(List.of(1)).allDescriptions().get(20, TimeUnit.SECONDS).get(1).values())
          .allMatch(dir -> dir.error() instanceof KafkaStorageException);
      assertThatThrownBy(() -> cluster.moveLeader("orders", 0, 1)).hasMessageContaining("full disk");
      cluster.broker(1).freeDisk();
      cluster.moveLeader("orders", 0, 1);
      send(producer, "again");
      assertThat(cluster.log("orders", 0).texts()).containsExactly("before", "after", "again");
    }
  }

  @Test
  void sendFailsOnTheOnlyBrokerWhoseDiskIsFull() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().topic("orders", 1).start();
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster,
            Map.of("retries", 0, "enable.idempotence", false));
        RawClient client = new RawClient(cluster, 1, "reader")) {
      send(producer, "before");
      cluster.broker(1).fillDisk();
      assertThatThrownBy(() -> send(producer, "lost")).isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(KafkaStorageException.class);
      assertThat(fetch(client, 0, -1).errorCode()).isEqualTo(ErrorCode.KAFKA_STORAGE_ERROR.code());
      MetadataResponse metadata = client.ask(ApiKey.METADATA, 9, new MetadataRequest().topics(null)::write,
          MetadataResponse::read);
      var partition = metadata.topics().getFirst().partitions().getFirst();
      assertThat(partition.errorCode()).isEqualTo(ErrorCode.LEADER_NOT_AVAILABLE.code());
      assertThat(partition.offlineReplicas()).containsExactly(1);
      cluster.broker(1).freeDisk();
      assertThat(fetch(client, 0, -1).errorCode()).isEqualTo(ErrorCode.NONE.code());
      send(producer, "after");
      assertThat(cluster.log("orders", 0).texts()).containsExactly("before", "after");
    }
  }

  @Test
  void commitMovesToAnotherCoordinatorWhenTheDiskIsFull() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().brokers(2).topic("orders", 1).start();
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of());
        KafkaConsumer<String, String> consumer = ApacheClients.consumer(cluster,
            Map.of("group.id", "g", "enable.auto.commit", false))) {
      send(producer, "one");
      consumer.assign(List.of(new TopicPartition("orders", 0)));
      cluster.moveGroupCoordinator("g", 2);
      cluster.broker(2).fillDisk();
      consumer.commitSync(Map.of(new TopicPartition("orders", 0),
          new org.apache.kafka.clients.consumer.OffsetAndMetadata(1)), PATIENCE);
      assertThat(cluster.requests(ApiKey.OFFSET_COMMIT)).extracting(ReceivedRequest::broker).containsExactly(2, 1);
    }
  }

  @Test
  void groupGoesOnWithAnotherCoordinator() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().brokers(3).setting("group.initial.rebalance.delay.ms", "0")
        .topic("orders", 1).start();
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of());
        KafkaConsumer<String, String> consumer = ApacheClients.consumer(cluster, Map.of("group.id", "g"))) {
      cluster.moveGroupCoordinator("g", 1);
      consumer.subscribe(List.of("orders"));
      send(producer, "one");
      List<String> read = new ArrayList<>();
      readUntil(consumer, read, 1);
      cluster.moveGroupCoordinator("g", 3);
      consumer.commitSync(PATIENCE);
      assertThat(cluster.requests(ApiKey.OFFSET_COMMIT).getLast().broker()).isEqualTo(3);
      send(producer, "two");
      readUntil(consumer, read, 2);
      assertThat(read).containsExactly("one", "two");
      assertThat(cluster.requests(ApiKey.JOIN_GROUP).getLast().broker()).isEqualTo(1); // it had no rebalance
    }
  }

  private static void readUntil(KafkaConsumer<String, String> consumer, List<String> read, int count) {
    while (read.size() < count) {
      consumer.poll(Duration.ofMillis(100)).forEach(r -> read.add(r.value()));
    }
  }

  @Test
  void transactionGoesOnWithAnotherCoordinator() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().brokers(3).topic("orders", 1).start();
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of("transactional.id", "t"))) {
      cluster.moveTransactionCoordinator("t", 1);
      producer.initTransactions();
      producer.beginTransaction();
      send(producer, "one");
      cluster.moveTransactionCoordinator("t", 2);
      producer.commitTransaction();
      assertThat(cluster.requests(ApiKey.END_TXN)).extracting(ReceivedRequest::broker).endsWith(2);
      assertThat(cluster.log("orders", 0).lastStable()).isEqualTo(2);
    }
  }

  @Test
  void expiredMemberOfAClassicGroupJoinsAgain() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().setting("group.initial.rebalance.delay.ms", "0")
        .topic("orders", 2).start();
        KafkaConsumer<String, String> consumer = ApacheClients.consumer(cluster,
            Map.of("group.id", "g", "client.id", "reader", "heartbeat.interval.ms", 50))) {
      consumer.subscribe(List.of("orders"));
      while (consumer.assignment().size() < 2) {
        consumer.poll(Duration.ofMillis(10));
      }
      assertThatThrownBy(() -> cluster.expireMember("other", "reader")).hasMessageContaining("other");
      assertThatThrownBy(() -> cluster.expireMember("g", "nobody")).hasMessageContaining("nobody");
      cluster.clearRequests();
      cluster.expireMember("g", "reader");
      while (cluster.requests(ApiKey.SYNC_GROUP).isEmpty()) {
        consumer.poll(Duration.ofMillis(10));
      }
    }
  }

  @Test
  void expiredMemberOfAConsumerGroupJoinsAgain() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().setting("group.consumer.heartbeat.interval.ms", "50")
        .topic("orders", 2).start();
        KafkaConsumer<String, String> consumer = ApacheClients.consumer(cluster,
            Map.of("group.id", "g", "group.protocol", "consumer", "client.id", "reader"))) {
      consumer.subscribe(List.of("orders"));
      while (consumer.assignment().size() < 2) {
        consumer.poll(Duration.ofMillis(10));
      }
      consumer.assignment().forEach(consumer::position); // otherwise the expiry fails the fetch of its offset
      cluster.clearRequests();
      cluster.expireMember("g", "reader");
      while (cluster.requests(ApiKey.CONSUMER_GROUP_HEARTBEAT).stream()
          .map(r -> (dev.decant.kafka.protocol.message.ConsumerGroupHeartbeatRequest) r.body())
          .noneMatch(r -> r.memberEpoch() == 0)) {
        consumer.poll(Duration.ofMillis(10));
      }
    }
  }

  @Test
  void retryOfAnExpiredProducerIsStoredTwice() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().topic("orders", 1).start();
        RawClient client = new RawClient(cluster, 1, "writer");
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of("transactional.id", "t"))) {
      producer.initTransactions();
      producer.beginTransaction();
      send(producer, "once");
      ReceivedRequest sent = Objects.requireNonNull(cluster.requests(ApiKey.PRODUCE).getFirst());
      long id = cluster.log("orders", 0).records().getFirst().producerId();
      assertThatThrownBy(() -> cluster.expireProducer(id)).hasMessageContaining("open transaction");
      producer.commitTransaction();
      cluster.expireProducer(id);
      assertThatThrownBy(() -> cluster.expireProducer(id)).isInstanceOf(IllegalArgumentException.class);
      var again = (dev.decant.kafka.protocol.message.ProduceRequest) sent.body();
      ProduceResponse response = client.ask(ApiKey.PRODUCE, sent.version(), again::write, ProduceResponse::read);
      assertThat(response.responses().getFirst().partitionResponses().getFirst().errorCode())
          .isNotEqualTo(ErrorCode.NONE.code()); // its transaction is over
    }
  }

  @Test
  void retryOfAnExpiredIdempotentProducerIsStoredTwice() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().topic("orders", 1).start();
        RawClient client = new RawClient(cluster, 1, "writer");
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of())) {
      send(producer, "twice");
      ReceivedRequest sent = Objects.requireNonNull(cluster.requests(ApiKey.PRODUCE).getFirst());
      var again = (dev.decant.kafka.protocol.message.ProduceRequest) sent.body();
      var unused = client.ask(ApiKey.PRODUCE, sent.version(), again::write, ProduceResponse::read);
      assertThat(cluster.log("orders", 0).texts()).containsExactly("twice"); // recognized as a retry
      cluster.expireProducer(cluster.log("orders", 0).records().getFirst().producerId());
      unused = client.ask(ApiKey.PRODUCE, sent.version(), again::write, ProduceResponse::read);
      assertThat(cluster.log("orders", 0).texts()).containsExactly("twice", "twice");
    }
  }

  @Test
  void producerWhoseTransactionalIdHasExpiredCannotGoOn() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().topic("orders", 1).start();
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of("transactional.id", "t"))) {
      producer.initTransactions();
      producer.beginTransaction();
      send(producer, "one");
      assertThatThrownBy(() -> cluster.expireTransactionalId("t")).hasMessageContaining("not over");
      producer.commitTransaction();
      cluster.expireTransactionalId("t");
      producer.beginTransaction();
      Future<RecordMetadata> sent = producer.send(new ProducerRecord<>("orders", "two"));
      assertThatThrownBy(() -> sent.get(20, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(InvalidPidMappingException.class);
    }
  }

  @Test
  void anotherBrokerOfTheSameIdIsFoundAtItsAddress() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().brokers(2).topic("orders", 1).start();
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of())) {
      send(producer, "before");
      int port = cluster.broker(1).port();
      cluster.broker(1).replace();
      cluster.moveLeader("orders", 0, 1);
      assertThat(cluster.broker(1).port()).isNotEqualTo(port);
      send(producer, "after");
      assertThat(cluster.log("orders", 0).texts()).containsExactly("before", "after");
      assertThat(cluster.requests(ApiKey.PRODUCE).getLast().broker()).isEqualTo(1);
    }
  }

  private static FetchResponse.PartitionData fetch(RawClient client, long offset, int lastEpoch) throws IOException {
    FetchRequest request = new FetchRequest().maxWaitMs(0).minBytes(1).maxBytes(1 << 20).sessionEpoch(-1)
        .topics(List.of(new FetchRequest.FetchTopic().topic("orders").partitions(
            List.of(new FetchRequest.FetchPartition().partition(0).fetchOffset(offset).lastFetchedEpoch(lastEpoch)
                .partitionMaxBytes(1 << 20)))));
    return client.ask(ApiKey.FETCH, 12, request::write, FetchResponse::read).responses().getFirst().partitions()
        .getFirst();
  }

  @Test
  void uncleanElectionLosesWhatWasNotReplicatedAndEpochsTellWhere() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().brokers(2).topic("orders", 1).start();
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of("acks", "1",
            "enable.idempotence", false));
        RawClient client = new RawClient(cluster, 2, "reader")) {
      send(producer, "kept");
      cluster.holdReplication("orders", 0);
      send(producer, "lost");
      cluster.electUnclean("orders", 0, 2);
      assertThat(cluster.log("orders", 0).texts()).containsExactly("kept");
      FetchResponse.PartitionData data = fetch(client, 2, 0);
      assertThat(data.divergingEpoch().epoch()).isZero();
      assertThat(data.divergingEpoch().endOffset()).isEqualTo(1);
      OffsetForLeaderEpochRequest request = new OffsetForLeaderEpochRequest().replicaId(-1).topics(
          List.of(new OffsetForLeaderEpochRequest.OffsetForLeaderTopic().topic("orders").partitions(
              List.of(new OffsetForLeaderEpochRequest.OffsetForLeaderPartition().partition(0).leaderEpoch(0)
                  .currentLeaderEpoch(-1)))));
      var end = client.ask(ApiKey.OFFSET_FOR_LEADER_EPOCH, 4, request::write, OffsetForLeaderEpochResponse::read)
          .topics().getFirst().partitions().getFirst();
      assertThat(end.endOffset()).isEqualTo(1);
      cluster.resumeReplication("orders", 0);
      send(producer, "other");
      assertThat(cluster.log("orders", 0).texts()).containsExactly("kept", "other");
    }
  }

  @Test
  void markerThatAnElectionHasLostIsWrittenAgain() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().brokers(2).topic("orders", 1).start();
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of("transactional.id", "t"))) {
      producer.initTransactions();
      producer.beginTransaction();
      send(producer, "one");
      cluster.holdReplication("orders", 0);
      producer.commitTransaction();
      assertThat(cluster.log("orders", 0).logEnd()).isEqualTo(2);
      cluster.electUnclean("orders", 0, 2);
      cluster.resumeReplication("orders", 0);
      assertThat(cluster.log("orders", 0).lastStable()).isEqualTo(2);
    }
  }

  @Test
  void transactionIsOpenInALogThatHasLostItsMarker() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().brokers(2).topic("orders", 1).start();
        Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()));
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of("transactional.id", "t"));
        KafkaProducer<String, String> other = ApacheClients.producer(cluster, Map.of())) {
      send(other, "first");
      producer.initTransactions();
      producer.beginTransaction();
      send(producer, "one");
      producer.commitTransaction();
      cluster.loseRecords("orders", 0, 1, 2);
      var partition = new TopicPartition("orders", 0);
      var states = admin.describeProducers(List.of(partition)).all().get(20, TimeUnit.SECONDS).get(partition)
          .activeProducers();
      assertThat(states).extracting(s -> s.currentTransactionStartOffset().orElse(-1))
          .containsExactlyInAnyOrder(-1L, 1L);
      assertThat(cluster.log("orders", 0).lastStable()).isEqualTo(1);
    }
  }

  @Test
  void smallerTopicOfTheSameNameHasAnotherId() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().topic("orders", 3).start();
        KafkaClient client = KafkaClient.connect(cluster.bootstrap());
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of());
        Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string())
            .offsetReset(OffsetReset.EARLIEST).open()) {
      producer.send(new ProducerRecord<>("orders", 2, "k", "before")).get(20, TimeUnit.SECONDS);
      cluster.recreateTopic("orders", 1);
      assertThatThrownBy(() -> cluster.recreateTopic("orders", 0)).isInstanceOf(IllegalArgumentException.class);
      send(producer, "after");
      assertThat(cluster.log("orders", 0).texts()).contains("after");
      assertThatThrownBy(() -> cluster.log("orders", 1)).hasMessageContaining("0 to 0");
      consumer.assign("orders", 0);
      List<String> read = new ArrayList<>();
      while (read.isEmpty()) {
        consumer.poll(PATIENCE, r -> read.add(r.value()));
      }
      assertThat(read).containsExactly("after");
    }
  }

  @Test
  void throttledConnectionIsNotReadFromUntilTheTimeIsOver() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().topic("orders", 1).start();
        RawClient client = new RawClient(cluster, 1, "reader")) {
      cluster.clock().stop();
      cluster.faults().on(ApiKey.METADATA).throttle(Duration.ofSeconds(5));
      MetadataResponse first = client.ask(ApiKey.METADATA, 9, new MetadataRequest()::write, MetadataResponse::read);
      assertThat(first.throttleTimeMs()).isEqualTo(5_000);
      client.send(ApiKey.METADATA, 9, new MetadataRequest()::write);
      cluster.clock().advance(Duration.ofMillis(4_999));
      assertThat(cluster.requests(ApiKey.METADATA)).hasSize(1);
      cluster.clock().advance(Duration.ofMillis(1));
      assertThat(client.receive(ApiKey.METADATA, 9, MetadataResponse::read).throttleTimeMs()).isZero();
    }
  }
}
