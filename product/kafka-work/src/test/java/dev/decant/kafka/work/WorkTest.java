package dev.decant.kafka.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.fake.FakeCluster;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Records are worked on in parallel, in their order, and none is lost or done twice. */
@Timeout(60)
class WorkTest {
  private static final int PARTITIONS = 3;
  private static final int KEYS = 40;

  private FakeCluster kafka;
  private KafkaClient client;

  @BeforeEach
  void start() {
    kafka = FakeCluster.builder().topic("orders", PARTITIONS).topic("orders-dead", 1).start();
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
    return Work.on(client, Serdes.string(), Serdes.string()).group("billing").subscribe("orders")
        .commitEvery(Duration.ofMillis(50), Integer.MAX_VALUE);
  }

  static List<UnaryOperator<WorkBuilder<String, String>>> places() {
    return List.of(WorkBuilder::onPlatformThreads, WorkBuilder::onVirtualThreads, WorkBuilder::onPollingThread,
        work -> work.on(Executors.newCachedThreadPool(task -> {
          Thread thread = new Thread(task);
          thread.setDaemon(true);
          return thread;
        })));
  }

  @ParameterizedTest
  @MethodSource("places")
  void eachRecordIsDoneOnceAndInTheOrderOfItsKey(UnaryOperator<WorkBuilder<String, String>> place) throws Exception {
    send(3_000);
    Map<String, List<Integer>> byKey = new ConcurrentHashMap<>();
    Map<String, AtomicInteger> running = new ConcurrentHashMap<>();
    AtomicInteger together = new AtomicInteger();
    CountDownLatch all = new CountDownLatch(3_000);
    try (Work work = place.apply(work().concurrency(8)).open(record -> {
      if (running.computeIfAbsent(record.key(), key -> new AtomicInteger()).incrementAndGet() > 1) {
        together.incrementAndGet();
      }
      byKey.computeIfAbsent(record.key(), key -> Collections.synchronizedList(new ArrayList<>()))
          .add(Integer.parseInt(record.value()));
      running.get(record.key()).decrementAndGet();
      all.countDown();
    })) {
      assertThat(all.await(20, TimeUnit.SECONDS)).as(work.status().toString()).isTrue();
      assertThat(work.drain(Duration.ofSeconds(10))).isTrue();
      assertThat(work.status().done()).isEqualTo(3_000);
    }
    assertThat(together).hasValue(0);
    assertThat(byKey).hasSize(KEYS);
    byKey.forEach((key, values) -> assertThat(values).as(key).isSorted().doesNotHaveDuplicates()
        .hasSize(3_000 / KEYS));
    assertThat(committed()).isEqualTo(3_000);
  }

  private long committed() throws InterruptedException {
    long sum = 0;
    try (var reader = client.consumer(Serdes.string(), Serdes.string()).group("billing").open()) {
      for (int p = 0; p < PARTITIONS; p++) {
        var offset = reader.committed(new dev.decant.kafka.TopicPartition("orders", p)).values();
        sum += offset.stream().mapToLong(o -> o.offset()).sum();
      }
    }
    return sum;
  }
}
