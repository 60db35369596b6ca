package dev.decant.fake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.TransactionException;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.ConsumerBuilder;
import dev.decant.kafka.consumer.GroupProtocol;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.consumer.RebalanceListener;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.Transactions;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests a member that the coordinator has removed. */
@Timeout(12)
class ExpiredMemberTest {
  @ParameterizedTest
  @EnumSource(GroupProtocol.class)
  void aRefusedCommitBringsTheLossAtOnce(GroupProtocol protocol) throws Exception {
    // The member handled records of other members until its next heartbeat was due.
    AtomicInteger lost = new AtomicInteger();
    RebalanceListener listener = new RebalanceListener() {
      @Override
      public void onLost(List<TopicPartition> partitions) {
        lost.addAndGet(partitions.size());
      }
    };
    try (FakeCluster kafka = FakeCluster.builder().inMemory().topic("orders", 1)
        .setting("group.consumer.session.timeout.ms", "60000").setting("group.consumer.heartbeat.interval.ms", "15000")
        .start();
        KafkaClient client = KafkaClient.builder(kafka.bootstrap()).clientId("shop").runtimeCheck(false).build();
        Producer<String, String> producer = client.producer(Serdes.string(), Serdes.string()).topic("orders").open();
        Consumer<String, String> consumer = rarelyHeard(client, protocol).group("billing").subscribe("orders")
            .offsetReset(OffsetReset.EARLIEST).autoCommit(false).rebalanceListener(listener).open()) {
      producer.sendAndWait("k", "v");
      while (consumer.poll(Duration.ofSeconds(20), record -> {}) == 0) {
        // until the record has arrived
      }
      kafka.expireMember("billing", "shop");
      assertThatThrownBy(consumer::commit).isInstanceOf(KafkaException.class);
      while (lost.get() == 0) { // the next heartbeat is due later than this test may take
        consumer.poll(Duration.ofMillis(50), record -> {});
      }
      assertThat(lost).hasValue(1);
    }
  }

  @ParameterizedTest
  @EnumSource(GroupProtocol.class)
  void refusedOffsetsOfATransactionBringTheLossAtOnce(GroupProtocol protocol) throws Exception {
    // A refused commit brought it, and a transaction did not.
    AtomicInteger lost = new AtomicInteger();
    RebalanceListener listener = new RebalanceListener() {
      @Override
      public void onLost(List<TopicPartition> partitions) {
        lost.addAndGet(partitions.size());
      }
    };
    TopicPartition orders = new TopicPartition("orders", 0);
    try (FakeCluster kafka = FakeCluster.builder().inMemory().topic("orders", 1)
        .setting("group.consumer.session.timeout.ms", "60000").setting("group.consumer.heartbeat.interval.ms", "15000")
        .start();
        KafkaClient client = KafkaClient.builder(kafka.bootstrap()).clientId("shop").runtimeCheck(false).build();
        Transactions transactions = client.transactions("shop-1").open();
        Consumer<String, String> consumer = rarelyHeard(client, protocol).group("billing").subscribe("orders")
            .autoCommit(false).rebalanceListener(listener).open()) {
      while (consumer.assignment().isEmpty()) {
        consumer.poll(Duration.ofMillis(50), record -> {});
      }
      kafka.expireMember("billing", "shop");
      transactions.begin();
      assertThatThrownBy(() -> transactions.sendOffsets(Map.of(orders, new OffsetAndMetadata(0)),
          consumer.groupMetadata(), Duration.ofSeconds(5))).isInstanceOf(TransactionException.class);
      while (lost.get() == 0) { // the next heartbeat is due later than this test may take
        consumer.poll(Duration.ofMillis(50), record -> {});
      }
      assertThat(lost).hasValue(1);
    }
  }

  @ParameterizedTest
  @EnumSource(GroupProtocol.class)
  void aListenerThatAsksForOffsetsMeanwhileGetsThem(GroupProtocol protocol) throws Exception {
    // The thread of the listener waited in onAssigned for a response to a member. The member joins again only after the
    // application has learned of the loss, so the call lasted until its timeout.
    AtomicReference<Consumer<String, String>> asking = new AtomicReference<>();
    CompletableFuture<OffsetAndMetadata> found = new CompletableFuture<>();
    try (FakeCluster kafka = FakeCluster.builder().inMemory().topic("orders", 1)
        .setting("group.consumer.session.timeout.ms", "60000").setting("group.consumer.heartbeat.interval.ms", "15000")
        .start();
        KafkaClient client = KafkaClient.builder(kafka.bootstrap()).clientId("shop").runtimeCheck(false).build()) {
      TopicPartition orders = new TopicPartition("orders", 0);
      try (Consumer<String, String> former = rarelyHeard(client, protocol).group("billing").open()) {
        former.commit(Map.of(orders, new OffsetAndMetadata(7)));
      }
      RebalanceListener listener = new RebalanceListener() {
        @Override
        public void onAssigned(List<TopicPartition> partitions) throws InterruptedException {
          if (!found.isDone()) {
            kafka.expireMember("billing", "shop");
            found.complete(asking.get().committed(partitions, Duration.ofSeconds(10)).get(orders));
          }
        }
      };
      try (Consumer<String, String> consumer = rarelyHeard(client, protocol).group("billing").subscribe("orders")
          .autoCommit(false).rebalanceListener(listener).open()) {
        asking.set(consumer);
        while (!found.isDone()) {
          consumer.poll(Duration.ofMillis(50), record -> {});
        }
        assertThat(found.join().offset()).isEqualTo(7);
      }
    }
  }

  private static ConsumerBuilder<String, String> rarelyHeard(KafkaClient client, GroupProtocol protocol) {
    ConsumerBuilder<String, String> builder = client.consumer(Serdes.string(), Serdes.string()).groupProtocol(protocol);
    return protocol == GroupProtocol.CONSUMER // the brokers set the interval of its heartbeats
        ? builder
        : builder.sessionTimeout(Duration.ofSeconds(45)).heartbeatInterval(Duration.ofSeconds(15));
  }
}
