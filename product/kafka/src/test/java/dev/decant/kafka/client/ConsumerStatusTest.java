package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.Statistic;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.broker.FetchScripts;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.broker.ScriptedGroup;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.ConsumerStatus;
import dev.decant.kafka.consumer.ConsumerStatus.PartitionStatus;
import dev.decant.kafka.consumer.IsolationLevel;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.event.ConsumerListener;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.ConsumerGroupHeartbeatResponse;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests lag, assignment and rebalances, as another thread sees them. */
class ConsumerStatusTest extends AgainstScriptedBroker {
  private final ScriptedGroup group = broker.state().group();
  private final List<String> recorded = new CopyOnWriteArrayList<>();
  private final KafkaStatistics statistics = new KafkaStatistics();

  ConsumerStatusTest() {
    super(2, LATER);
    client.events().watchConsumers(new ConsumerListener() {
      @Override
      public void onAssignmentChanged(String group, List<TopicPartition> partitions) {
        recorded.add(group + partitions + " of " + client.consumers().size());
      }
    });
  }

  private Consumer<String, String> member() {
    return client.consumer(Serdes.string(), Serdes.string()).offsetReset(OffsetReset.EARLIEST)
        .fetchMaxWait(Duration.ofMillis(100)).group("billing").subscribe(ScriptedBroker.TOPIC).open();
  }

  private static void pollUntil(Consumer<String, String> consumer, BooleanSupplier enough) throws InterruptedException {
    long deadline = System.nanoTime() + LATER.toNanos();
    while (!enough.getAsBoolean()) {
      assertThat(deadline - System.nanoTime()).as("time left").isPositive();
      consumer.poll(Duration.ofMillis(50), record -> {});
    }
  }

  private ConsumerStatus only() {
    assertThat(client.consumers()).hasSize(1);
    return client.consumers().getFirst();
  }

  private long statistic(Statistic which) {
    client.statistics(statistics);
    return statistics.value(which);
  }

  @Test
  void lagIsWhatIsLeftToTheEndThatTheLastFetchResponseSaid() throws InterruptedException {
    broker.state().store(0, "a", "b", "c");
    try (Consumer<String, String> consumer = consumer(1, 0, 1)) {
      assertThat(read(consumer, 1)).containsExactly("a");
      assertThat(only().group()).isEmpty();
      assertThat(only().partitions().getFirst()).isEqualTo(new PartitionStatus(ScriptedBroker.TOPIC, 0, 1, 3));
      assertThat(only().maxLag()).isEqualTo(2);
      assertThat(consumer.currentLag(ScriptedBroker.TOPIC, 0)).isEqualTo(2);
      assertThat(read(consumer, 2)).containsExactly("b", "c");
      assertThat(only().partitions().getFirst().lag()).isZero();
    }
    assertThat(client.consumers()).isEmpty();
  }

  @Test
  void lagIsUnknownWithoutAPositionOrAnEnd() {
    PartitionStatus noPosition = new PartitionStatus(ScriptedBroker.TOPIC, 0, ConsumerStatus.UNKNOWN, 3);
    PartitionStatus noEnd = new PartitionStatus(ScriptedBroker.TOPIC, 1, 3, ConsumerStatus.UNKNOWN);
    ConsumerStatus status = new ConsumerStatus("", List.of(noPosition, noEnd));
    assertThat(status.partitions()).extracting(PartitionStatus::lag).containsOnly(ConsumerStatus.UNKNOWN);
    assertThat(status.maxLag()).isEqualTo(ConsumerStatus.UNKNOWN);
  }

  @ParameterizedTest
  @EnumSource(IsolationLevel.class)
  void readCommittedLagEndsAtTheLastStableOffset(IsolationLevel isolation) throws InterruptedException {
    broker.always(ApiKey.FETCH, FetchScripts.saying(p -> p.highWatermark(9).lastStableOffset(4)));
    try (Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string())
        .offsetReset(OffsetReset.EARLIEST).isolationLevel(isolation).open()) {
      consumer.assign(ScriptedBroker.TOPIC, 0);
      pollUntil(consumer, () -> only().maxLag() >= 0);
      assertThat(only().maxLag()).isEqualTo(isolation == IsolationLevel.READ_COMMITTED ? 4 : 9);
    }
  }

  @Test
  void revokedPartitionsAreGoneFromTheStatusWhenTheChangeIsReported() throws InterruptedException {
    try (Consumer<String, String> consumer = member()) {
      pollUntil(consumer, () -> recorded.size() == 1);
      assertThat(only().group()).isEqualTo("billing");
      assertThat(only().partitions()).hasSize(2);
      group.assign(1);
      pollUntil(consumer, () -> recorded.size() == 2);
      assertThat(only().partitions()).extracting(PartitionStatus::partition).containsExactly(1);
    }
    assertThat(recorded).containsExactly("billing[orders-0, orders-1] of 1", "billing[orders-1] of 1",
        "billing[] of 0");
  }

  @Test
  void rebalancesAreCountedOnceTheyAreOver() throws InterruptedException {
    try (Consumer<String, String> consumer = member()) {
      pollUntil(consumer, () -> recorded.size() == 1);
      pollUntil(consumer, () -> statistic(Statistic.REBALANCES) == 1);
      group.assign(1);
      pollUntil(consumer, () -> statistic(Statistic.REBALANCES) == 2);
      assertThat(statistic(Statistic.REBALANCES_FAILED)).isZero();
      assertThat(statistic(Statistic.REBALANCE_MILLIS)).isNotNegative();
    }
    assertThat(statistic(Statistic.REBALANCES)).as("to leave is no rebalance").isEqualTo(2);
  }

  /** A member that is removed between two rebalances has lost none. */
  @Test
  void rebalanceThatEndsWithTheMembershipIsAFailedOne() throws InterruptedException {
    try (Consumer<String, String> consumer = member()) {
      pollUntil(consumer, () -> statistic(Statistic.REBALANCES) == 1);
      broker.next(ApiKey.CONSUMER_GROUP_HEARTBEAT, exchange -> exchange
          .answer(new ConsumerGroupHeartbeatResponse().errorCode(ErrorCode.FENCED_MEMBER_EPOCH.code())::write));
      pollUntil(consumer, () -> statistic(Statistic.REBALANCES) == 2);
      assertThat(statistic(Statistic.REBALANCES_FAILED)).isZero();
      group.assign(1);
      awaitReconciling();
      broker.next(ApiKey.CONSUMER_GROUP_HEARTBEAT, exchange -> exchange
          .answer(new ConsumerGroupHeartbeatResponse().errorCode(ErrorCode.FENCED_MEMBER_EPOCH.code())::write));
      pollAfterNextBeat(consumer);
      assertThat(statistic(Statistic.REBALANCES_FAILED)).isEqualTo(1);
    }
  }

  /** Polls after the next heartbeat: its response is here when the member joins again. */
  private void pollAfterNextBeat(Consumer<String, String> consumer) throws InterruptedException {
    int beats = broker.requests(ApiKey.CONSUMER_GROUP_HEARTBEAT).size();
    broker.await(ApiKey.CONSUMER_GROUP_HEARTBEAT, beats + 1);
    pollUntil(consumer, () -> broker.requests(ApiKey.CONSUMER_GROUP_HEARTBEAT).size() > beats + 1);
  }

  /** Waits for a rebalance, which continues because no thread polls meanwhile. */
  private void awaitReconciling() throws InterruptedException {
    int beats = broker.requests(ApiKey.CONSUMER_GROUP_HEARTBEAT).size();
    broker.await(ApiKey.CONSUMER_GROUP_HEARTBEAT, beats + 2);
  }
}
