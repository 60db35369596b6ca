package dev.decant.kafka.work.apache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fake.FakeCluster;
import dev.decant.fake.Fault;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.consumer.OwnedRecord;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.kafka.work.Order;
import dev.decant.kafka.work.Retry;
import dev.decant.kafka.work.RetryTopics;
import dev.decant.kafka.work.Work;
import dev.decant.kafka.work.WorkBuilder;
import dev.decant.kafka.work.WorkHandler;
import dev.decant.kafka.work.WorkListener;
import dev.decant.kafka.work.WorkStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Work on Apache's clients, and on Decant's behind Apache's interfaces, does what it does on Decant's own. */
@Timeout(60)
class ApacheWorkTest {
  private static final int PARTITIONS = 3;
  private static final int KEYS = 40;

  private FakeCluster kafka;
  private KafkaClient client;

  @BeforeEach
  void start() {
    kafka = FakeCluster.builder().topic("orders", PARTITIONS).topic("orders-dead", 1)
        .setting("group.consumer.heartbeat.interval.ms", "100").start();
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

  private WorkBuilder<String, String> work(Clients clients) {
    return ApacheWork.on(clients.at(kafka.bootstrap()), new StringDeserializer(), new StringDeserializer())
        .group("billing").subscribe("orders").commitEvery(Duration.ofMillis(50), Integer.MAX_VALUE);
  }

  private static void awaitDone(Work work, long done, long failed) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(25);
    WorkStatus status = work.status();
    while (status.done() < done || status.failedRecords() < failed) {
      assertThat(System.nanoTime()).as(status.toString()).isLessThan(deadline);
      LockSupport.parkNanos(1_000_000);
      status = work.status();
    }
  }

  private long committed() throws InterruptedException {
    long sum = 0;
    try (var reader = client.consumer(Serdes.string(), Serdes.string()).group("billing").open()) {
      for (int p = 0; p < PARTITIONS; p++) {
        var offset = reader.committed(new TopicPartition("orders", p)).values();
        sum += offset.stream().mapToLong(o -> o.offset()).sum();
      }
    }
    return sum;
  }

  private List<OwnedRecord<String, String>> read(String topic, int count) throws InterruptedException {
    List<OwnedRecord<String, String>> records = new ArrayList<>();
    try (Consumer<String, String> reader = client.consumer(Serdes.string(), Serdes.string())
        .offsetReset(OffsetReset.EARLIEST).open()) {
      reader.assign(topic, 0);
      for (int polls = 0; records.size() < count && polls < 20; polls++) {
        reader.poll(Duration.ofSeconds(1), record -> records.add(record.copy()));
      }
    }
    assertThat(records).hasSize(count);
    return records;
  }

  @ParameterizedTest
  @EnumSource
  void eachRecordIsDoneOnceAndInTheOrderOfItsKey(Clients clients) throws Exception {
    send(3_000);
    Map<String, List<Integer>> byKey = new ConcurrentHashMap<>();
    Map<String, AtomicInteger> running = new ConcurrentHashMap<>();
    AtomicInteger together = new AtomicInteger();
    try (Work work = work(clients).concurrency(8).open(record -> {
      if (running.computeIfAbsent(record.key(), key -> new AtomicInteger()).incrementAndGet() > 1) {
        together.incrementAndGet();
      }
      byKey.computeIfAbsent(record.key(), key -> Collections.synchronizedList(new ArrayList<>()))
          .add(Integer.parseInt(record.value()));
      running.get(record.key()).decrementAndGet();
    })) {
      awaitDone(work, 3_000, 0);
      assertThat(work.drain(Duration.ofSeconds(10))).isTrue();
      assertThat(work.status().partitions()).hasSize(PARTITIONS)
          .allSatisfy(partition -> assertThat(partition.lag()).isZero());
    }
    assertThat(together).hasValue(0);
    assertThat(byKey).hasSize(KEYS);
    byKey.forEach((key, values) -> assertThat(values).as(key).isSorted().doesNotHaveDuplicates()
        .hasSize(3_000 / KEYS));
    assertThat(committed()).isEqualTo(3_000);
  }

  @ParameterizedTest
  @EnumSource
  void aRecordIsRetriedInPlaceAndThenADeadLetter(Clients clients) throws Exception {
    send(4 * KEYS);
    List<String> attempts = Collections.synchronizedList(new ArrayList<>());
    try (Work work = work(clients).deadLetters("orders-dead").retry(Retry.inPlace(2, Duration.ofMillis(1)))
        .open((record, context) -> {
          if ("key-7".equals(record.key())) {
            attempts.add(record.value() + "/" + context.attempt());
            if ("7".equals(record.value())) {
              throw new IllegalStateException("bad");
            }
          }
        })) {
      awaitDone(work, 4 * KEYS - 1, 1);
      assertThat(work.drain(Duration.ofSeconds(10))).isTrue();
    }
    assertThat(attempts).containsExactly("7/1", "7/2", "7/3", "47/1", "87/1", "127/1");
    OwnedRecord<String, String> letter = read("orders-dead", 1).getFirst();
    assertThat(letter.key()).isEqualTo("key-7");
    assertThat(letter.value()).isEqualTo("7");
    assertThat(letter.headers()).anySatisfy(header -> {
      assertThat(header.key()).isEqualTo("dead-letter.message");
      assertThat(header.value()).asString().isEqualTo("bad");
    });
    assertThat(committed()).isEqualTo(4 * KEYS);
  }

  @ParameterizedTest
  @EnumSource
  void nothingIsCommittedPastARecordWhoseDeadLetterIsNotStored(Clients clients) throws Exception {
    send(KEYS);
    Fault fault = kafka.faults().on(ApiKey.PRODUCE).topic("orders-dead").every()
        .answer(ErrorCode.TOPIC_AUTHORIZATION_FAILED);
    CountDownLatch problem = new CountDownLatch(2);
    try (Work work = work(clients).order(Order.NONE).deadLetters("orders-dead").listener(new WorkListener() {
      @Override
      public void onProblem(String what, Throwable error) {
        problem.countDown();
      }
    }).open(record -> {
      if (record.offset() == 0) {
        throw new IllegalStateException("bad");
      }
    })) {
      assertThat(problem.await(20, TimeUnit.SECONDS)).isTrue();
      awaitDone(work, KEYS - PARTITIONS, PARTITIONS);
      assertThat(work.status().problem()).contains("orders-dead").contains("offset 0");
      assertThat(committed()).isZero();
      fault.end();
      assertThat(work.drain(Duration.ofSeconds(20))).as(work.status().toString()).isTrue();
      assertThat(work.status().isHealthy()).isTrue();
    }
    assertThat(committed()).isEqualTo(KEYS);
    read("orders-dead", PARTITIONS);
  }

  @ParameterizedTest
  @EnumSource
  void aFailedRecordGoesThroughRetryTopicsThatTheWorkCreates(Clients clients) throws Exception {
    send(KEYS);
    List<String> ofKey = Collections.synchronizedList(new ArrayList<>());
    RetryTopics topics = RetryTopics.named("orders-retry", Duration.ofMillis(50), Duration.ofMillis(100))
        .create(1, Duration.ofDays(1));
    try (Work work = work(clients).deadLetters("orders-dead").retry(Retry.none().then(topics))
        .open((record, context) -> {
          if ("key-3".equals(record.key())) {
            ofKey.add(record.topic());
            throw new IllegalStateException("bad");
          }
        })) {
      awaitDone(work, KEYS - 1, 1);
      assertThat(work.drain(Duration.ofSeconds(10))).isTrue();
    }
    assertThat(ofKey).containsExactly("orders", "orders-retry-1", "orders-retry-2");
    assertThat(read("orders-dead", 1).getFirst().value()).isEqualTo("3");
  }

  @ParameterizedTest
  @EnumSource
  void noMoreIsTakenThanTheBoundsAllow(Clients clients) throws Exception {
    send(2_000);
    CountDownLatch go = new CountDownLatch(1);
    AtomicInteger begun = new AtomicInteger();
    try (Work work = work(clients).order(Order.NONE).concurrency(5).maxUnderWay(50, 20).open(record -> {
      begun.incrementAndGet();
      go.await();
    })) {
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
      WorkStatus status = work.status();
      while (status.underWay() < 50 || begun.get() < 5) {
        assertThat(System.nanoTime()).as(status.toString()).isLessThan(deadline);
        LockSupport.parkNanos(1_000_000);
        status = work.status();
      }
      for (int looks = 0; looks < 5; looks++) {
        status = work.status();
        assertThat(status.underWay()).isEqualTo(50);
        assertThat(status.partitions()).hasSize(PARTITIONS)
            .allSatisfy(partition -> assertThat(partition.underWay()).isLessThanOrEqualTo(20));
      }
      assertThat(status.partitions().stream().mapToLong(partition -> partition.lag()).sum()).isEqualTo(1_950);
      assertThat(begun).hasValue(5);
      go.countDown();
      awaitDone(work, 2_000, 0);
    }
    assertThat(committed()).isEqualTo(2_000);
  }

  @ParameterizedTest
  @EnumSource
  void aPausedWorkTakesNothingAndStaysInItsGroup(Clients clients) throws Exception {
    send(KEYS);
    try (Work work = work(clients).open(record -> {})) {
      awaitDone(work, KEYS, 0);
      work.pause();
      assertThat(work.status().state()).isEqualTo(WorkStatus.State.PAUSED);
      send(KEYS);
      for (int looks = 0; looks < 5; looks++) {
        assertThat(work.status().done()).isEqualTo(KEYS);
      }
      assertThat(work.status().partitions()).hasSize(PARTITIONS);
      work.resume();
      awaitDone(work, 2 * KEYS, 0);
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatWasDoneBehindAnUnfinishedRecordIsNotDoneAgain(Clients clients) throws Exception {
    send(3_000);
    Set<String> first = ConcurrentHashMap.newKeySet();
    CountDownLatch forEver = new CountDownLatch(1);
    Work work = work(clients).concurrency(4).maxUnderWay(3_000, 3_000).open(record -> {
      if ("0".equals(record.value())) {
        forEver.await();
      }
      first.add(record.value());
    });
    awaitDone(work, 3_000 - 3_000 / KEYS, 0); // all other keys
    work.close(Duration.ZERO);

    List<String> second = Collections.synchronizedList(new ArrayList<>());
    try (Work next = Work.on(client, Serdes.string(), Serdes.string()).group("billing").subscribe("orders")
        .open(record -> second.add(record.value()))) { // Decant's own client goes on where Apache's ended
      awaitDone(next, 3_000 / KEYS, 0);
      assertThat(next.drain(Duration.ofSeconds(10))).isTrue();
    }
    assertThat(second).hasSize(3_000 / KEYS).doesNotContainAnyElementsOf(first);
    assertThat(committed()).isEqualTo(3_000);
  }

  @ParameterizedTest
  @EnumSource
  void aMemberThatJoinsGetsWhatIsNotDoneAndNothingElse(Clients clients) throws Exception {
    send(2_000);
    List<String> done = Collections.synchronizedList(new ArrayList<>());
    CountDownLatch all = new CountDownLatch(4_000);
    WorkHandler<String, String> handler = record -> {
      done.add(record.value());
      all.countDown();
      LockSupport.parkNanos(50_000);
    };
    // a poll returns 500 records, so some are left in the rebalance
    try (Work one = work(clients).concurrency(4).maxUnderWay(60, 30).open(handler)) {
      awaitDone(one, 200, 0);
      try (Work two = work(clients).concurrency(4).maxUnderWay(60, 30).open(handler)) {
        send(2_000);
        assertThat(all.await(40, TimeUnit.SECONDS)).as(one.status() + " " + two.status()).isTrue();
        assertThat(two.drain(Duration.ofSeconds(10))).isTrue();
        assertThat(one.drain(Duration.ofSeconds(10))).isTrue();
      }
    }
    assertThat(done).hasSize(4_000);
    assertThat(committed()).isEqualTo(4_000);
  }

  /** Members leave in good order, so nothing is done twice, whatever records they had polled and not taken. */
  @ParameterizedTest
  @EnumSource
  void whileMembersComeAndGoEachRecordIsDoneOnceInItsOrder(Clients clients) throws Exception {
    Map<String, List<Integer>> byKey = new ConcurrentHashMap<>();
    WorkHandler<String, String> handler = record -> {
      byKey.computeIfAbsent(record.key(), key -> Collections.synchronizedList(new ArrayList<>()))
          .add(Integer.parseInt(record.value()));
      LockSupport.parkNanos(100_000);
    };
    send(6_000);
    try (Work stays = work(clients).concurrency(4).maxUnderWay(60, 30).open(handler)) {
      for (int round = 1; round <= 3; round++) {
        awaitDone(stays, 100L * round, 0);
        try (Work goes = work(clients).concurrency(4).maxUnderWay(60, 30).open(handler)) {
          awaitAssigned(goes);
        }
      }
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(25);
      while (byKey.values().stream().mapToInt(List::size).sum() < 6_000) {
        assertThat(System.nanoTime()).as(stays.status().toString()).isLessThan(deadline);
        LockSupport.parkNanos(1_000_000);
      }
      assertThat(stays.drain(Duration.ofSeconds(10))).isTrue();
    }
    byKey.forEach((key, values) -> assertThat(values).as(key).isSorted().doesNotHaveDuplicates()
        .hasSize(6_000 / KEYS));
    assertThat(committed()).isEqualTo(6_000);
  }

  @ParameterizedTest
  // a group needs an assignor that all members have
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "APACHE_COOPERATIVE")
  void aMemberOnDecantsClientSharesTheGroup(Clients clients) throws Exception {
    List<String> done = Collections.synchronizedList(new ArrayList<>());
    WorkHandler<String, String> handler = record -> done.add(record.value());
    try (Work apaches = work(clients).open(handler);
        Work decants = Work.on(client, Serdes.string(), Serdes.string()).group("billing").subscribe("orders")
            .consumer(consumer -> consumer.groupProtocol(clients.protocol())).open(handler)) {
      awaitAssigned(decants);
      awaitAssigned(apaches);
      send(2_000);
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(25);
      while (done.size() < 2_000) {
        assertThat(System.nanoTime()).as(apaches.status() + " " + decants.status()).isLessThan(deadline);
        LockSupport.parkNanos(1_000_000);
      }
      assertThat(apaches.status().done()).isPositive();
      assertThat(decants.status().done()).isPositive();
      assertThat(apaches.drain(Duration.ofSeconds(10))).isTrue();
      assertThat(decants.drain(Duration.ofSeconds(10))).isTrue();
    }
    assertThat(done).doesNotHaveDuplicates().hasSize(2_000);
    assertThat(committed()).isEqualTo(2_000);
  }

  private static void awaitAssigned(Work work) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (work.status().partitions().isEmpty()) {
      assertThat(System.nanoTime()).as(work.status().toString()).isLessThan(deadline);
      LockSupport.parkNanos(1_000_000);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aHandlerThatHangsDoesNotKeepTheWorkFromItsEnd(Clients clients) throws Exception {
    send(KEYS);
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    Work work = work(clients).revocationTimeout(Duration.ofDays(1)).open(record -> {
      if ("3".equals(record.value())) {
        begun.countDown();
        boolean isOver = false;
        while (!isOver) {
          try {
            isOver = go.await(1, TimeUnit.MINUTES);
          } catch (InterruptedException e) {
            isOver = false; // the handler ignores the interrupt
          }
        }
      }
    });
    assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
    awaitDone(work, KEYS - 1, 0);
    work.close(Duration.ZERO);
    assertThat(work.status().state()).isEqualTo(WorkStatus.State.CLOSED);
    go.countDown();
    assertThat(committed()).isLessThan(KEYS);
  }
}
