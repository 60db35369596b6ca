package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.Statistic;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.event.ErrorKind;
import dev.decant.kafka.event.ErrorReport;
import dev.decant.kafka.event.ProducerListener;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.SendListener;
import dev.decant.kafka.producer.SendOptions;
import dev.decant.kafka.producer.SendStatus;
import dev.decant.kafka.producer.Transactions;
import dev.decant.kafka.protocol.ApiKey;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Tests producers that are opened before any metadata of their topic. */
class OpenAtOnceTest extends AgainstScriptedBroker {
  OpenAtOnceTest() {
    super(2, LATER);
  }

  private static final class Outcomes implements SendListener {
    private final List<String> all = new CopyOnWriteArrayList<>();

    @Override
    public void onAck(long tag, int partition, long offset, long timestamp) {
      all.add(tag + " in " + partition);
    }

    @Override
    public void onFailure(long tag, KafkaException error) {
      all.add(tag + ": " + error.getMessage());
    }
  }

  private final Outcomes outcomes = new Outcomes();

  @Test
  void recordsAreKeptInTheirOrderUntilThePartitionsAreKnown() throws InterruptedException {
    CountDownLatch known = new CountDownLatch(1);
    broker.next(ApiKey.METADATA, Script.after(known, Script.STANDARD));
    SendOptions first = new SendOptions().partition(1).timestamp(7);
    first.headers().addText("h", "x");
    try (Producer<String, String> producer = producer().openAtOnce()) {
      assertThat(producer.trySend("k", "v0", first, 0, outcomes)).isEqualTo(SendStatus.ACCEPTED);
      producer.send("k", "v1", new SendOptions().partition(1), 1, outcomes);
      producer.send("k", "v2", new SendOptions().partition(1), 2, outcomes);
      assertThat(producer.flush(Duration.ZERO)).as("they are not stored").isFalse();
      known.countDown();
      producer.send("k", "v3", new SendOptions().partition(1), 3, outcomes);
      assertThat(producer.flush(LATER)).isTrue();
    }
    assertThat(broker.state().stored(1)).containsExactly("v0", "v1", "v2", "v3");
    assertThat(outcomes.all).containsExactly("0 in 1", "1 in 1", "2 in 1", "3 in 1");
  }

  @Test
  void waitingForOneRecordNeedsNoOtherThread() throws InterruptedException {
    try (Producer<String, String> producer = producer().openAtOnce()) {
      assertThat(producer.sendAndWait(null, "v").offset()).isZero();
    }
  }

  @Test
  void manyMoreThanTheMemoryHolds() throws InterruptedException {
    CountDownLatch known = new CountDownLatch(1);
    broker.next(ApiKey.METADATA, Script.after(known, Script.STANDARD));
    String value = "x".repeat(10_000);
    int accepted = 0;
    try (Producer<String, String> producer = producer().batchSize(16_384).bufferMemory(262_144).openAtOnce()) {
      while (producer.trySend(null, value, 0, outcomes) == SendStatus.ACCEPTED) {
        accepted++;
      }
      assertThat(accepted).isBetween(20, 26);
      assertThat(producer.trySend(null, value, 0, outcomes)).isEqualTo(SendStatus.METADATA_PENDING);
      known.countDown();
      producer.send(null, value); // waits for the metadata
      assertThat(producer.flush(LATER)).isTrue();
    }
    assertThat(broker.state().stored(0).size() + broker.state().stored(1).size()).isEqualTo(accepted + 1);
    assertThat(outcomes.all).hasSize(accepted);
  }

  /** A sending thread once waited for a monitor while the application's partitioner ran. */
  @Test
  void aPartitionerHoldsUpNoThreadThatSends() throws InterruptedException {
    CountDownLatch known = new CountDownLatch(1);
    CountDownLatch choosing = new CountDownLatch(1);
    CountDownLatch sent = new CountDownLatch(1);
    broker.next(ApiKey.METADATA, Script.after(known, Script.STANDARD));
    AtomicBoolean inTime = new AtomicBoolean();
    try (Producer<String, String> producer = producer().partitioner((key, length, partitions) -> {
      choosing.countDown();
      inTime.set(awaitQuietly(sent));
      return 0;
    }).openAtOnce()) {
      producer.send("k", "a", 0, outcomes);
      known.countDown();
      assertThat(choosing.await(LATER.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(producer.trySend("k", "b", 1, outcomes)).isEqualTo(SendStatus.ACCEPTED);
      sent.countDown();
      assertThat(producer.flush(LATER)).isTrue();
    }
    assertThat(inTime).isTrue();
    assertThat(broker.state().stored(0)).containsExactly("a", "b");
  }

  private static boolean awaitQuietly(CountDownLatch latch) {
    try {
      return latch.await(5, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      return false;
    }
  }

  @Test
  void recordThatNoPartitionCanTakeFailsAndTheOthersGoOn() throws InterruptedException {
    CountDownLatch known = new CountDownLatch(1);
    broker.next(ApiKey.METADATA, Script.after(known, Script.STANDARD));
    try (Producer<String, String> producer = producer().openAtOnce()) {
      producer.send("k", "lost", new SendOptions().partition(99), 0, outcomes);
      producer.send("k", "v", new SendOptions().partition(0), 1, outcomes);
      known.countDown();
      assertThat(producer.flush(LATER)).isTrue();
    }
    assertThat(broker.state().stored(0)).containsExactly("v");
    assertThat(outcomes.all).hasSize(2).anySatisfy(e -> assertThat(e).startsWith("0: ").contains("partition 99"));
  }

  /** Their error said "topic orders: NONE". */
  @Test
  void recordsThatFindNoMemoryInTimeSaySo() throws InterruptedException {
    CountDownLatch known = new CountDownLatch(1);
    CountDownLatch failed = new CountDownLatch(1);
    broker.next(ApiKey.METADATA, Script.after(known, Script.STANDARD));
    broker.always(ApiKey.PRODUCE, Script.SILENCE);
    List<String> errors = new CopyOnWriteArrayList<>();
    Producer<String, String> producer = producer().batchSize(16_384).bufferMemory(262_144)
        .maxBlock(Duration.ofSeconds(2)).openAtOnce();
    while (producer.trySend(null, "x".repeat(10_000), 0, new SendListener() {
      @Override
      public void onAck(long tag, int partition, long offset, long timestamp) {}

      @Override
      public void onFailure(long tag, KafkaException error) {
        errors.add(error.getMessage());
        failed.countDown();
      }
    }) == SendStatus.ACCEPTED) {
      // until the bound is reached
    }
    known.countDown();
    assertThat(failed.await(LATER.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(errors.getFirst()).contains("orders", "wait for memory after 2000 ms");
    producer.close(Duration.ZERO);
  }

  @Test
  void topicThatDoesNotExistIsReportedWhenTheTimeIsOver() throws InterruptedException {
    try (Producer<String, String> producer = producer().topic("nowhere").maxBlock(SOON).openAtOnce()) {
      producer.send(null, "v", 5, outcomes);
      assertThat(producer.flush(LATER)).as("it is over").isTrue();
      assertThat(outcomes.all).hasSize(1).allSatisfy(e -> assertThat(e).startsWith("5: ")
          .contains("topic nowhere", "UNKNOWN_TOPIC_OR_PARTITION"));
    }
  }

  /** Records without a listener once failed in silence: without an event, an error or a count. */
  @Test
  void recordsWithoutAListenerAreReportedWhenTheyFail() throws InterruptedException {
    List<String> failed = new CopyOnWriteArrayList<>();
    client.events().watchProducers(new ProducerListener() {
      @Override
      public void onBatchFailed(String topic, int partition, int records, KafkaException cause) {
        failed.add(topic + " " + partition + ": " + records);
      }
    });
    try (Producer<String, String> producer = producer().topic("nowhere").maxBlock(LATER).openAtOnce()) {
      producer.send("k", "1");
      producer.send("k", "2");
      producer.purge();
      assertThat(failed).as("together").containsExactly("nowhere -1: 2");
      producer.purge();
      producer.send("k", "3");
      producer.close(Duration.ZERO);
    }
    try (Producer<String, String> producer = producer().topic("nowhere").maxBlock(SOON).openAtOnce()) {
      producer.send("k", "4");
      assertThat(producer.flush(LATER)).isTrue();
    }
    assertThat(failed).containsExactly("nowhere -1: 2", "nowhere -1: 1", "nowhere -1: 1");
    assertThat(recordsFailed()).isEqualTo(4);
    assertThat(client.status().lastErrors()).extracting(ErrorReport::where).contains("nowhere");
  }

  private long recordsFailed() {
    KafkaStatistics statistics = new KafkaStatistics();
    client.statistics(statistics);
    return statistics.value(Statistic.RECORDS_FAILED);
  }

  @Test
  void recordThatGetsNoPartitionIsReported() throws InterruptedException {
    CountDownLatch known = new CountDownLatch(1);
    broker.next(ApiKey.METADATA, Script.after(known, Script.STANDARD));
    try (Producer<String, String> producer = producer().openAtOnce()) {
      producer.send("k", "lost", new SendOptions().partition(99), 0, null);
      known.countDown();
      assertThat(producer.flush(LATER)).isTrue();
    }
    assertThat(recordsFailed()).isEqualTo(1);
    assertThat(client.status().lastErrors()).extracting(ErrorReport::kind).contains(ErrorKind.PRODUCE_FAILED);
  }

  @Test
  void purgeAndCloseGiveUpWhatIsKept() {
    broker.always(ApiKey.METADATA, Script.SILENCE);
    Producer<String, String> producer = producer().maxBlock(LATER).openAtOnce();
    producer.send(null, "v", 1, outcomes);
    producer.purge();
    producer.send(null, "v", 2, outcomes);
    producer.close(Duration.ZERO);
    assertThat(outcomes.all).hasSize(2);
    assertThat(outcomes.all.getFirst()).startsWith("1: ").contains("purged");
    assertThat(outcomes.all.getLast()).startsWith("2: ").contains("closed");
    assertThatThrownBy(() -> producer.send(null, "v")).isInstanceOf(KafkaException.class)
        .hasMessageContaining("closed");
  }

  @Test
  void transactionsKeepNothing() throws InterruptedException {
    try (Transactions tx = client.transactions("t").maxBlock(LATER).open()) {
      broker.always(ApiKey.METADATA, Script.SILENCE);
      try (Producer<String, String> producer = producer().topic("other").transactions(tx).maxBlock(SOON).openAtOnce()) {
        tx.begin();
        assertThat(producer.trySend(null, "v", 0, null)).isEqualTo(SendStatus.METADATA_PENDING);
        assertThatThrownBy(() -> producer.send(null, "v")).isInstanceOf(KafkaException.class)
            .hasMessageContaining("topic other");
      }
    }
  }

  @Test
  void closeEndsTheWaitForMetadata() throws InterruptedException {
    broker.always(ApiKey.METADATA, Script.SILENCE);
    Producer<String, String> producer = producer().bufferMemory(262_144).batchSize(16_384).maxBlock(LATER).openAtOnce();
    String half = "x".repeat(140_000);
    producer.send(null, half);
    Thread sender = Thread.ofVirtual().start(() -> assertThatThrownBy(() -> producer.send(null, half))
        .hasMessageContaining("closed"));
    broker.await(ApiKey.METADATA, 1);
    producer.close(Duration.ZERO);
    assertThat(sender.join(Duration.ofSeconds(10))).as("ended long before maxBlock").isTrue();
  }
}
