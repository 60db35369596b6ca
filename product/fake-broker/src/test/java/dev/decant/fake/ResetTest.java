package dev.decant.fake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.CreateTopicsRequest;
import dev.decant.kafka.protocol.message.CreateTopicsRequest.CreatableTopic;
import dev.decant.kafka.protocol.message.CreateTopicsResponse;
import java.io.EOFException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that a reset leaves nothing of the test before. */
@Timeout(60)
@SuppressWarnings("NullAway") // a null fails the test
class ResetTest {
  private static final TopicPartition ORDERS = new TopicPartition("orders", 0);

  private static void send(KafkaProducer<String, String> producer, String topic, String value) throws Exception {
    producer.send(new ProducerRecord<>(topic, value)).get(20, TimeUnit.SECONDS);
  }

  @Test
  void nothingIsLeftOfTheTestBefore() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().brokers(2).setting("auto.create.topics.enable", "false")
        .topic("orders", 1).start();
        Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()))) {
      String bootstrap = cluster.bootstrap();
      try (KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of("transactional.id", "t"));
          KafkaConsumer<String, String> consumer = ApacheClients.consumer(cluster, Map.of("group.id", "g"))) {
        producer.initTransactions();
        producer.beginTransaction();
        send(producer, "orders", "open");
        cluster.createTopic("other", 1);
        send(producer, "other", "open");
        consumer.commitSync(Map.of(ORDERS, new OffsetAndMetadata(1)));
        Map<ConfigResource, Collection<AlterConfigOp>> change = Map.of(
            new ConfigResource(ConfigResource.Type.BROKER, ""),
            List.of(new AlterConfigOp(new ConfigEntry("log.retention.ms", "5"), AlterConfigOp.OpType.SET)));
        admin.incrementalAlterConfigs(change).all().get(20, TimeUnit.SECONDS);
        cluster.broker(2).kill();
        cluster.broker(1).fillDisk();
        cluster.clock().stop();
        var unused = cluster.faults().onAny().every().closeBefore();
        cluster.reset();
      }
      assertThat(cluster.bootstrap()).isEqualTo(bootstrap);
      assertThat(cluster.broker(2).isAlive()).isTrue();
      assertThat(admin.listTopics().names().get(20, TimeUnit.SECONDS)).containsExactly("orders");
      assertThat(admin.listGroups().all().get(20, TimeUnit.SECONDS)).isEmpty();
      assertThat(admin.listTransactions().all().get(20, TimeUnit.SECONDS)).isEmpty();
      assertThat(cluster.log("orders", 0).records()).isEmpty();
      assertThat(cluster.log("orders", 0).logEnd()).isZero();
      ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, "orders");
      assertThat(admin.describeConfigs(List.of(topic)).all().get(20, TimeUnit.SECONDS).get(topic).get("retention.ms")
          .value()).isEqualTo("604800000");
      try (KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of("transactional.id", "t"))) {
        producer.initTransactions();
        producer.beginTransaction();
        send(producer, "orders", "next");
        producer.commitTransaction();
        assertThat(cluster.log("orders", 0).lastStable()).isEqualTo(2);
      }
    }
  }

  @Test
  void recordsAndOffsetsOfASnapshotComeBack() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().topic("orders", 1).start();
        FakeCluster other = FakeCluster.start();
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of("transactional.id", "t"));
        KafkaConsumer<String, String> consumer = ApacheClients.consumer(cluster, Map.of("group.id", "g"))) {
      producer.initTransactions();
      producer.beginTransaction();
      send(producer, "orders", "one");
      send(producer, "orders", "two");
      assertThatThrownBy(cluster::snapshot).isInstanceOf(FakeClusterException.class)
          .hasMessageContaining("a transaction is open in orders-0");
      producer.commitTransaction();
      consumer.commitSync(Map.of(ORDERS, new OffsetAndMetadata(1)));
      FakeSnapshot snapshot = cluster.snapshot();
      assertThatThrownBy(() -> other.restore(snapshot)).isInstanceOf(IllegalArgumentException.class);
      for (int i = 0; i < 2; i++) {
        try (KafkaProducer<String, String> more = ApacheClients.producer(cluster, Map.of())) {
          send(more, "orders", "gone");
        }
        cluster.createTopic("gone", 1);
        consumer.commitSync(Map.of(ORDERS, new OffsetAndMetadata(4)));
        cluster.restore(snapshot);
        assertThat(cluster.log("orders", 0).texts()).containsExactly("one", "two");
        assertThat(cluster.log("orders", 0).logEnd()).isEqualTo(3);
        assertThatThrownBy(() -> cluster.log("gone", 0)).hasMessageContaining("there is no topic");
      }
      consumer.assign(List.of(ORDERS));
      List<String> read = new ArrayList<>();
      while (read.isEmpty()) { // from the committed offset on
        consumer.poll(Duration.ofMillis(100)).forEach(r -> read.add(r.value()));
      }
      assertThat(read).containsExactly("two");
    }
  }

  @Test
  void requestsThatWaitEndWithTheirTest() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().brokers(2).topic("orders", 1).start();
        RawClient delayed = new RawClient(cluster, 1, "delayed");
        KafkaConsumer<String, String> reader = ApacheClients.consumer(cluster, Map.of("fetch.max.wait.ms", 15_000))) {
      cluster.clock().stop();
      reader.assign(List.of(ORDERS));
      while (cluster.requests(ApiKey.FETCH).isEmpty()) {
        reader.poll(Duration.ofMillis(10));
      }
      cluster.faults().on(ApiKey.CREATE_TOPICS).delay(Duration.ofSeconds(1));
      create(delayed);
      var unused = cluster.awaitRequest(ApiKey.CREATE_TOPICS, Duration.ofSeconds(20));
      cluster.reset();
      cluster.clock().advance(Duration.ofSeconds(2));
      assertThatThrownBy(() -> cluster.log("made", 0)).hasMessageContaining("there is no topic");
      assertThatThrownBy(() -> created(delayed)).isInstanceOf(IOException.class);
      try (KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of())) {
        send(producer, "orders", "next");
      }
      List<String> read = new ArrayList<>();
      while (read.isEmpty()) { // the same consumer finds the new topic of the name
        reader.poll(Duration.ofMillis(100)).forEach(r -> read.add(r.value()));
      }
      assertThat(read).containsExactly("next");
      ApacheClients.closeInTime(reader, cluster);
    }
  }

  private static void create(RawClient client) throws IOException {
    client.send(ApiKey.CREATE_TOPICS, 5, new CreateTopicsRequest()
        .topics(List.of(new CreatableTopic().name("made").numPartitions(1).replicationFactor((short) 1)))::write);
  }

  private static ErrorCode created(RawClient client) throws IOException {
    return ErrorCode.of(
        client.receive(ApiKey.CREATE_TOPICS, 5, CreateTopicsResponse::read).topics().getFirst().errorCode());
  }

  @Test
  void delayedRequestIsLostWithItsBroker() throws Exception {
    try (FakeCluster cluster = FakeCluster.start(); RawClient client = new RawClient(cluster, 1, "c")) {
      cluster.clock().stop();
      cluster.faults().on(ApiKey.CREATE_TOPICS).delay(Duration.ofSeconds(1));
      create(client);
      var unused = cluster.awaitRequest(ApiKey.CREATE_TOPICS, Duration.ofSeconds(20));
      cluster.broker(1).kill();
      cluster.broker(1).restart();
      cluster.clock().advance(Duration.ofSeconds(2));
      assertThatThrownBy(() -> cluster.log("made", 0)).hasMessageContaining("there is no topic");
      assertThatThrownBy(() -> created(client)).isInstanceOf(EOFException.class);
    }
  }

  @Test
  void delayedRequestIsAppliedThoughItsClientHasGone() throws Exception {
    try (FakeCluster cluster = FakeCluster.start()) {
      cluster.clock().stop();
      cluster.faults().on(ApiKey.CREATE_TOPICS).delay(Duration.ofSeconds(1));
      try (RawClient client = new RawClient(cluster, 1, "c")) {
        create(client);
        var unused = cluster.awaitRequest(ApiKey.CREATE_TOPICS, Duration.ofSeconds(20));
      }
      cluster.broker(1).disconnectClients();
      cluster.clock().advance(Duration.ofSeconds(2));
      assertThat(cluster.log("made", 0).logEnd()).isZero();
    }
  }

  @Test
  void thousandTopicsAreForgottenAtOnce() {
    FakeClusterBuilder builder = FakeCluster.builder().brokers(3);
    for (int i = 0; i < 1_000; i++) {
      builder.topic("topic-" + i, 3);
    }
    try (FakeCluster cluster = builder.start()) {
      for (int i = 0; i < 10; i++) {
        cluster.reset();
      }
      assertThat(cluster.log("topic-999", 2).logEnd()).isZero();
    }
  }
}
