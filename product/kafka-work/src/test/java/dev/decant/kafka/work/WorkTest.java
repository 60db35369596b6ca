package dev.decant.kafka.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.fake.FakeCluster;
import dev.decant.fake.Fault;
import dev.decant.kafka.Header;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.GroupProtocol;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.consumer.OwnedRecord;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.serialization.Serdes;
import java.nio.charset.StandardCharsets;
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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
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
    try (Work work = place.apply(work()).open(record -> {
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

  @Test
  void aFailedRecordIsTriedAgainAndItsKeyWaitsWhileOthersGoOn() throws Exception {
    send(4 * KEYS);
    List<String> attempts = Collections.synchronizedList(new ArrayList<>());
    Set<String> done = ConcurrentHashMap.newKeySet();
    CountDownLatch othersAreDone = new CountDownLatch(4 * KEYS - 4);
    CountDownLatch all = new CountDownLatch(4 * KEYS);
    try (Work work = work().concurrency(2).retry(Retry.inPlace(2, Duration.ofMillis(1))).open((record, context) -> {
      if ("key-7".equals(record.key())) {
        attempts.add(record.value() + "/" + context.attempt());
        if ("7".equals(record.value()) && context.attempt() < 3) {
          othersAreDone.await(); // this record holds back its own key only
          throw new IllegalStateException("not yet");
        }
      } else {
        othersAreDone.countDown();
      }
      done.add(record.value());
      all.countDown();
    })) {
      assertThat(all.await(20, TimeUnit.SECONDS)).as(work.status().toString()).isTrue();
      assertThat(work.drain(Duration.ofSeconds(10))).isTrue();
      assertThat(work.status().failedAttempts()).isEqualTo(2);
      assertThat(work.status().failedRecords()).isZero();
    }
    assertThat(attempts).containsExactly("7/1", "7/2", "7/3", "47/1", "87/1", "127/1");
    assertThat(done).hasSize(4 * KEYS);
  }

  static List<Throwable> failures() {
    return List.of(new Exception("checked"), new IllegalStateException("unchecked"), new StackOverflowError("deep"),
        new OutOfMemoryError("none left"), new AssertionError("wrong"), new InterruptedException("stopped"),
        new NoClassDefFoundError("gone"), new Throwable("bare"));
  }

  @ParameterizedTest
  @MethodSource("failures")
  void whateverIsThrownTheRecordGoesToTheDeadLetters(Throwable thrown) throws Exception {
    send(KEYS);
    try (Work work = work().deadLetters("orders-dead").retry(Retry.inPlace(1, Duration.ZERO)).open(record -> {
      if ("5".equals(record.value())) {
        WorkTest.<RuntimeException>sneak(thrown);
      }
    })) {
      awaitDone(work, KEYS - 1, 1);
      assertThat(work.status().failedAttempts()).isEqualTo(2);
      assertThat(work.drain(Duration.ofSeconds(10))).isTrue();
    }
    assertThat(committed()).isEqualTo(KEYS);
    OwnedRecord<String, String> letter = deadLetters(1).get(0);
    assertThat(letter.key()).isEqualTo("key-5");
    assertThat(letter.value()).isEqualTo("5");
    assertThat(headers(letter)).containsEntry("dead-letter.topic", "orders")
        .containsEntry("dead-letter.error", thrown.getClass().getName())
        .containsEntry("dead-letter.message", thrown.getMessage()).containsEntry("dead-letter.attempts", "2")
        .containsEntry("dead-letter.group", "billing").containsKey("dead-letter.offset");
  }

  @SuppressWarnings("unchecked")
  private static <E extends Throwable> void sneak(Throwable thrown) throws E {
    throw (E) thrown;
  }

  private static void awaitDone(Work work, long done, long failed) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    WorkStatus status = work.status();
    while (status.done() < done || status.failedRecords() < failed) {
      assertThat(System.nanoTime()).as(status.toString()).isLessThan(deadline);
      LockSupport.parkNanos(1_000_000);
      status = work.status();
    }
  }

  private static Map<String, String> headers(OwnedRecord<?, ?> record) {
    Map<String, String> texts = new HashMap<>();
    record.headers().forEach(h -> texts.put(h.key(), new String(h.value(), StandardCharsets.UTF_8)));
    return texts;
  }

  private List<OwnedRecord<String, String>> deadLetters(int count) throws InterruptedException {
    List<OwnedRecord<String, String>> letters = new ArrayList<>();
    try (Consumer<String, String> reader = client.consumer(Serdes.string(), Serdes.string())
        .offsetReset(OffsetReset.EARLIEST).open()) {
      reader.assign("orders-dead", 0);
      for (int polls = 0; letters.size() < count && polls < 20; polls++) {
        reader.poll(Duration.ofSeconds(1), record -> letters.add(record.copy()));
      }
    }
    assertThat(letters).hasSize(count);
    return letters;
  }

  @Test
  void aRecordThatCannotBeDecodedIsBuriedWithItsBytesAtOnce() throws Exception {
    try (Producer<String, byte[]> orders = client.producer(Serdes.string(), Serdes.bytes()).topic("orders").open()) {
      orders.sendAndWait("bad", new byte[] {1, 2, 3});
    }
    try (Work work = Work.on(client, Serdes.string(), Serdes.longs()).group("billing").subscribe("orders")
        .deadLetters("orders-dead").headerNames(HeaderNames.SPRING).retry(Retry.inPlace(9, Duration.ofDays(1)))
        .open(record -> assertThat(record.value()).isNotNull())) {
      awaitDone(work, 0, 1);
      assertThat(work.drain(Duration.ofSeconds(10))).isTrue();
      assertThat(work.status().failedAttempts()).isEqualTo(1);
    }
    OwnedRecord<String, String> letter = deadLetters(1).get(0);
    assertThat(letter.value()).isEqualTo("\u0001\u0002\u0003");
    assertThat(headers(letter)).containsEntry("kafka_dlt-original-topic", "orders")
        .containsEntry("kafka_dlt-original-consumer-group", "billing")
        .containsEntry("kafka_dlt-exception-fqcn", "dev.decant.kafka.consumer.BadRecordException");
    assertThat(letter.headers()).filteredOn(h -> h.key().equals("kafka_dlt-original-offset"))
        .extracting(Header::value).containsExactly(new byte[8]);
  }

  @Test
  void nothingIsCommittedPastARecordWhoseDeadLetterIsNotStored() throws Exception {
    send(KEYS);
    Fault fault = kafka.faults().on(ApiKey.PRODUCE).topic("orders-dead").every()
        .answer(ErrorCode.TOPIC_AUTHORIZATION_FAILED);
    CountDownLatch problem = new CountDownLatch(2);
    try (Work work = work().order(Order.NONE).deadLetters("orders-dead").listener(new WorkListener() {
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
      assertThat(work.status().isHealthy()).isFalse();
      assertThat(work.status().awaitingDeadLetter()).isEqualTo(PARTITIONS);
      assertThat(work.status().problem()).contains("orders-dead").contains("offset 0");
      assertThat(committed()).isZero();
      fault.end();
      assertThat(work.drain(Duration.ofSeconds(20))).as(work.status().toString()).isTrue();
      assertThat(work.status().isHealthy()).isTrue();
    }
    assertThat(committed()).isEqualTo(KEYS);
    deadLetters(PARTITIONS);
  }

  /** The poll in which the loop heard of the refusal went on for a minute. */
  @Test
  void aCommitThatIsRefusedIsTriedAgainThoughNoRecordComes() throws Exception {
    send(KEYS);
    Fault fault = kafka.faults().on(ApiKey.OFFSET_COMMIT).every().answer(ErrorCode.OFFSET_METADATA_TOO_LARGE);
    CountDownLatch problem = new CountDownLatch(1);
    CountDownLatch committed = new CountDownLatch(1);
    try (Work work = work().listener(new WorkListener() {
      @Override
      public void onProblem(String what, Throwable error) {
        problem.countDown();
      }

      @Override
      public void onCommitted(List<dev.decant.kafka.TopicPartition> partitions, long nanos) {
        committed.countDown();
      }
    }).open(record -> {})) {
      assertThat(problem.await(20, TimeUnit.SECONDS)).as(work.status().toString()).isTrue();
      fault.end();
      assertThat(committed.await(20, TimeUnit.SECONDS)).as(work.status().toString()).isTrue();
    }
  }

  @Test
  void aLackingDeadLetterTopicIsAnErrorAtTheStart() {
    assertThatThrownBy(() -> work().deadLetters("nowhere").open(record -> {})).isInstanceOf(KafkaException.class)
        .hasMessageContaining("nowhere").hasMessageContaining("create it");
    assertThatThrownBy(() -> work().deadLetters("orders").open(record -> {}))
        .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("orders");
    assertThatThrownBy(() -> Work.on(client, Serdes.string(), Serdes.string()).subscribe("orders").open(r -> {}))
        .hasMessage("work needs a consumer group: call group(...)");
    assertThatThrownBy(() -> work().concurrency(0)).hasMessage("concurrency: 0 is not between 1 and 100000");
  }

  @Test
  void withoutAnotherPlaceForItAFailedRecordEndsTheWork() throws Exception {
    send(KEYS);
    IllegalStateException bad = new IllegalStateException("bad");
    Work work = work().open(record -> {
      if ("key-3".equals(record.key())) {
        throw bad;
      }
    });
    assertThatThrownBy(work::awaitClose).isInstanceOf(WorkFailedException.class).hasCause(bad);
    assertThat(work.status().state()).isEqualTo(WorkStatus.State.CLOSED);
    assertThat(work.status().failure()).isSameAs(bad);
    assertThat(committed()).isLessThan(KEYS);
    work.close();

    Set<String> again = ConcurrentHashMap.newKeySet();
    try (Work next = work().skipFailed().open(record -> {
      again.add(record.value());
      if ("key-3".equals(record.key())) {
        throw bad;
      }
    })) {
      awaitDone(next, 0, 1);
      assertThat(next.drain(Duration.ofSeconds(10))).isTrue();
    }
    assertThat(again).contains("3");
    assertThat(committed()).isEqualTo(KEYS);
  }

  @Test
  void whatWasDoneBehindAnUnfinishedRecordIsNotDoneAgain() throws Exception {
    send(3_000);
    Set<String> first = ConcurrentHashMap.newKeySet();
    List<String> stuck = Collections.synchronizedList(new ArrayList<>());
    CountDownLatch forEver = new CountDownLatch(1);
    Work work = work().concurrency(4).maxUnderWay(3_000, 3_000).open(record -> {
      if ("0".equals(record.value())) {
        stuck.add(record.value());
        forEver.await();
      }
      first.add(record.value());
    });
    awaitDone(work, 3_000 - 3_000 / KEYS, 0); // all other keys
    work.close(Duration.ZERO);
    assertThat(stuck).hasSize(1);

    List<String> second = Collections.synchronizedList(new ArrayList<>());
    try (Work next = work().open(record -> second.add(record.value()))) {
      awaitDone(next, 3_000 / KEYS, 0);
      assertThat(next.drain(Duration.ofSeconds(10))).isTrue();
    }
    assertThat(second).as("the key that was stuck, and no other").hasSize(3_000 / KEYS)
        .doesNotContainAnyElementsOf(first);
    assertThat(committed()).isEqualTo(3_000);
  }

  @Test
  void stagesThatEndAnywhereCountUntilTheyEnd() throws Exception {
    send(2_000);
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Map<String, List<Integer>> byKey = new ConcurrentHashMap<>();
    CountDownLatch all = new CountDownLatch(2_000);
    try (ExecutorService elsewhere = Executors.newFixedThreadPool(4);
        Work work = work().concurrency(7).retry(Retry.inPlace(1, Duration.ofMillis(1)))
            .openAsync((record, context) -> {
              if ("1".equals(record.value())) {
                if (context.attempt() == 1) {
                  return CompletableFuture.failedFuture(new IllegalStateException("again"));
                }
                all.countDown();
                return null;
              }
              most.accumulateAndGet(running.incrementAndGet(), Math::max);
              return CompletableFuture.runAsync(() -> {
                byKey.computeIfAbsent(record.key(), key -> Collections.synchronizedList(new ArrayList<>()))
                    .add(Integer.parseInt(record.value()));
                running.decrementAndGet();
                all.countDown();
              }, elsewhere);
            })) {
      assertThat(all.await(20, TimeUnit.SECONDS)).as(work.status().toString()).isTrue();
      assertThat(work.drain(Duration.ofSeconds(10))).isTrue();
    }
    assertThat(most.get()).isBetween(2, 7);
    byKey.forEach((key, values) -> assertThat(values).as(key).isSorted().doesNotHaveDuplicates());
    assertThat(committed()).isEqualTo(2_000);
  }

  @Test
  void aHandlerThatIgnoresItsInterruptDoesNotKeepTheWorkFromItsEnd() throws Exception {
    send(KEYS);
    AtomicBoolean go = new AtomicBoolean();
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    AtomicBoolean cancelled = new AtomicBoolean();
    List<String> problems = Collections.synchronizedList(new ArrayList<>());
    Work work = work().revocationTimeout(Duration.ofDays(1)).listener(new WorkListener() {
      @Override
      public void onProblem(String what, Throwable error) {
        problems.add(what);
      }
    }).open((record, context) -> {
      if ("3".equals(record.value())) {
        begun.countDown();
        while (!go.get()) {
          LockSupport.parkNanos(1_000_000);
        }
        cancelled.set(context.isCancelled());
        ended.countDown();
      }
    });
    assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
    awaitDone(work, KEYS - 1, 0);
    work.close(Duration.ZERO);
    assertThat(problems).containsExactly("handlers of group billing run on although the work is closed");
    assertThat(work.status().state()).isEqualTo(WorkStatus.State.CLOSED);
    go.set(true);
    assertThat(ended.await(20, TimeUnit.SECONDS)).isTrue();
    assertThat(cancelled).isTrue();
    assertThat(committed()).isLessThan(KEYS);
  }

  /** A worker had taken the slow record together with others, which all waited behind it. */
  @Test
  void aRecordThatTakesForEverHoldsBackNoOther() throws Exception {
    send(3_000);
    CountDownLatch go = new CountDownLatch(1);
    try (Work work = work().order(Order.NONE).concurrency(3).maxUnderWay(3_000, 3_000).open(record -> {
      if ("2000".equals(record.value()) || "2500".equals(record.value())) {
        go.await();
      }
    })) {
      awaitDone(work, 2_998, 0);
      go.countDown();
      awaitDone(work, 3_000, 0);
    }
  }

  @ParameterizedTest
  @EnumSource(Order.class)
  void aBatchIsDoneTogetherAndABadRecordAlone(Order order) throws Exception {
    send(2_000);
    Map<String, List<Integer>> byKey = new ConcurrentHashMap<>();
    AtomicInteger largest = new AtomicInteger();
    try (Work work = work().order(order).concurrency(3).deadLetters("orders-dead")
        .retry(Retry.inPlace(1, Duration.ofMillis(1))).openBatches(50, records -> {
          if (records.stream().anyMatch(record -> "777".equals(record.value()))) {
            throw new IllegalStateException("bad");
          }
          largest.accumulateAndGet(records.size(), Math::max);
          records.forEach(record -> byKey
              .computeIfAbsent(record.key(), key -> Collections.synchronizedList(new ArrayList<>()))
              .add(Integer.parseInt(record.value())));
        })) {
      awaitDone(work, 1_999, 1);
      assertThat(work.drain(Duration.ofSeconds(10))).isTrue();
    }
    assertThat(byKey.values().stream().mapToInt(List::size).sum()).isEqualTo(1_999);
    byKey.forEach((key, values) -> {
      assertThat(values).as(key).doesNotHaveDuplicates();
      if (order != Order.NONE) {
        assertThat(values).as(key).isSorted();
      }
    });
    assertThat(largest.get()).isBetween(2, 50);
    assertThat(deadLetters(1).get(0).value()).isEqualTo("777");
    assertThat(committed()).isEqualTo(2_000);
  }

  @ParameterizedTest
  @EnumSource(GroupProtocol.class)
  void aMemberThatJoinsGetsWhatIsNotDoneAndNothingElse(GroupProtocol protocol) throws Exception {
    send(2_000);
    List<String> done = Collections.synchronizedList(new ArrayList<>());
    CountDownLatch all = new CountDownLatch(4_000);
    WorkHandler<String, String> handler = record -> {
      done.add(record.value());
      all.countDown();
      LockSupport.parkNanos(50_000);
    };
    try (Work one = work().concurrency(4).consumer(c -> c.groupProtocol(protocol)).open(handler)) {
      awaitDone(one, 200, 0);
      try (KafkaClient other = KafkaClient.connect(kafka.bootstrap());
          Work two = Work.on(other, Serdes.string(), Serdes.string()).group("billing").subscribe("orders")
              .concurrency(4).consumer(c -> c.groupProtocol(protocol)).open(handler)) {
        send(2_000);
        assertThat(all.await(40, TimeUnit.SECONDS)).as(one.status() + " " + two.status()).isTrue();
        assertThat(two.drain(Duration.ofSeconds(10))).isTrue();
        assertThat(one.drain(Duration.ofSeconds(10))).isTrue();
      }
    }
    assertThat(done).hasSize(4_000);
    assertThat(committed()).isEqualTo(4_000);
  }

  @Test
  void aHandlerThatOutlastsItsDeadlineIsInterrupted() throws Exception {
    send(KEYS);
    CountDownLatch never = new CountDownLatch(1);
    AtomicInteger overdue = new AtomicInteger();
    try (Work work = work().skipFailed().handlerTimeout(Duration.ofMillis(20)).listener(new WorkListener() {
      @Override
      public void onHandlerOverdue(int handlers) {
        overdue.addAndGet(handlers);
      }
    }).open(record -> {
      if ("9".equals(record.value())) {
        never.await();
      }
    })) {
      awaitDone(work, KEYS - 1, 1);
      assertThat(overdue).hasValue(1);
    }
    assertThat(committed()).isEqualTo(KEYS);
  }

  @Test
  void noMoreIsTakenThanTheBoundsAllow() throws Exception {
    send(2_000);
    CountDownLatch go = new CountDownLatch(1);
    AtomicInteger begun = new AtomicInteger();
    try (Work work = work().order(Order.NONE).concurrency(5).maxUnderWay(50, 20).open(record -> {
      begun.incrementAndGet();
      go.await();
    })) {
      while (work.status().underWay() < 50) {
        LockSupport.parkNanos(1_000_000);
      }
      LockSupport.parkNanos(300_000_000); // time for some steps of the loop, which take no record
      WorkStatus status = work.status();
      assertThat(status.underWay()).isEqualTo(50);
      assertThat(status.working()).isEqualTo(5);
      assertThat(status.partitions()).hasSize(PARTITIONS)
          .allSatisfy(partition -> assertThat(partition.underWay()).isLessThanOrEqualTo(20));
      assertThat(begun).hasValue(5);
      go.countDown();
      awaitDone(work, 2_000, 0);
    }
    assertThat(committed()).isEqualTo(2_000);
  }

  @Test
  void aPausedWorkTakesNothingAndStaysInItsGroup() throws Exception {
    send(KEYS);
    try (Work work = work().open(record -> {})) {
      awaitDone(work, KEYS, 0);
      work.pause();
      assertThat(work.status().state()).isEqualTo(WorkStatus.State.PAUSED);
      send(KEYS);
      LockSupport.parkNanos(300_000_000);
      assertThat(work.status().done()).isEqualTo(KEYS);
      assertThat(work.status().partitions()).hasSize(PARTITIONS);
      work.resume();
      awaitDone(work, 2 * KEYS, 0);
    }
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
