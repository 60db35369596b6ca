package dev.decant.kafka.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.fake.FakeCluster;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.IsolationLevel;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Handlers of batches produce results, each with the record that it follows from. */
@Timeout(60)
class WorkTransactionsBatchTest {
  private static final int KEYS = 7;
  private static final ResultTopic<String, String> BILLS = ResultTopic.of("bills", Serdes.string(), Serdes.string());

  private FakeCluster kafka;
  private KafkaClient client;

  @BeforeEach
  void start() {
    kafka = FakeCluster.builder().inMemory().topic("orders", 2).topic("bills", 1).start();
    client = KafkaClient.connect(kafka.bootstrap());
  }

  @AfterEach
  void stop() {
    client.close();
    kafka.close();
  }

  private void send(int records) throws InterruptedException {
    try (Producer<String, String> orders = client.producer(Serdes.string(), Serdes.string()).topic("orders").open()) {
      for (int i = 0; i < records; i++) {
        orders.send("key-" + i % KEYS, Integer.toString(i));
      }
    }
  }

  private WorkBuilder<String, String> work() {
    return Work.on(client, Serdes.string(), Serdes.string()).group("billing").subscribe("orders").concurrency(3)
        .retry(Retry.inPlace(3, Duration.ofMillis(1)));
  }

  private WorkBuilder<String, String> exactlyOnce() {
    return work().exactlyOnce("billing-1").transactionEvery(Duration.ofMillis(10), 100);
  }

  private static void awaitDone(Work work, int records) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    for (WorkStatus status = work.status(); status.done() < records; status = work.status()) {
      assertThat(System.nanoTime()).as(status.toString()).isLessThan(deadline);
      LockSupport.parkNanos(1_000_000);
    }
    assertThat(work.drain(Duration.ofSeconds(20))).as(work.status().toString()).isTrue();
  }

  private List<String> bills() throws InterruptedException {
    List<String> records = new ArrayList<>();
    try (Consumer<String, String> reader = client.consumer(Serdes.string(), Serdes.string())
        .isolationLevel(IsolationLevel.READ_COMMITTED).offsetReset(OffsetReset.EARLIEST).open()) {
      reader.assign("bills", 0);
      long end = reader.endOffsets(new TopicPartition("bills", 0)).values().iterator().next();
      while (reader.position("bills", 0, Duration.ofSeconds(10)) < end) {
        reader.poll(Duration.ofMillis(100), record -> records.add(record.value()));
      }
    }
    return records;
  }

  @ParameterizedTest
  @EnumSource(Order.class)
  void resultsOfBatchesComeOnceThoughBatchesFail(Order order) throws Exception {
    // Results of a record that waited for another of its batch were not dropped when the batch failed.
    send(1_000);
    AtomicInteger largest = new AtomicInteger();
    AtomicInteger failed = new AtomicInteger();
    try (Work work = exactlyOnce().order(order).openBatches(20, (records, contexts) -> {
      assertThat(contexts).hasSameSizeAs(records);
      largest.accumulateAndGet(records.size(), Math::max);
      boolean isBad = false;
      for (int i = 0; i < records.size(); i++) {
        contexts.get(i).produce(BILLS, records.get(i).key(), records.get(i).value());
        isBad |= Integer.parseInt(records.get(i).value()) % 97 == 5 && contexts.get(i).attempt() < 3;
      }
      if (isBad) {
        failed.incrementAndGet();
        throw new IllegalStateException("not yet");
      }
    })) {
      awaitDone(work, 1_000);
    }
    assertThat(largest.get()).isBetween(2, 20);
    assertThat(failed.get()).isPositive();
    List<String> bills = bills();
    assertThat(bills).containsExactlyInAnyOrderElementsOf(
        IntStream.range(0, 1_000).mapToObj(Integer::toString).toList());
    if (order == Order.BY_KEY) {
      for (int key = 0; key < KEYS; key++) {
        int remainder = key;
        assertThat(bills.stream().map(Integer::parseInt).filter(value -> value % KEYS == remainder)).as("key-%s", key)
            .isSorted();
      }
    }
  }

  @Test
  void aContextTakesResultsUntilTheHandlerReturnsAndOnItsThreadAlone() throws Exception {
    send(1);
    AtomicReference<WorkContext> kept = new AtomicReference<>();
    AtomicReference<Throwable> elsewhere = new AtomicReference<>();
    try (Work work = exactlyOnce().openBatches(5, (records, contexts) -> {
      WorkContext context = contexts.get(0);
      kept.set(context);
      Thread other = Thread.ofPlatform().start(() -> {
        try {
          context.produce(BILLS, "k", "v");
        } catch (IllegalStateException e) {
          elsewhere.set(e);
        }
      });
      other.join();
      assertThatThrownBy(() -> contexts.get(1)).isInstanceOf(IndexOutOfBoundsException.class);
    })) {
      awaitDone(work, 1);
      assertThat(elsewhere.get()).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> kept.get().produce(BILLS, "k", "v")).isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("too late");
    }
    assertThat(bills()).isEmpty();
  }

  @Test
  void withoutTransactionsContextsSayWhereRecordsComeFrom() throws Exception {
    send(10);
    Map<String, RecordOrigin> origins = new ConcurrentHashMap<>();
    AtomicReference<Throwable> refusal = new AtomicReference<>();
    try (Work work = work().openBatches(10, (records, contexts) -> {
      for (int i = 0; i < records.size(); i++) {
        origins.put(records.get(i).value(), contexts.get(i).origin());
        assertThat(contexts.get(i).origin().offset()).isEqualTo(records.get(i).offset());
        assertThat(contexts.get(i).isCancelled()).isFalse();
      }
      try {
        contexts.get(0).produce(BILLS, "k", "v");
      } catch (IllegalStateException e) {
        refusal.set(e);
      }
    })) {
      awaitDone(work, 10);
    }
    assertThat(origins).hasSize(10).allSatisfy((value, origin) -> assertThat(origin.topic()).isEqualTo("orders"));
    assertThat(refusal.get()).hasMessageContaining("exactlyOnce");
  }
}
