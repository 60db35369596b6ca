package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.broker.Batches;
import dev.decant.kafka.broker.FetchScripts;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.LogTruncatedException;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.event.ErrorKind;
import dev.decant.kafka.event.ErrorReport;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.FetchRequest;
import dev.decant.kafka.protocol.message.OffsetForLeaderEpochRequest;
import dev.decant.kafka.record.RecordBatchHeader;
import dev.decant.kafka.serialization.Serdes;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests logs that lose records which were read already (KIP-320). */
class TruncationTest extends AgainstScriptedBroker {
  private static final int EPOCH = 5;

  TruncationTest() {
    super(1, LATER);
  }

  private void store(int epoch, String... values) {
    ByteBuffer batch = Batches.of(0, values);
    batch.putInt(RecordBatchHeader.PARTITION_LEADER_EPOCH, epoch); // outside of the checksum
    broker.state().store(0, batch);
  }

  private Consumer<String, String> consumer(OffsetReset reset) {
    Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string()).offsetReset(reset)
        .fetchMaxWait(Duration.ofMillis(100)).group("billing").autoCommit(false).open();
    consumer.assign(ScriptedBroker.TOPIC, 0);
    consumer.seek(ScriptedBroker.TOPIC, 0, 0);
    return consumer;
  }

  private List<FetchRequest.FetchPartition> asked() {
    return broker.requests(ApiKey.FETCH).stream().flatMap(r -> r.fetch().topics().stream())
        .flatMap(t -> t.partitions().stream()).toList();
  }

  @Test
  void fetchesSayWhichEpochWasReadLast() throws InterruptedException {
    store(EPOCH - 1, "a");
    store(EPOCH, "b");
    try (Consumer<String, String> consumer = consumer(OffsetReset.NONE)) {
      assertThat(read(consumer, 2)).containsExactly("a", "b");
      broker.await(ApiKey.FETCH, 2);
    }
    assertThat(asked().getFirst().lastFetchedEpoch()).isEqualTo(-1);
    assertThat(asked().get(1).lastFetchedEpoch()).isEqualTo(EPOCH);
  }

  @Test
  void withAResetReadingGoesOnWhereTheLogDiverged() throws InterruptedException {
    store(EPOCH - 1, "a");
    store(EPOCH, "lost", "lost too");
    try (Consumer<String, String> consumer = consumer(OffsetReset.LATEST)) {
      assertThat(read(consumer, 3)).hasSize(3);
      broker.state().truncate(0, 1, EPOCH - 1);
      store(EPOCH + 1, "b", "c");
      assertThat(read(consumer, 2)).containsExactly("b", "c");
      assertThat(consumer.position(ScriptedBroker.TOPIC, 0, LATER)).isEqualTo(3);
    }
    assertThat(client.status().lastErrors()).extracting(ErrorReport::kind).contains(ErrorKind.LOG_TRUNCATED);
  }

  @Test
  void withoutAResetPollSaysUntilASeekWhereTheLogDiverged() throws InterruptedException {
    store(EPOCH - 1, "a");
    store(EPOCH, "lost");
    try (Consumer<String, String> consumer = consumer(OffsetReset.NONE)) {
      assertThat(read(consumer, 2)).hasSize(2);
      broker.state().truncate(0, 1, EPOCH - 1);
      store(EPOCH + 1, "b");
      for (int i = 0; i < 2; i++) {
        assertThat(failureOf(consumer, new ArrayList<>())).isInstanceOfSatisfying(LogTruncatedException.class, e -> {
          assertThat(e.partition()).isEqualTo(new TopicPartition(ScriptedBroker.TOPIC, 0));
          assertThat(e.position()).isEqualTo(2);
          assertThat(e.divergedAt()).isEqualTo(1);
        }).hasMessageContaining("fetch of orders-0: the log was cut off below the position 2 (leader epoch 5)")
            .hasMessageContaining(address()).hasMessageContaining("diverged at offset 1 (leader epoch 4)");
      }
      consumer.seek(ScriptedBroker.TOPIC, 0, 1);
      assertThat(read(consumer, 1)).containsExactly("b");
    }
  }

  /** Records behind the new beginning were once skipped, up to the former position of the application. */
  @Test
  void afterAResetToAnEarlierOffsetRecordsFromThereOnAreHandedOut() throws InterruptedException {
    store(EPOCH, "a", "b", "c");
    try (Consumer<String, String> consumer = consumer(OffsetReset.EARLIEST)) {
      assertThat(read(consumer, 3)).containsExactly("a", "b", "c");
      broker.state().truncate(0, 0, EPOCH);
      store(EPOCH, "x", "y");
      assertThat(read(consumer, 2)).containsExactly("x", "y");
      assertThat(consumer.position(ScriptedBroker.TOPIC, 0, LATER)).isEqualTo(2);
    }
  }

  @Test
  void epochIsCommittedWithThePositionAndTheNextReaderBeginsWithIt() throws InterruptedException {
    store(EPOCH, "a", "b");
    try (Consumer<String, String> consumer = consumer(OffsetReset.NONE)) {
      assertThat(read(consumer, 2)).hasSize(2);
      consumer.commit();
      assertThat(consumer.committed(new TopicPartition(ScriptedBroker.TOPIC, 0)))
          .containsValue(new OffsetAndMetadata(2, EPOCH, ""));
    }
    store(EPOCH, "c");
    int before = asked().size();
    try (Consumer<String, String> next = client.consumer(Serdes.string(), Serdes.string())
        .offsetReset(OffsetReset.NONE).group("billing").open()) {
      next.assign(ScriptedBroker.TOPIC, 0);
      assertThat(read(next, 1)).containsExactly("c");
    }
    assertThat(asked().get(before)).satisfies(p -> {
      assertThat(p.fetchOffset()).isEqualTo(2);
      assertThat(p.lastFetchedEpoch()).isEqualTo(EPOCH);
    });
  }

  /** A follower cannot check a position, so its leader is asked, once for each of its epochs. */
  @Test
  void readerOfFollowersHasTheLeaderCheckItsPosition() throws InterruptedException {
    store(EPOCH, "a", "lost");
    try (ScriptedBroker follower = broker.peer(2);
        Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string())
            .offsetReset(OffsetReset.NONE).fetchMaxWait(Duration.ofMillis(100)).rack("near").open()) {
      broker.always(ApiKey.FETCH, FetchScripts.readFrom(2));
      consumer.assign(ScriptedBroker.TOPIC, 0);
      consumer.seek(ScriptedBroker.TOPIC, 0, 0);
      assertThat(read(consumer, 2)).containsExactly("a", "lost");
      follower.await(ApiKey.FETCH, 2);
      assertThat(broker.requests(ApiKey.OFFSET_FOR_LEADER_EPOCH)).hasSize(1);

      broker.always(ApiKey.OFFSET_FOR_LEADER_EPOCH, exchange -> exchange.answer(FetchScripts.epochEnds(
          (OffsetForLeaderEpochRequest) exchange.request().body(), ErrorCode.NONE, 1)::write));
      broker.state().lead(0, 1);
      follower.always(ApiKey.FETCH, FetchScripts.refusal(ErrorCode.FENCED_LEADER_EPOCH));
      broker.always(ApiKey.FETCH, FetchScripts.refusal(ErrorCode.FENCED_LEADER_EPOCH));
      assertThatThrownBy(() -> read(consumer, 1)).isInstanceOf(LogTruncatedException.class)
          .hasMessageContaining("position 2").hasMessageContaining("diverged at offset 1");
    }
  }
}
