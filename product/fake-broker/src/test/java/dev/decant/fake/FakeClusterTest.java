package dev.decant.fake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.producer.Ack;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that both Decant and Apache's client write to a fake cluster and read from it, as with a real one. */
@Timeout(30)
class FakeClusterTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  @ParameterizedTest
  @CsvSource({"2,1", "2,4", "2,8", "3,1", "3,3", "3,7", "3,9", "4,0", "4,1", "4,2", "4,3", "4,4"})
  void decantWritesAndReads(int major, int minor) throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().brokers(3).release(major, minor).topic("orders", 3).start();
        KafkaClient client = KafkaClient.connect(cluster.bootstrap());
        Producer<String, String> producer = client.producer(Serdes.string(), Serdes.string()).topic("orders").open();
        Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string())
            .offsetReset(OffsetReset.EARLIEST).open()) {
      List<String> sent = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        Ack ack = producer.sendAndWait("key-" + i, "value-" + i);
        sent.add(ack.partition() + " " + ack.offset() + " value-" + i);
      }
      consumer.assign(IntStream.range(0, 3).mapToObj(p -> new dev.decant.kafka.TopicPartition("orders", p)).toList());
      List<String> read = new ArrayList<>();
      while (read.size() < 30) {
        consumer.poll(PATIENCE, r -> read.add(r.partition() + " " + r.offset() + " " + r.value()));
      }
      assertThat(read).containsExactlyInAnyOrderElementsOf(sent);
    }
  }

  @ParameterizedTest
  @CsvSource({"2,1", "2,8", "3,9", "4,0", "4,3", "4,4"})
  void apachesClientWritesAndReads(int major, int minor) throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().brokers(2).release(major, minor).topic("orders", 2).start();
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of());
        KafkaConsumer<String, String> consumer = ApacheClients.consumer(cluster, Map.of())) {
      List<String> sent = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        producer.send(new ProducerRecord<>("orders", i % 2, "k", "value-" + i)).get(20, TimeUnit.SECONDS);
        sent.add("value-" + i);
      }
      consumer.assign(List.of(new TopicPartition("orders", 0), new TopicPartition("orders", 1)));
      List<String> read = new ArrayList<>();
      while (read.size() < 20) {
        consumer.poll(PATIENCE).forEach(r -> read.add(r.value()));
      }
      assertThat(read).containsExactlyInAnyOrderElementsOf(sent);
      assertThat(cluster.log("orders", 0).records()).hasSize(10).allMatch(r -> r.producerId() >= 0);
    }
  }

  @Test
  void topicsAreMadeWhenAClientWritesToThem() throws Exception {
    try (FakeCluster cluster = FakeCluster.start();
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of())) {
      assertThat(producer.send(new ProducerRecord<>("new", "k", "v")).get(20, TimeUnit.SECONDS).offset()).isZero();
      assertThat(cluster.log("new", 0).texts()).containsExactly("v");
    }
  }

  @Test
  void aFaultHitsTheRequestThatItIsForAndTheClientRetries() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().topic("orders", 1).topic("other", 1).start();
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of())) {
      Fault fault = cluster.faults().on(ApiKey.PRODUCE).topic("orders").nth(2)
          .answer(ErrorCode.NOT_LEADER_OR_FOLLOWER);
      for (String topic : List.of("other", "orders", "orders", "other")) {
        producer.send(new ProducerRecord<>(topic, topic)).get(20, TimeUnit.SECONDS);
      }
      assertThat(fault.hits()).isEqualTo(1);
      assertThat(cluster.log("orders", 0).texts()).containsExactly("orders", "orders");
      assertThat(cluster.requests(ApiKey.PRODUCE)).hasSize(5);
    }
  }

  @Test
  void aLostResponseIsARetryThatIsStoredOnce() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().topic("orders", 1).start();
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of())) {
      cluster.faults().on(ApiKey.PRODUCE).closeAfter();
      producer.send(new ProducerRecord<>("orders", "once")).get(20, TimeUnit.SECONDS);
      assertThat(cluster.log("orders", 0).texts()).containsExactly("once");
      assertThat(cluster.requests(ApiKey.PRODUCE)).hasSize(2);
    }
  }

  @Test
  void aLeaderThatDiesIsFollowedByAnother() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().brokers(3).topic("orders", 1).start();
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of())) {
      producer.send(new ProducerRecord<>("orders", "before")).get(20, TimeUnit.SECONDS);
      int leader = cluster.log("orders", 0).leader();
      int port = cluster.broker(leader).port();
      cluster.broker(leader).kill();
      producer.send(new ProducerRecord<>("orders", "after")).get(20, TimeUnit.SECONDS);
      assertThat(cluster.log("orders", 0).leader()).isNotEqualTo(leader);
      cluster.broker(leader).restart();
      assertThat(cluster.broker(leader).port()).isEqualTo(port);
      cluster.moveLeader("orders", 0, leader);
      producer.send(new ProducerRecord<>("orders", "again")).get(20, TimeUnit.SECONDS);
      assertThat(cluster.log("orders", 0).texts()).containsExactly("before", "after", "again");
    }
  }

  @Test
  void aConsumerThatWaitsHearsOfARecordAtOnce() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().topic("orders", 1).start();
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of());
        KafkaConsumer<String, String> consumer = ApacheClients.consumer(cluster,
            Map.of("fetch.max.wait.ms", 15_000))) {
      cluster.clock().stop(); // no fetch ends by its wait then
      consumer.assign(List.of(new TopicPartition("orders", 0)));
      consumer.poll(Duration.ZERO);
      while (cluster.requests(ApiKey.FETCH).isEmpty()) {
        consumer.poll(Duration.ofMillis(10));
      }
      producer.send(new ProducerRecord<>("orders", "now")).get(20, TimeUnit.SECONDS);
      List<String> read = new ArrayList<>();
      while (read.isEmpty()) {
        consumer.poll(PATIENCE).forEach(r -> read.add(r.value()));
      }
      assertThat(read).containsExactly("now");
      ApacheClients.closeInTime(consumer, cluster);
    }
  }

  @Test
  void closingLeavesNoThreadAndNoPort() throws Exception {
    FakeCluster cluster = FakeCluster.builder().brokers(2).start();
    int port = cluster.broker(1).port();
    cluster.close();
    cluster.close();
    assertThat(Thread.getAllStackTraces().keySet()).noneMatch(t -> t.getName().startsWith("decant-fake-cluster"));
    FakeCluster.builder().firstPort(port).start().close();
    assertThatThrownBy(cluster::bootstrap).isInstanceOf(FakeClusterException.class).hasMessageContaining("closed");
  }

  @Test
  void aRequestThatDoesNotComeIsAnErrorWithTheTranscript() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().topic("orders", 1).start();
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of("client.id", "shop"))) {
      producer.send(new ProducerRecord<>("orders", "v")).get(20, TimeUnit.SECONDS);
      assertThat(cluster.awaitRequest(ApiKey.PRODUCE, PATIENCE).clientId()).isEqualTo("shop");
      assertThatThrownBy(() -> cluster.awaitRequest(ApiKey.FETCH, Duration.ofMillis(10)))
          .isInstanceOf(AssertionError.class).hasMessageContaining("shop: Produce v13");
    }
  }

  @Test
  void idsOfBrokersBeginWhereATestWantsThemTo() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().brokers(2).firstBrokerId(0).topic("orders", 2).start();
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of())) {
      producer.send(new ProducerRecord<>("orders", 1, "k", "v")).get(20, TimeUnit.SECONDS);
      assertThat(cluster.log("orders", 0).leader()).isZero();
      assertThat(cluster.log("orders", 1).leader()).isOne();
    }
    assertThatIllegalArgumentException().isThrownBy(() -> FakeCluster.builder().firstBrokerId(-1));
  }
}
