package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.event.ConsumerListener;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.message.FetchRequest;
import dev.decant.kafka.serialization.Serdes;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Tests that seeks between two polls only look up positions. A broker holds a fetch at the end of the log for {@code
 * fetch.max.wait.ms}, and a session has one fetch in flight: the fetch of the next poll once had to wait for it.
 */
class SeekBetweenPollsTest extends AgainstScriptedBroker {
  private static final TopicPartition ORDERS = new TopicPartition(ScriptedBroker.TOPIC, 0);
  private static final int RECORDS = 20;

  private final AtomicInteger fetched = new AtomicInteger();

  SeekBetweenPollsTest() {
    super(2, LATER);
    var unused = client.events().watchConsumers(new ConsumerListener() {
      @Override
      public void onFetched(String address, int partitions, int bytes) {
        fetched.incrementAndGet();
      }
    });
  }

  /** Opens a consumer with one batch in each response. */
  private Consumer<String, String> open() {
    for (int i = 0; i < RECORDS; i++) {
      broker.state().store(0, "v" + i);
    }
    return client.consumer(Serdes.string(), Serdes.string()).offsetReset(OffsetReset.EARLIEST)
        .maxPartitionFetchBytes(1).maxPollRecords(1).open();
  }

  private List<Long> fetchOffsets() {
    return broker.requests(ApiKey.FETCH).stream().flatMap(r -> r.fetch().topics().stream())
        .flatMap(t -> t.partitions().stream()).filter(p -> p.partition() == 0)
        .map(FetchRequest.FetchPartition::fetchOffset).toList();
  }

  private void awaitFetched(int count) {
    long deadline = System.nanoTime() + LATER.toNanos();
    while (fetched.get() < count && deadline - System.nanoTime() > 0) {
      Thread.onSpinWait();
    }
    assertThat(fetched.get()).isGreaterThanOrEqualTo(count);
  }

  /** Programs that find the ends of a log by seeks once waited half a second in each poll. */
  @Test
  void positionsOfEndsAreFoundWithoutAFetchThere() throws InterruptedException {
    try (Consumer<String, String> consumer = open()) {
      consumer.assign(ORDERS.topic(), 0);
      CountDownLatch permission = new CountDownLatch(1);
      broker.next(ApiKey.FETCH, Script.STANDARD, Script.after(permission, Script.STANDARD));
      assertThat(read(consumer, 1)).containsExactly("v0");
      broker.await(ApiKey.FETCH, 2);
      consumer.seekToBeginning(List.of(ORDERS));
      assertThat(consumer.position(ORDERS.topic(), 0, LATER)).isZero();
      consumer.seekToEnd(List.of(ORDERS));
      assertThat(consumer.position(ORDERS.topic(), 0, LATER)).isEqualTo(RECORDS);
      permission.countDown();
      awaitFetched(2); // and the next fetch has left, if there is one
      consumer.seek(ORDERS.topic(), 0, 5);
      assertThat(read(consumer, 1)).containsExactly("v5");
    }
    assertThat(fetchOffsets()).doesNotContain((long) RECORDS);
  }

  /** The first position is that of offsetReset, which most programs change at once. */
  @Test
  void nothingIsFetchedBeforeTheFirstPoll() throws InterruptedException {
    try (Consumer<String, String> consumer = open()) {
      consumer.assign(ORDERS.topic(), 0);
      assertThat(consumer.position(ORDERS.topic(), 0, LATER)).isZero();
      consumer.seekToEnd();
      assertThat(consumer.position(ORDERS.topic(), 0, LATER)).isEqualTo(RECORDS);
      consumer.seek(ORDERS.topic(), 0, 7);
      assertThat(consumer.endOffsets(ORDERS)).containsEntry(ORDERS, (long) RECORDS);
      assertThat(broker.requests(ApiKey.FETCH)).isEmpty();
      assertThat(read(consumer, 1)).containsExactly("v7");
    }
    assertThat(fetchOffsets()).startsWith(7L);
  }

  @Test
  void committedPositionOfAnAssignedPartitionIsFetchedByThePoll() throws InterruptedException {
    for (int i = 0; i < RECORDS; i++) {
      broker.state().store(0, "v" + i);
    }
    try (Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string()).group("billing")
        .offsetReset(OffsetReset.LATEST).open()) {
      consumer.assign(ORDERS.topic(), 0);
      assertThat(consumer.position(ORDERS.topic(), 0, LATER)).isEqualTo(RECORDS);
      consumer.seek(ORDERS.topic(), 0, 3);
      assertThat(consumer.endOffsets(ORDERS)).containsEntry(ORDERS, (long) RECORDS);
      assertThat(broker.requests(ApiKey.FETCH)).isEmpty();
      assertThat(read(consumer, RECORDS - 3)).startsWith("v3", "v4");
    }
  }

  /** A seek in the handler of a poll is fetched at once: no other seek is expected. */
  @Test
  void seekInAPollIsFetchedBeforeTheNextPoll() throws InterruptedException {
    try (Consumer<String, String> consumer = open()) {
      consumer.assign(ORDERS.topic(), 0);
      int count = 0;
      while (count == 0) {
        count = consumer.poll(LATER, record -> consumer.seek(ORDERS.topic(), 0, 11));
      }
      broker.await(ApiKey.FETCH, seen -> fetchOffsets().contains(11L));
      assertThat(read(consumer, 1)).containsExactly("v11");
    }
  }

  /** Only the partition with the seek waits: others are fetched meanwhile. */
  @Test
  void seekHoldsUpNoOtherPartition() throws InterruptedException {
    broker.state().store(1, "w0");
    try (Consumer<String, String> consumer = open()) {
      consumer.assign(ORDERS.topic(), 1);
      assertThat(read(consumer, 1)).containsExactly("w0");
      consumer.assign(ORDERS.topic(), 0, 1);
      broker.state().store(1, "w1");
      long deadline = System.nanoTime() + LATER.toNanos();
      while (consumer.currentLag(ORDERS.topic(), 1) != 1 && deadline - System.nanoTime() > 0) {
        Thread.onSpinWait();
      }
      assertThat(fetchOffsets()).isEmpty();
      assertThat(read(consumer, 2)).containsExactlyInAnyOrder("w1", "v0");
    }
  }
}
