package dev.decant.fake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.ConsumerBuilder;
import dev.decant.kafka.consumer.GroupProtocol;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ClassicGroupDescription;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.DeleteConsumerGroupOffsetsResult;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.SubscriptionPattern;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.errors.GroupNotEmptyException;
import org.apache.kafka.common.errors.GroupSubscribedToTopicException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests that consumers of Decant and of Apache's client share the partitions of a topic in groups of a fake cluster.
 */
@Timeout(60)
class GroupClientsTest {
  private static final Duration SHORT = Duration.ofMillis(5);

  private static FakeClusterBuilder builder() {
    return FakeCluster.builder().topic("orders", 4).setting("group.initial.rebalance.delay.ms", "0");
  }

  private static Consumer<String, String> open(KafkaClient client) {
    return builder(client).groupProtocol(GroupProtocol.CLASSIC).heartbeatInterval(Duration.ofMillis(100)).open();
  }

  private static ConsumerBuilder<String, String> builder(KafkaClient client) {
    return client.consumer(Serdes.string(), Serdes.string()).group("g").autoCommit(false)
        .offsetReset(OffsetReset.EARLIEST).subscribe("orders");
  }

  private static void send(KafkaClient client, int count) throws InterruptedException {
    try (Producer<String, String> producer = client.producer(Serdes.string(), Serdes.string()).topic("orders").open()) {
      for (int i = 0; i < count; i++) {
        producer.sendAndWait("key-" + i, "value-" + i);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"2,1", "2,5", "3,3", "4,3", "4,4"})
  void decantsMembersShareThePartitionsAndOneTakesAllWhenTheOtherLeaves(int major, int minor) throws Exception {
    try (FakeCluster cluster = builder().brokers(3).release(major, minor).start();
        KafkaClient client = KafkaClient.connect(cluster.bootstrap());
        Consumer<String, String> one = open(client)) {
      send(client, 20);
      List<String> read = new ArrayList<>();
      Consumer<String, String> two = open(client);
      try {
        while (one.assignment().size() != 2 || two.assignment().size() != 2) {
          one.poll(SHORT, r -> read.add(r.value()));
          two.poll(SHORT, r -> read.add(r.value()));
        }
        while (Set.copyOf(read).size() < 20) {
          one.poll(SHORT, r -> read.add(r.value()));
          two.poll(SHORT, r -> read.add(r.value()));
        }
        two.commit();
      } finally {
        two.close();
      }
      while (one.assignment().size() != 4) {
        one.poll(SHORT, r -> read.add(r.value()));
      }
    }
  }

  @Test
  void committedOffsetsOutliveTheMembersAndTheCoordinator() throws Exception {
    try (FakeCluster cluster = builder().brokers(3).start();
        KafkaClient client = KafkaClient.connect(cluster.bootstrap())) {
      send(client, 20);
      try (Consumer<String, String> first = open(client)) {
        List<String> read = new ArrayList<>();
        while (read.size() < 20) {
          first.poll(SHORT, r -> read.add(r.value()));
        }
        first.commit();
      }
      int coordinator = "g".hashCode() % 50 % 3 + 1;
      cluster.broker(coordinator).kill();
      send(client, 1);
      try (Consumer<String, String> second = open(client)) {
        List<String> read = new ArrayList<>();
        while (read.isEmpty()) {
          second.poll(SHORT, r -> read.add(r.value()));
        }
        assertThat(read).containsExactly("value-0");
        cluster.clearRequests();
        second.commit();
        assertThat(cluster.requests(ApiKey.OFFSET_COMMIT)).isNotEmpty()
            .allMatch(r -> r.broker() != coordinator);
      }
    }
  }

  @Test
  void aMemberGoesOnWithTheNextCoordinatorWithoutARebalance() throws Exception {
    try (FakeCluster cluster = builder().brokers(3).start();
        KafkaClient client = KafkaClient.connect(cluster.bootstrap());
        Consumer<String, String> consumer = open(client)) {
      while (consumer.assignment().size() != 4) {
        consumer.poll(SHORT, r -> {});
      }
      int coordinator = cluster.requests(ApiKey.JOIN_GROUP).getFirst().broker();
      cluster.clearRequests();
      cluster.broker(coordinator).kill();
      while (cluster.requests(ApiKey.HEARTBEAT).stream().noneMatch(r -> r.broker() != coordinator)) {
        consumer.poll(SHORT, r -> {});
      }
      consumer.commit(Map.of(new TopicPartition("orders", 0), new OffsetAndMetadata(7)));
      assertThat(cluster.requests(ApiKey.JOIN_GROUP)).isEmpty();
      assertThat(consumer.committed(new TopicPartition("orders", 0)).values())
          .extracting(OffsetAndMetadata::offset).containsExactly(7L);
    }
  }

  @ParameterizedTest
  @CsvSource({"2,1", "2,5", "3,9", "4,3", "4,4"})
  void apachesMembersShareThePartitions(int major, int minor) throws Exception {
    Map<String, Object> settings = Map.of("group.id", "g", "heartbeat.interval.ms", 100, "enable.auto.commit", false);
    try (FakeCluster cluster = builder().brokers(2).release(major, minor).start();
        KafkaClient client = KafkaClient.connect(cluster.bootstrap());
        KafkaConsumer<String, String> one = ApacheClients.consumer(cluster, settings)) {
      send(client, 20);
      one.subscribe(List.of("orders"));
      List<String> read = new ArrayList<>();
      try (KafkaConsumer<String, String> two = ApacheClients.consumer(cluster, settings)) {
        two.subscribe(List.of("orders"));
        while (one.assignment().size() != 2 || two.assignment().size() != 2 || Set.copyOf(read).size() < 20) {
          one.poll(SHORT).forEach(r -> read.add(r.value()));
          two.poll(SHORT).forEach(r -> read.add(r.value()));
        }
        two.commitSync();
      }
      while (one.assignment().size() != 4 || one.assignment().stream().mapToLong(one::position).sum() != 20) {
        one.poll(SHORT);
      }
      one.commitSync();
      assertThat(one.committed(one.assignment()).values()).extracting(o -> o.offset()).hasSize(4)
          .satisfies(offsets -> assertThat(offsets.stream().mapToLong(Long::longValue).sum()).isEqualTo(20));
    }
  }

  @ParameterizedTest
  @CsvSource({"4,0", "4,3", "4,4"})
  void decantsMembersOfAConsumerGroupShareThePartitions(int major, int minor) throws Exception {
    try (FakeCluster cluster = builder().brokers(3).release(major, minor)
        .setting("group.consumer.heartbeat.interval.ms", "50").start();
        KafkaClient client = KafkaClient.connect(cluster.bootstrap());
        Consumer<String, String> one = builder(client).groupProtocol(GroupProtocol.CONSUMER).open()) {
      send(client, 20);
      while (one.assignment().size() != 4) {
        one.poll(SHORT, r -> {});
      }
      try (Consumer<String, String> two = builder(client).groupProtocol(GroupProtocol.CONSUMER).open()) {
        while (one.assignment().size() != 2 || two.assignment().size() != 2) {
          one.poll(SHORT, r -> {});
          two.poll(SHORT, r -> {});
        }
        two.commit();
      }
      while (one.assignment().size() != 4) {
        one.poll(SHORT, r -> {});
      }
      one.commit(Map.of(new TopicPartition("orders", 0), new OffsetAndMetadata(7)));
      assertThat(one.committed(new TopicPartition("orders", 0)).values()).extracting(OffsetAndMetadata::offset)
          .containsExactly(7L);
    }
  }

  @ParameterizedTest
  @CsvSource({"4,0", "4,3", "4,4"})
  void apachesMembersOfAConsumerGroupShareThePartitions(int major, int minor) throws Exception {
    Map<String, Object> settings = Map.of("group.id", "g", "group.protocol", "consumer", "enable.auto.commit", false);
    try (FakeCluster cluster = builder().brokers(2).release(major, minor)
        .setting("group.consumer.heartbeat.interval.ms", "50").start();
        KafkaConsumer<String, String> one = ApacheClients.consumer(cluster, settings)) {
      one.subscribe(List.of("orders"));
      while (one.assignment().size() != 4) {
        one.poll(SHORT);
      }
      try (KafkaConsumer<String, String> two = ApacheClients.consumer(cluster, settings)) {
        two.subscribe(new SubscriptionPattern("ord.*"));
        while (one.assignment().size() != 2 || two.assignment().size() != 2) {
          one.poll(SHORT);
          two.poll(SHORT);
        }
      }
      while (one.assignment().size() != 4) {
        one.poll(SHORT);
      }
    }
  }

  @Test
  void anAdministratorSeesGroupsAndDeletesThemWithTheirOffsets() throws Exception {
    try (FakeCluster cluster = builder().brokers(2).topic("other", 1).start();
        KafkaClient client = KafkaClient.connect(cluster.bootstrap());
        Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()))) {
      org.apache.kafka.common.TopicPartition orders = new org.apache.kafka.common.TopicPartition("orders", 0);
      org.apache.kafka.common.TopicPartition other = new org.apache.kafka.common.TopicPartition("other", 0);
      try (Consumer<String, String> member = open(client)) {
        while (member.assignment().size() != 4) {
          member.poll(SHORT, r -> {});
        }
        member.commit(Map.of(new TopicPartition("orders", 0), new OffsetAndMetadata(7),
            new TopicPartition("other", 0), new OffsetAndMetadata(8)));
        assertThat(admin.listGroups().all().get()).extracting(g -> g.groupId() + " " + g.groupState().orElseThrow())
            .containsExactly("g Stable");
        ClassicGroupDescription group = Objects.requireNonNull(
            admin.describeClassicGroups(List.of("g")).all().get().get("g"));
        assertThat(group.members()).singleElement().satisfies(m -> {
          assertThat(m.assignment().topicPartitions()).hasSize(4);
          assertThat(m.host()).isEqualTo("/127.0.0.1");
        });
        DeleteConsumerGroupOffsetsResult deleted = admin.deleteConsumerGroupOffsets("g", Set.of(orders, other));
        deleted.partitionResult(other).get();
        assertThatThrownBy(() -> deleted.partitionResult(orders).get())
            .hasCauseInstanceOf(GroupSubscribedToTopicException.class);
        assertThat(admin.listConsumerGroupOffsets("g").partitionsToOffsetAndMetadata().get()).hasSize(1);
        assertThatThrownBy(() -> admin.deleteConsumerGroups(List.of("g")).all().get())
            .hasCauseInstanceOf(GroupNotEmptyException.class);
      }
      admin.deleteConsumerGroups(List.of("g")).all().get();
      assertThat(admin.listGroups().all().get()).isEmpty();
      assertThat(admin.listConsumerGroupOffsets("g").partitionsToOffsetAndMetadata().get()).isEmpty();
    }
  }

  @Test
  void anAdministratorSeesAConsumerGroup() throws Exception {
    try (FakeCluster cluster = builder().start();
        KafkaClient client = KafkaClient.connect(cluster.bootstrap());
        Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()));
        Consumer<String, String> member = builder(client).groupProtocol(GroupProtocol.CONSUMER).open()) {
      while (member.assignment().size() != 4) {
        member.poll(SHORT, r -> {});
      }
      ConsumerGroupDescription group = Objects.requireNonNull(
          admin.describeConsumerGroups(List.of("g")).all().get().get("g"));
      assertThat(group.groupState()).isEqualTo(GroupState.STABLE);
      assertThat(group.partitionAssignor()).isEqualTo("uniform");
      assertThat(group.members()).singleElement()
          .satisfies(m -> assertThat(m.assignment().topicPartitions()).hasSize(4));
    }
  }
}
