package dev.decant.brokers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.assignor.Assignors;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.ConsumerBuilder;
import dev.decant.kafka.consumer.GroupProtocol;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.producer.Acks;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.testkit.KafkaCluster;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The broker that coordinates a group dies; another one takes over, and the member with it. */
@Tag("full")
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class GroupCoordinatorKillTest {
  private static final Duration DEADLINE = Duration.ofSeconds(60);
  private static final int RECORDS = 300;
  /** Three brokers start at once, on few processors; how fast they run does not matter here. */
  private static final List<String> QUICK_START = List.of("-Xmx512m", "-XX:TieredStopAtLevel=1",
      "-XX:+UseSerialGC");

  private static void produce(KafkaClient client, int from) throws InterruptedException {
    try (Producer<String, Long> producer = client.producer(Serdes.string(), Serdes.longs()).topic("bills")
        .acks(Acks.ALL).open()) {
      for (long i = from; i < from + RECORDS; i++) {
        producer.send("key " + i, i);
      }
      assertThat(producer.flush(DEADLINE)).isTrue();
    }
  }

  private static void read(Consumer<String, Long> consumer, Set<Long> values, int count) throws InterruptedException {
    long deadline = System.nanoTime() + DEADLINE.toNanos();
    while (values.size() < count && deadline - System.nanoTime() > 0) {
      consumer.poll(Duration.ofMillis(200), record -> values.add(record.value()));
    }
    assertThat(values).hasSize(count);
  }

  /** The sum over all partitions. */
  private static long committed(Consumer<String, Long> consumer) throws InterruptedException {
    return consumer.committed(new TopicPartition("bills", 0), new TopicPartition("bills", 1),
        new TopicPartition("bills", 2)).values().stream().mapToLong(OffsetAndMetadata::offset).sum();
  }

  private static int coordinator(KafkaCluster cluster) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()))) {
      return admin.describeConsumerGroups(List.of("billing")).describedGroups().values().iterator().next()
          .get(60, TimeUnit.SECONDS).coordinator().id();
    }
  }

  @Test
  void memberGoesOnAndItsCommitsArriveThoughTheCoordinatorIsKilled() throws Exception {
    try (KafkaCluster cluster = KafkaCluster.builder().brokers(3).jvmArguments(QUICK_START).start();
        KafkaClient client = KafkaClient.connect(cluster.bootstrap())) {
      cluster.createTopic("bills", 3);
      produce(client, 0);
      Set<Long> values = new HashSet<>();
      try (Consumer<String, Long> consumer = client.consumer(Serdes.string(), Serdes.longs()).group("billing")
          .subscribe("bills").offsetReset(OffsetReset.EARLIEST).autoCommit(false).open()) {
        read(consumer, values, RECORDS);
        consumer.commit();
        cluster.node(coordinator(cluster)).kill();
        produce(client, RECORDS);
        read(consumer, values, 2 * RECORDS);
        consumer.commit();
        assertThat(committed(consumer)).isEqualTo(2 * RECORDS);
      }
    }
  }

  @Test
  void onlyBrokerIsKilledAndComesBackAndTheMemberWithIt() throws Exception {
    try (KafkaCluster cluster = KafkaCluster.builder().jvmArguments(QUICK_START).start();
        KafkaClient client = KafkaClient.connect(cluster.bootstrap())) {
      cluster.createTopic("bills", 3);
      produce(client, 0);
      Set<Long> values = new HashSet<>();
      try (Consumer<String, Long> consumer = client.consumer(Serdes.string(), Serdes.longs()).group("billing")
          .subscribe("bills").offsetReset(OffsetReset.EARLIEST).autoCommit(false).open()) {
        read(consumer, values, RECORDS);
        consumer.commit();
        cluster.node(1).kill();
        consumer.commitAsync(Map.of(new TopicPartition("bills", 0), new OffsetAndMetadata(1)), null);
        cluster.node(1).restart(DEADLINE);
        produce(client, RECORDS);
        read(consumer, values, 2 * RECORDS);
        consumer.commit();
        assertThat(committed(consumer)).isEqualTo(2 * RECORDS);
      }
    }
  }

  /** One member is in its listener and the other one waits for its join when the coordinator dies. */
  @ParameterizedTest
  @ValueSource(strings = {"range", "cooperative-sticky"})
  void coordinatorOfAClassicGroupIsKilledInTheMiddleOfARebalance(String assignor) throws Exception {
    try (KafkaCluster cluster = KafkaCluster.builder().brokers(3).jvmArguments(QUICK_START).start();
        KafkaClient client = KafkaClient.connect(cluster.bootstrap())) {
      cluster.createTopic("bills", 6);
      produce(client, 0);
      Queue<Long> values = new ConcurrentLinkedQueue<>();
      UnaryOperator<ConsumerBuilder<String, Long>> settings = b -> b.groupProtocol(GroupProtocol.CLASSIC)
          .assignors(Assignors.named(assignor)).heartbeatInterval(Duration.ofMillis(300)).subscribe("bills");
      CountDownLatch revoking = new CountDownLatch(1);
      CountDownLatch killed = new CountDownLatch(1);
      try (GroupReader first = new GroupReader(cluster.bootstrap(), "billing", values, settings)) {
        await("the first has all", () -> values.size() >= RECORDS && first.owned.size() == 6);
        first.beforeRevocation = () -> {
          revoking.countDown();
          await("the coordinator is killed", () -> killed.getCount() == 0);
        };
        int coordinator = coordinator(cluster);
        try (GroupReader second = new GroupReader(cluster.bootstrap(), "billing", values, settings)) {
          assertThat(revoking.await(60, TimeUnit.SECONDS)).as("the first gives up something").isTrue();
          cluster.node(coordinator).kill();
          killed.countDown();
          await("they share", () -> first.owned.size() == 3 && second.owned.size() == 3);
          produce(client, RECORDS);
          await("all is read", () -> new HashSet<>(values).size() == 2 * RECORDS);
        }
      }
    }
  }

  private static void await(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + 2 * DEADLINE.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(deadline - System.nanoTime()).as("time left for: " + what).isPositive();
      LockSupport.parkNanos(1_000_000);
    }
  }
}
