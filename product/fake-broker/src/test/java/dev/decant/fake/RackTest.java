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
import dev.decant.kafka.serialization.Serdes;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that consumers read from replicas in their rack (KIP-392), in a cluster whose first broker leads. */
@Timeout(60)
class RackTest {
  private static final String SELECTOR = "org.apache.kafka.common.replica.RackAwareReplicaSelector";

  private static FakeClusterBuilder builder() {
    return FakeCluster.builder().brokers(3).racks("a", "b", "c").topic("orders", 1);
  }

  private static void send(KafkaProducer<String, String> producer, String value) throws Exception {
    producer.send(new ProducerRecord<>("orders", value)).get(20, TimeUnit.SECONDS);
  }

  private static void readUntil(KafkaConsumer<String, String> consumer, List<String> read, int count) {
    while (read.size() < count) {
      consumer.poll(Duration.ofMillis(100)).forEach(r -> read.add(r.value()));
    }
  }

  @Test
  void apachesConsumerReadsFromTheReplicaInItsRack() throws Exception {
    try (FakeCluster cluster = builder().setting("replica.selector.class", SELECTOR).start();
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of());
        KafkaConsumer<String, String> consumer = ApacheClients.consumer(cluster, Map.of("client.rack", "b"))) {
      send(producer, "one");
      consumer.assign(List.of(new TopicPartition("orders", 0)));
      List<String> read = new ArrayList<>();
      readUntil(consumer, read, 1);
      send(producer, "two");
      readUntil(consumer, read, 2);
      assertThat(read).containsExactly("one", "two");
      assertThat(cluster.requests(ApiKey.FETCH).getFirst().broker()).isEqualTo(1);
      assertThat(cluster.requests(ApiKey.FETCH)).extracting(ReceivedRequest::broker).contains(2).doesNotContain(3);
      cluster.broker(2).kill();
      send(producer, "three");
      readUntil(consumer, read, 3);
      assertThat(cluster.requests(ApiKey.FETCH).getLast().broker()).isNotEqualTo(2);
    }
  }

  @Test
  void decantsConsumerReadsFromTheReplicaInItsRack() throws Exception {
    try (FakeCluster cluster = builder().setting("replica.selector.class", SELECTOR).start();
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of());
        KafkaClient client = KafkaClient.connect(cluster.bootstrap());
        Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string()).rack("c")
            .offsetReset(OffsetReset.EARLIEST).open()) {
      send(producer, "one");
      consumer.assign("orders", 0);
      List<String> read = new ArrayList<>();
      while (read.isEmpty()) {
        consumer.poll(Duration.ofSeconds(20), r -> read.add(r.value()));
      }
      assertThat(read).containsExactly("one");
      assertThat(cluster.requests(ApiKey.FETCH)).extracting(ReceivedRequest::broker).contains(3).doesNotContain(2);
    }
  }

  @Test
  void leaderServesConsumersOfAllRacksUnlessTheBrokersSelect() throws Exception {
    try (FakeCluster cluster = builder().start();
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of());
        KafkaConsumer<String, String> consumer = ApacheClients.consumer(cluster, Map.of("client.rack", "b"))) {
      send(producer, "one");
      consumer.assign(List.of(new TopicPartition("orders", 0)));
      readUntil(consumer, new ArrayList<>(), 1);
      assertThat(cluster.requests(ApiKey.FETCH)).extracting(ReceivedRequest::broker).containsOnly(1);
    }
    assertThatThrownBy(() -> builder().setting("replica.selector.class", "mine"))
        .hasMessageContaining("String must be");
  }

  private static FetchResponse.PartitionData fetch(RawClient client, int version, long offset, String rack)
      throws IOException {
    FetchRequest request = new FetchRequest().maxWaitMs(0).minBytes(1).maxBytes(1 << 20).sessionEpoch(-1).rackId(rack)
        .topics(List.of(new FetchRequest.FetchTopic().topic("orders").partitions(
            List.of(new FetchRequest.FetchPartition().partition(0).fetchOffset(offset)
                .partitionMaxBytes(1 << 20)))));
    return client.ask(ApiKey.FETCH, version, request::write, FetchResponse::read).responses().getFirst().partitions()
        .getFirst();
  }

  @Test
  void followerServesWhatItHas() throws Exception {
    try (FakeCluster cluster = builder().setting("replica.selector.class", SELECTOR).start();
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of("acks", "1"));
        RawClient follower = new RawClient(cluster, 2, "reader");
        RawClient leader = new RawClient(cluster, 1, "reader")) {
      send(producer, "one");
      cluster.holdReplication("orders", 0);
      send(producer, "two");
      FetchResponse.PartitionData data = fetch(follower, 12, 0, "b");
      assertThat(data.errorCode()).isEqualTo(ErrorCode.NONE.code());
      assertThat(data.highWatermark()).isEqualTo(1);
      assertThat(data.records()).isNotNull();
      assertThat(fetch(follower, 12, 2, "b").errorCode()).isEqualTo(ErrorCode.OFFSET_OUT_OF_RANGE.code());
      assertThat(fetch(follower, 10, 0, "").errorCode()).isEqualTo(ErrorCode.NOT_LEADER_OR_FOLLOWER.code());
      assertThat(fetch(leader, 12, 2, "b").errorCode()).isEqualTo(ErrorCode.NONE.code());
      assertThat(fetch(leader, 12, 2, "b").preferredReadReplica()).isEqualTo(-1); // the follower lacks the offset
      assertThat(fetch(leader, 12, 1, "b").preferredReadReplica()).isEqualTo(2);
      assertThat(fetch(leader, 12, 1, "a").preferredReadReplica()).isEqualTo(-1);
    }
  }
}
