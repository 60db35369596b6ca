package dev.decant.kafka.work.apache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.kafka.work.Retry;
import dev.decant.kafka.work.RetryTopics;
import dev.decant.kafka.work.Work;
import dev.decant.kafka.work.WorkBuilder;
import dev.decant.kafka.work.WorkHandler;
import dev.decant.kafka.work.WorkStatus;
import dev.decant.testkit.KafkaCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Work on Apache's clients, and on Decant's behind Apache's interfaces, against a broker of Apache's. */
@Tag("full")
@Timeout(120)
class ApacheWorkBrokerTest {
  private static final int PARTITIONS = 3;
  private static final int KEYS = 40;

  private static KafkaCluster kafka;
  private static KafkaClient client;

  /** Topics and group of this test, since all tests share the broker. */
  private String orders = "";

  @BeforeAll
  static void start() {
    kafka = KafkaCluster.builder().setting("group.consumer.heartbeat.interval.ms", "300")
        .setting("group.consumer.migration.policy", "bidirectional")
        .setting("group.initial.rebalance.delay.ms", "0").start();
    client = KafkaClient.connect(kafka.bootstrap());
  }

  @AfterAll
  static void stop() {
    client.close();
    kafka.close();
  }

  @BeforeEach
  void create() {
    orders = kafka.createTopic(PARTITIONS);
    kafka.createTopic(orders + "-dead", 1);
  }

  private void send(int records) throws InterruptedException {
    send(0, records);
  }

  private void send(int from, int to) throws InterruptedException {
    try (Producer<String, String> producer = client.producer(Serdes.string(), Serdes.string()).topic(orders).open()) {
      for (int i = from; i < to; i++) {
        producer.send("key-" + i % KEYS, Integer.toString(i));
      }
    }
  }

  private WorkBuilder<String, String> work(Clients clients) {
    return ApacheWork.on(clients.at(kafka.bootstrap()), new StringDeserializer(), new StringDeserializer())
        .group(orders).subscribe(orders).commitEvery(Duration.ofMillis(50), Integer.MAX_VALUE);
  }

  private static void await(Work work, Predicate<WorkStatus> until) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    String last = "no status";
    while (true) {
      try {
        WorkStatus status = work.status();
        if (until.test(status)) {
          return;
        }
        last = status.toString();
      } catch (KafkaTimeoutException e) { // a consumer that waits for a slow machine keeps the polling thread
        last = e.toString();
      }
      assertThat(System.nanoTime()).as(last).isLessThan(deadline);
      LockSupport.parkNanos(5_000_000);
    }
  }

  @ParameterizedTest
  @EnumSource
  void whileMembersComeAndGoEachRecordIsDoneOnceInItsOrder(Clients clients) throws Exception {
    Map<String, List<Integer>> byKey = new ConcurrentHashMap<>();
    WorkHandler<String, String> handler = record -> {
      byKey.computeIfAbsent(record.key(), key -> Collections.synchronizedList(new ArrayList<>()))
          .add(Integer.parseInt(record.value()));
      LockSupport.parkNanos(200_000);
    };
    send(3_000);
    try (Work stays = work(clients).concurrency(4).maxUnderWay(60, 30).open(handler)) {
      await(stays, status -> status.done() >= 100);
      try (Work goes = work(clients).concurrency(4).maxUnderWay(60, 30).open(handler)) {
        await(goes, status -> !status.partitions().isEmpty());
        send(3_000, 6_000); // all others may be done by now
        await(goes, status -> status.done() > 0);
      }
      await(stays, status -> byKey.values().stream().mapToInt(List::size).sum() >= 6_000);
      assertThat(stays.drain(Duration.ofSeconds(20))).isTrue();
    }
    assertThat(byKey).hasSize(KEYS);
    byKey.forEach((key, values) -> assertThat(values).as(key).isSorted().doesNotHaveDuplicates()
        .hasSize(6_000 / KEYS));
  }

  @ParameterizedTest
  @EnumSource
  void aFailedRecordGoesThroughRetryTopicsThatTheWorkCreatesToTheDeadLetters(Clients clients) throws Exception {
    send(KEYS);
    List<String> ofKey = Collections.synchronizedList(new ArrayList<>());
    RetryTopics topics = RetryTopics.named(orders + "-retry", Duration.ofMillis(50), Duration.ofMillis(100))
        .create(1, Duration.ofDays(1));
    try (Work work = work(clients).deadLetters(orders + "-dead").retry(Retry.none().then(topics))
        .open((record, context) -> {
          if ("key-3".equals(record.key())) {
            ofKey.add(record.topic() + "/" + context.attempt());
            throw new IllegalStateException("bad");
          }
        })) {
      await(work, status -> status.done() == KEYS - 1 && status.failedRecords() == 1);
      assertThat(work.drain(Duration.ofSeconds(20))).isTrue();
    }
    assertThat(ofKey).containsExactly(orders + "/1", orders + "-retry-1/2", orders + "-retry-2/3");
    assertThat(kafka.endOffsets(orders + "-dead")).containsExactly(1);
  }

  @ParameterizedTest
  @EnumSource
  void decantsClientGoesOnWhereApachesHasEnded(Clients clients) throws Exception {
    send(3_000);
    Set<String> first = ConcurrentHashMap.newKeySet();
    CountDownLatch forEver = new CountDownLatch(1);
    Work work = work(clients).concurrency(4).maxUnderWay(3_000, 3_000).open(record -> {
      if ("0".equals(record.value())) {
        forEver.await();
      }
      first.add(record.value());
    });
    await(work, status -> status.done() == 3_000 - 3_000 / KEYS); // all other keys
    work.close(Duration.ZERO);

    List<String> second = Collections.synchronizedList(new ArrayList<>());
    try (Work next = Work.on(client, Serdes.string(), Serdes.string()).group(orders).subscribe(orders)
        .consumer(consumer -> consumer.groupProtocol(clients.protocol())).open(record -> second.add(record.value()))) {
      await(next, status -> status.done() == 3_000 / KEYS);
      assertThat(next.drain(Duration.ofSeconds(20))).isTrue();
    }
    assertThat(second).hasSize(3_000 / KEYS).doesNotContainAnyElementsOf(first);
  }
}
