package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.PartitionInfo;
import dev.decant.kafka.PositionOutOfRangeException;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.broker.ScriptedGroup;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.ConsumerBuilder;
import dev.decant.kafka.consumer.NoPositionException;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.consumer.RebalanceListener;
import dev.decant.kafka.consumer.WakeupException;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.record.TimestampType;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Tests a consumer that one thread at a time calls, and other needs of Kafka's interface. */
class ExclusiveConsumerTest extends AgainstScriptedBroker {
  private static final TopicPartition P0 = new TopicPartition(ScriptedBroker.TOPIC, 0);
  private static final TopicPartition P1 = new TopicPartition(ScriptedBroker.TOPIC, 1);

  private final ScriptedGroup group = broker.state().group();

  ExclusiveConsumerTest() {
    super(2, LATER);
  }

  private ConsumerBuilder<String, String> exclusive() {
    return client.consumer(Serdes.string(), Serdes.string()).offsetReset(OffsetReset.EARLIEST)
        .fetchMaxWait(Duration.ofMillis(100)).autoCommit(false).exclusive(true);
  }

  private static void pollUntil(Consumer<String, String> consumer, BooleanSupplier enough) throws InterruptedException {
    long deadline = System.nanoTime() + LATER.toNanos();
    while (!enough.getAsBoolean()) {
      assertThat(deadline - System.nanoTime()).as("time left").isPositive();
      consumer.poll(Duration.ofMillis(50), record -> {});
    }
  }

  @Test
  void keptPartitionsOfAnotherAssignmentKeepTheirPositions() throws InterruptedException {
    broker.state().store(0, "a", "b");
    broker.state().store(1, "x");
    try (Consumer<String, String> consumer = exclusive().open()) {
      consumer.assign(List.of(P0));
      assertThat(read(consumer, 2)).containsExactly("a", "b");
      consumer.assign(List.of(P0, P1));
      assertThat(read(consumer, 1)).containsExactly("x");
      consumer.pause(List.of(P1));
      consumer.seekToBeginning(List.of(P0, P1));
      assertThat(consumer.paused()).containsExactly(P1);
      assertThat(read(consumer, 2)).containsExactly("a", "b");
      consumer.resume(List.of(P1));
      assertThat(read(consumer, 1)).containsExactly("x");
      consumer.seekToEnd(List.of(P0));
      assertThat(consumer.position(ScriptedBroker.TOPIC, 0, LATER)).isEqualTo(2);
    }
  }

  @Test
  void eachThreadsCallTakesEffectAtOnce() throws InterruptedException {
    broker.state().store(0, "a", "b");
    try (Consumer<String, String> consumer = exclusive().group("billing").open()) {
      consumer.assign(List.of(P0));
      assertThat(read(consumer, 2)).hasSize(2);
      Thread other = Thread.ofPlatform().start(() -> consumer.seek(ScriptedBroker.TOPIC, 0, 1));
      other.join();
      assertThat(consumer.positions()).containsOnly(Map.entry(P0, new OffsetAndMetadata(1)));
      assertThat(read(consumer, 1)).containsExactly("b");
    }
  }

  @Test
  void wakeupEndsACallThatWaits() throws InterruptedException {
    broker.always(ApiKey.OFFSET_COMMIT, Script.SILENCE);
    try (Consumer<String, String> consumer = exclusive().group("billing").open()) {
      Thread waker = Thread.ofPlatform().start(() -> {
        try {
          broker.await(ApiKey.OFFSET_COMMIT, 1);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
        consumer.wakeup();
      });
      assertThatThrownBy(() -> consumer.commit(Map.of(P0, new OffsetAndMetadata(1)), LATER))
          .isInstanceOf(WakeupException.class);
      waker.join();
      consumer.close(Duration.ZERO, dev.decant.kafka.consumer.GroupMembershipOperation.DEFAULT);
    }
  }

  @Test
  void commitInBackgroundIsReportedThoughNobodyPolls() throws InterruptedException {
    CountDownLatch ended = new CountDownLatch(1);
    try (Consumer<String, String> consumer = exclusive().group("billing").open()) {
      consumer.commitInBackground(Map.of(P0, new OffsetAndMetadata(5)), LATER, (offsets, error) -> {
        if (error == null) {
          ended.countDown();
        }
      });
      assertThat(ended.await(LATER.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(group.committed(0)).isEqualTo(5);
      assertThat(consumer.committed(List.of(P0, P1), LATER)).containsOnlyKeys(P0);
    }
  }

  @Test
  void strictListenerSeesEachRebalanceAndEndsThePoll() throws InterruptedException {
    List<String> recorded = new ArrayList<>();
    IllegalStateException thrown = new IllegalStateException("the listener does not like it");
    group.assign();
    RebalanceListener strict = new RebalanceListener() {
      @Override
      public boolean isStrict() {
        return true;
      }

      @Override
      public void onAssigned(List<TopicPartition> partitions) {
        recorded.add("assigned " + partitions);
        if (!partitions.isEmpty()) {
          throw thrown;
        }
      }
    };
    broker.state().store(0, "a");
    try (Consumer<String, String> consumer = exclusive().group("billing").subscribe(ScriptedBroker.TOPIC)
        .rebalanceListener(strict).open()) {
      pollUntil(consumer, () -> recorded.equals(List.of("assigned []")));
      group.assign(0);
      assertThat(catchThrowable(() -> pollUntil(consumer, () -> recorded.size() == 3))).isSameAs(thrown);
      assertThat(consumer.subscription()).containsExactly(ScriptedBroker.TOPIC);
      assertThat(read(consumer, 1)).as("the change is made").containsExactly("a");
      assertThat(recorded).containsExactly("assigned []", "assigned [orders-0]");
    }
  }

  @Test
  void patternOfThisClientIsMatchedHereUnderTheConsumerProtocol() throws InterruptedException {
    broker.state().store(0, "a");
    try (Consumer<String, String> consumer = exclusive().group("billing")
        .subscribePattern(Pattern.compile("ORD.*", Pattern.CASE_INSENSITIVE), false).open()) {
      assertThat(read(consumer, 1)).containsExactly("a");
      assertThat(consumer.subscription()).containsExactly(ScriptedBroker.TOPIC);
    }
  }

  @Test
  void errorsNameWhatTheyAreOf() throws InterruptedException {
    broker.state().store(0, "a");
    try (Consumer<String, String> consumer = exclusive().offsetReset(OffsetReset.NONE).open()) {
      consumer.assign(List.of(P0, P1));
      assertThat(failureOf(consumer, new ArrayList<>())).isInstanceOfSatisfying(NoPositionException.class,
          e -> assertThat(e.partitions()).containsExactly(P0, P1));
      consumer.seek(ScriptedBroker.TOPIC, 0, 7);
      consumer.seek(ScriptedBroker.TOPIC, 1, 0);
      assertThat(failureOf(consumer, new ArrayList<>())).isInstanceOfSatisfying(PositionOutOfRangeException.class,
          e -> {
            assertThat(e.partition()).isEqualTo(P0);
            assertThat(e.position()).isEqualTo(7);
            assertThat(e.code()).isEqualTo(ErrorCode.OFFSET_OUT_OF_RANGE);
          });
    }
  }

  @Test
  void topicsAndTheirPartitionsAreListed() throws InterruptedException {
    try (Consumer<String, String> consumer = exclusive().open()) {
      assertThat(consumer.topics(LATER)).containsKey(ScriptedBroker.TOPIC);
      assertThat(consumer.partitionsFor(ScriptedBroker.TOPIC, LATER)).extracting(PartitionInfo::partition)
          .containsExactly(0, 1);
      broker.always(ApiKey.METADATA, Script.SILENCE);
      assertThatThrownBy(() -> consumer.topics(SOON)).isInstanceOf(KafkaTimeoutException.class)
          .hasMessageContaining("metadata of all topics");
    }
  }

  @Test
  void viewSaysWhereARecordComesFrom() throws InterruptedException {
    broker.state().store(0, "a");
    List<String> seen = new ArrayList<>();
    try (Consumer<String, String> consumer = exclusive().open()) {
      consumer.assign(List.of(P0));
      consumer.pollPartitions(LATER, records -> {
        while (records.next()) {
          records.record().forEachHeader((key, value) -> seen.add(key));
          assertThat(records.record().timestampType()).isEqualTo(TimestampType.CREATE_TIME);
          assertThat(records.record().leaderEpoch()).isEqualTo(records.positionEpoch());
          seen.add("position " + records.position());
        }
      });
    }
    assertThat(seen).containsExactly("position 1");
  }
}
