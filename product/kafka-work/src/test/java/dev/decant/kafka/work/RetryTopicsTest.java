package dev.decant.kafka.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.fake.FakeCluster;
import dev.decant.fake.Fault;
import dev.decant.fake.StoredRecord;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.assignor.Assignor;
import dev.decant.kafka.assignor.Subscriber;
import dev.decant.kafka.assignor.TopicLayout;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.ConsumerBuilder;
import dev.decant.kafka.consumer.ConsumerRecord;
import dev.decant.kafka.consumer.GroupProtocol;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.SendOptions;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.ListOffsetsRequest;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.time.Clock;
import java.math.BigInteger;
import java.nio.ByteBuffer;
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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Failed records wait in retry topics, in the order of their keys, and come back when they are due. */
@Timeout(60)
class RetryTopicsTest {
  private static final Duration LONG = Duration.ofHours(1);

  private FakeCluster kafka;
  private KafkaClient client;
  private final MovedClock clock = new MovedClock();

  /** The time of the machine, plus the time that a test adds. */
  private static final class MovedClock implements Clock {
    private final AtomicLong nanos = new AtomicLong();

    void advance(Duration by) {
      nanos.addAndGet(by.toNanos());
    }

    @Override
    public long nanoTime() {
      return Clock.system().nanoTime() + nanos.get();
    }

    @Override
    public long epochMillis() {
      return Clock.system().epochMillis() + TimeUnit.NANOSECONDS.toMillis(nanos.get());
    }
  }

  @BeforeEach
  void start() {
    kafka = FakeCluster.builder().inMemory().topic("orders", 2).topic("orders-dead", 1).topic("orders-retry-1", 2)
        .topic("orders-retry-2", 2).topic("orders-retry-3", 2).start();
    client = KafkaClient.connect(kafka.bootstrap());
  }

  @AfterEach
  void stop() {
    client.close();
    kafka.close();
  }

  private static RetryTopics stages(Duration... delays) {
    return RetryTopics.named("orders-retry", delays);
  }

  private WorkBuilder<String, String> work(KafkaClient by, Retry retry) {
    return Work.on(by, Serdes.string(), Serdes.string()).group("billing").subscribe("orders").retry(retry)
        .deadLetters("orders-dead").commitEvery(Duration.ofMillis(20), Integer.MAX_VALUE).clock(clock);
  }

  private void send(String key, String... values) throws InterruptedException {
    try (Producer<String, String> orders = client.producer(Serdes.string(), Serdes.string()).topic("orders").open()) {
      for (String value : values) {
        orders.sendAndWait(key, value);
      }
    }
  }

  private static void await(Work work, BooleanSupplier until) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!until.getAsBoolean()) {
      assertThat(System.nanoTime() - end).as(work.status().toString()).isNegative();
      LockSupport.parkNanos(1_000_000);
    }
  }

  private int stored(String topic) {
    int count = kafka.log(topic, 0).records().size();
    return topic.equals("orders-dead") ? count : count + kafka.log(topic, 1).records().size();
  }

  private StoredRecord only(String topic) {
    List<StoredRecord> all = new ArrayList<>(kafka.log(topic, 0).records());
    if (!topic.equals("orders-dead")) {
      all.addAll(kafka.log(topic, 1).records());
    }
    assertThat(all).as(topic).hasSize(1);
    return all.get(0);
  }

  private static Map<String, byte[]> headers(StoredRecord record) {
    Map<String, byte[]> all = new HashMap<>();
    record.headers().forEach(header -> all.put(header.key(), header.value()));
    return all;
  }

  private static Map<String, String> texts(StoredRecord record) {
    Map<String, String> all = new HashMap<>();
    headers(record).forEach((key, value) -> all.put(key, new String(value, StandardCharsets.UTF_8)));
    return all;
  }

  private static long pending(WorkStatus status) {
    return status.retryTopics().stream().mapToLong(WorkStatus.RetryTopicStatus::pending).sum();
  }

  @Test
  void aRecordGoesThroughAllStagesWhenTheyAreDueAndThenToTheDeadLetters() throws Exception {
    send("key", "bad");
    List<String> attempts = Collections.synchronizedList(new ArrayList<>());
    List<String> routes = Collections.synchronizedList(new ArrayList<>());
    try (Work work = work(client, Retry.inPlace(1, Duration.ZERO).then(stages(LONG, LONG, LONG)))
        .listener(new WorkListener() {
          @Override
          public void onRetryTopic(TopicPartition partition, long offset, String topic, int attempts,
              @Nullable Throwable error) {
            routes.add(topic + " " + attempts);
          }
        }).open((record, context) -> {
          RecordOrigin origin = context.origin();
          attempts.add(record.topic() + " " + context.attempt() + " " + origin.topic() + " " + origin.offset());
          throw new IllegalStateException("bad");
        })) {
      for (int stage = 1; stage <= 3; stage++) {
        String topic = "orders-retry-" + stage;
        int before = attempts.size();
        await(work, () -> stored(topic) == 1);
        await(work, () -> statusOf(work).retryTopics().stream().anyMatch(t -> t.pending() == 1));
        assertThat(attempts).as("not due").hasSizeBetween(before, stage + 1);
        clock.advance(LONG.minusMinutes(1));
        assertThat(work.status().working()).isZero();
        clock.advance(Duration.ofMinutes(2));
        send("wakes the loop " + stage);
        work.status();
      }
      await(work, () -> stored("orders-dead") == 1);
      await(work, () -> pending(statusOf(work)) == 0);
      assertThat(work.status().failedRecords()).isEqualTo(1);
    }
    assertThat(attempts).containsExactly("orders 1 orders 0", "orders 2 orders 0", "orders-retry-1 3 orders 0",
        "orders-retry-2 4 orders 0", "orders-retry-3 5 orders 0");
    assertThat(routes).containsExactly("orders-retry-1 2", "orders-retry-2 3", "orders-retry-3 4");
    assertThat(texts(only("orders-dead"))).containsEntry("dead-letter.topic", "orders")
        .containsEntry("dead-letter.offset", "0").containsEntry("dead-letter.attempts", "5")
        .containsEntry("dead-letter.message", "bad").allSatisfy((key, value) -> assertThat(key).startsWith("dead-"));
  }

  private static WorkStatus statusOf(Work work) {
    try {
      return work.status();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void laterRecordsOfAKeyGoBehindOneThatWaitsAndOthersGoOn() throws Exception {
    send("a", "a1", "a2", "a3");
    send("b", "b1", "b2");
    AtomicBoolean isGood = new AtomicBoolean();
    List<String> done = Collections.synchronizedList(new ArrayList<>());
    try (Work work = work(client, Retry.none().then(stages(LONG, LONG))).open((record, context) -> {
      if ("a1".equals(record.value()) && !isGood.get()) {
        throw new IllegalStateException("not yet");
      }
      done.add(record.value() + "/" + context.attempt());
    })) {
      await(work, () -> done.size() == 2 && stored("orders-retry-1") == 3);
      assertThat(done).containsExactly("b1/1", "b2/1");
      send("a", "a4");
      send("c", "c1");
      await(work, () -> stored("orders-retry-1") == 4 && done.contains("c1/1"));
      clock.advance(LONG.plusMinutes(1)); // a1 fails once more, and its followers go behind it again
      work.status();
      await(work, () -> stored("orders-retry-2") == 4);
      isGood.set(true);
      clock.advance(LONG.plusMinutes(1));
      work.status();
      await(work, () -> done.size() == 7);
      send("a", "a5");
      await(work, () -> done.size() == 8);
      assertThat(work.drain(Duration.ofSeconds(20))).isTrue();
    }
    assertThat(done.subList(3, 8)).containsExactly("a1/3", "a2/1", "a3/1", "a4/1", "a5/1");
    assertThat(stored("orders-dead")).isZero();
  }

  @ParameterizedTest
  @EnumSource(Order.class)
  void whereOrderEndsLaterRecordsOfAKeyGoOn(Order order) throws Exception {
    send("a", "a1", "a2", "a3");
    kafka.createTopic("one-1", 1);
    List<String> done = Collections.synchronizedList(new ArrayList<>());
    RetryTopics one = RetryTopics.named("one", LONG);
    try (Work work = work(client, Retry.none().then(order == Order.NONE ? one : one.endingOrder())).order(order)
        .concurrency(1).open(record -> {
          if ("a1".equals(record.value()) && record.topic().equals("orders")) {
            throw new IllegalStateException("not yet");
          }
          done.add(record.value());
        })) {
      await(work, () -> done.size() == 2);
      await(work, () -> kafka.log("one-1", 0).records().size() == 1);
      clock.advance(LONG.plusMinutes(1));
      work.status();
      await(work, () -> done.size() == 3);
    }
    assertThat(done).containsExactly("a2", "a3", "a1");
  }

  @Test
  void aRestartKeepsTheOrderOfKeysThatArePending() throws Exception {
    send("a", "a1", "a2");
    AtomicBoolean isGood = new AtomicBoolean();
    List<String> done = Collections.synchronizedList(new ArrayList<>());
    WorkHandler<String, String> handler = record -> {
      if ("a1".equals(record.value()) && !isGood.get()) {
        throw new IllegalStateException("not yet");
      }
      done.add(record.value());
    };
    try (Work work = work(client, Retry.none().then(stages(LONG, LONG))).open(handler)) {
      await(work, () -> stored("orders-retry-1") == 2);
    }
    send("a", "a3", "a4");
    send("b", "b1");
    try (Work work = work(client, Retry.none().then(stages(LONG, LONG))).open(handler)) {
      await(work, () -> stored("orders-retry-1") == 4 && done.contains("b1"));
      assertThat(done).containsExactly("b1");
      isGood.set(true);
      clock.advance(LONG.plusMinutes(1));
      work.status();
      await(work, () -> done.size() == 5);
    }
    assertThat(done).containsExactly("b1", "a1", "a2", "a3", "a4");
    try (Work work = work(client, Retry.none().then(stages(LONG, LONG))).open(handler)) {
      send("a", "a5");
      await(work, () -> done.size() == 6);
    }
    assertThat(stored("orders-retry-1")).as("a5 did not go there").isEqualTo(4);
  }

  @ParameterizedTest
  @EnumSource(GroupProtocol.class)
  void aRebalanceKeepsTheOrderOfKeys(GroupProtocol protocol) throws Exception {
    Map<String, List<Integer>> byKey = new ConcurrentHashMap<>();
    AtomicInteger done = new AtomicInteger();
    WorkContextHandler<String, String> handler = (record, context) -> {
      int number = Integer.parseInt(String.valueOf(record.value()));
      if (number % 7 == 0 && context.attempt() < 3) {
        throw new IllegalStateException("fails twice");
      }
      byKey.computeIfAbsent(String.valueOf(record.key()), key -> Collections.synchronizedList(new ArrayList<>()))
          .add(number);
      done.incrementAndGet();
    };
    Retry retry = Retry.none().then(stages(Duration.ofMillis(5), Duration.ofMillis(20), Duration.ofMillis(50)));
    int records = 400;
    int sent = 0;
    try (Producer<String, String> orders = client.producer(Serdes.string(), Serdes.string()).topic("orders").open();
        KafkaClient other = KafkaClient.connect(kafka.bootstrap());
        Work one = work(client, retry).consumer(c -> c.groupProtocol(protocol)).open(handler)) {
      for (; sent < records; sent++) {
        orders.send("key-" + sent % 9, Integer.toString(sent));
      }
      await(one, () -> done.get() > 40);
      try (Work two = work(other, retry).consumer(c -> c.groupProtocol(protocol)).open(handler)) {
        for (; sent < 2 * records; sent++) {
          orders.send("key-" + sent % 9, Integer.toString(sent));
        }
        await(two, () -> done.get() > records);
      }
      for (; sent < 3 * records; sent++) {
        orders.send("key-" + sent % 9, Integer.toString(sent));
      }
      await(one, () -> done.get() >= 3 * records);
    }
    assertThat(byKey).hasSize(9);
    byKey.forEach((key, values) -> assertThat(values).as(key).isSorted().doesNotHaveDuplicates());
    assertThat(stored("orders-dead")).isZero();
  }

  @Test
  void nothingIsCommittedPastARecordWhoseRetryTopicDoesNotTakeIt() throws Exception {
    send("a", "a1", "a2");
    Fault fault = kafka.faults().on(ApiKey.PRODUCE).topic("orders-retry-1").every()
        .answer(ErrorCode.TOPIC_AUTHORIZATION_FAILED);
    List<String> done = Collections.synchronizedList(new ArrayList<>());
    try (Work work = work(client, Retry.none().then(stages(LONG))).open(record -> {
      if ("a1".equals(record.value()) && record.topic().equals("orders")) {
        throw new IllegalStateException("not yet");
      }
      done.add(record.value());
    })) {
      await(work, () -> statusOf(work).problem() != null);
      assertThat(work.status().problem()).contains("orders-retry-1").contains("offset 0");
      assertThat(done).isEmpty();
      assertThat(work.status().partitions()).allSatisfy(p -> assertThat(p.committed()).isLessThanOrEqualTo(0));
      fault.end();
      clock.advance(Duration.ofMinutes(1)); // the pause of the policy
      work.status();
      await(work, () -> stored("orders-retry-1") == 2);
      await(work, () -> statusOf(work).isHealthy());
      clock.advance(LONG);
      work.status();
      await(work, () -> done.size() == 2);
    }
    assertThat(done).containsExactly("a1", "a2");
  }

  @Test
  void headersSayWhereARecordComesFromUnderBothNames() throws Exception {
    send("a", "a1");
    for (HeaderNames names : HeaderNames.values()) {
      kafka.createTopic(names + "-1", 2);
      kafka.createTopic(names + "-2", 2);
      try (Work work = work(client, Retry.inPlace(1, Duration.ZERO).then(RetryTopics.named(names.toString(),
          Duration.ZERO, LONG))).group("g" + names).headerNames(names).open(record -> {
            throw new IllegalStateException("bad", new java.io.IOException("deep"));
          })) {
        await(work, () -> stored(names + "-2") == 1);
      }
    }
    assertThat(texts(only("DECANT-2"))).containsEntry("retry.topic", "orders").containsEntry("retry.offset", "0")
        .containsEntry("retry.attempts", "3").containsEntry("retry.error", "java.lang.IllegalStateException")
        .containsEntry("retry.message", "bad").containsKeys("retry.partition", "retry.timestamp", "retry.due");
    StoredRecord springs = only("SPRING-2");
    Map<String, byte[]> headers = headers(springs);
    assertThat(texts(springs)).containsEntry("kafka_original-topic", "orders")
        .containsEntry("kafka_original-consumer-group", "gSPRING").containsEntry("kafka_exception-message", "bad")
        .containsEntry("kafka_exception-fqcn", "java.lang.IllegalStateException")
        .containsEntry("kafka_exception-cause-fqcn", "java.io.IOException")
        .containsEntry("kafka_original-timestamp-type", "CreateTime");
    assertThat(headers.get("kafka_original-offset")).isEqualTo(new byte[8]);
    assertThat(ByteBuffer.wrap(headers.get("retry_topic-attempts")).getInt()).as("the next one").isEqualTo(4);
    long due = new BigInteger(headers.get("retry_topic-backoff-timestamp")).longValue();
    assertThat(due - springs.timestamp() - LONG.toMillis()).isBetween(-20_000L, 0L);
    assertThat(new BigInteger(headers.get("retry_topic-original-timestamp")).longValue())
        .isEqualTo(ByteBuffer.wrap(headers.get("kafka_original-timestamp")).getLong());
  }

  @Test
  void headersThatSayNonsenseAreNotBelieved() throws Exception {
    List<Map<String, String>> hostile = List.of(Map.of("retry.topic", "", "retry.due", "9223372036854775807"),
        Map.of("retry.topic", "x", "retry.partition", "-1", "retry.offset", "1"),
        Map.of("retry.topic", "x", "retry.partition", "99999999999", "retry.offset", "z"),
        Map.of("retry.topic", "x", "retry.partition", "7", "retry.offset", "5", "retry.attempts", "2147483647",
            "retry.due", "-5", "retry.table", "not hex"),
        Map.of("kafka_original-topic", "x", "kafka_original-partition", "abc", "retry_topic-attempts", ""));
    try (Producer<String, String> foreign = client.producer(Serdes.string(), Serdes.string()).topic("orders-retry-1")
        .open()) {
      for (Map<String, String> headers : hostile) {
        SendOptions options = new SendOptions().partition(1);
        headers.forEach((key, value) -> options.headers().addText(key, value));
        foreign.sendAndWait("a", "hostile", options);
      }
      SendOptions late = new SendOptions().partition(1);
      late.headers().addText("retry.topic", "x").addText("retry.partition", "0").addText("retry.offset", "0")
          .addText("retry.due", Long.toString(Long.MAX_VALUE));
      foreign.sendAndWait("b", "bounded", late);
    }
    List<String> done = Collections.synchronizedList(new ArrayList<>());
    try (Work work = work(client, Retry.none().then(stages(LONG, LONG))).open((record, context) -> {
      done.add(record.value() + " " + context.attempt() + " " + context.origin().topic());
      if (record.offset() == 4) {
        throw new IllegalStateException("goes on like any other");
      }
    })) {
      await(work, () -> done.size() == 5 && stored("orders-retry-2") == 1);
      assertThat(kafka.log("orders-retry-2", 1).records()).as("beside its partition").hasSize(1);
      clock.advance(LONG.plusMinutes(1));
      work.status();
      await(work, () -> done.size() == 7);
    }
    assertThat(done.subList(0, 5)).containsExactly("hostile 1 orders-retry-1", "hostile 1 orders-retry-1",
        "hostile 1 orders-retry-1", "hostile 1 x", "hostile 1 orders-retry-1");
    assertThat(done.subList(5, 7)).containsExactlyInAnyOrder("hostile 2 orders-retry-1", "bounded 1 x");
  }

  @Test
  void missingTopicsAreNamedAndCreatedIfAsked() throws Exception {
    Retry missing = Retry.none().then(RetryTopics.named("new", LONG, LONG));
    assertThatThrownBy(() -> work(client, missing).open(record -> {})).isInstanceOf(KafkaException.class)
        .hasMessageContaining("new-1").hasMessageContaining("2 partitions");
    kafka.createTopic("odd-1", 3);
    assertThatThrownBy(() -> work(client, Retry.none().then(RetryTopics.named("odd", LONG))).open(record -> {}))
        .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("odd-1 has 3 partitions")
        .hasMessageContaining("orders has 2");
    assertThatThrownBy(() -> work(client, Retry.none().then(stages(LONG))).order(Order.BY_PARTITION)
        .open(record -> {})).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("endingOrder");
    assertThatThrownBy(() -> RetryTopics.named("new", LONG).create(1, LONG)).hasMessageContaining("delete them");

    kafka.createTopic("other", 3);
    assertThatThrownBy(() -> work(client, Retry.none().then(stages(LONG))).subscribe("other").open(record -> {}))
        .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("other has 3 partitions");
    Retry created = Retry.none().then(RetryTopics.named("new", LONG, LONG).create(1, LONG.plusHours(1)));
    Fault fault = kafka.faults().on(ApiKey.CREATE_TOPICS).every().answer(ErrorCode.POLICY_VIOLATION);
    assertThatThrownBy(() -> work(client, created).open(record -> {})).isInstanceOf(KafkaException.class)
        .hasMessageStartingWith("topic new-1 was not created: ");
    fault.end();
    kafka.faults().on(ApiKey.CREATE_TOPICS).first(2).answer(ErrorCode.NOT_CONTROLLER);

    send("a", "a1");
    try (Work work = work(client, created)
        .deadLetters("new-dead").createDeadLetters(0, 1, Duration.ofDays(7)).open(record -> {
          throw new IllegalStateException("bad");
        })) {
      await(work, () -> stored("new-1") == 1);
      assertThat(kafka.log("new-2", 1).records()).isEmpty();
      assertThat(kafka.log("new-dead", 1).records()).isEmpty();
    }
  }

  @Test
  void aCeilingOfPendingRecordsStopsMainTopicsAndNotRetryTopics() throws Exception {
    AtomicBoolean isGood = new AtomicBoolean();
    AtomicInteger done = new AtomicInteger();
    try (Producer<String, String> orders = client.producer(Serdes.string(), Serdes.string()).topic("orders").open();
        Work work = work(client, Retry.none().then(stages(LONG).atMost(50))).maxUnderWay(40, 20).open(record -> {
          if (!isGood.get()) {
            throw new IllegalStateException("bad");
          }
          done.incrementAndGet();
        })) {
      for (int i = 0; i < 1_000; i++) {
        orders.send("key-" + i, "v");
      }
      await(work, () -> String.valueOf(statusOf(work).problem()).contains("pending in retry topics"));
      assertThat(stored("orders-retry-1")).isBetween(50, 400);
      isGood.set(true);
      await(work, () -> {
        clock.advance(Duration.ofMinutes(2));
        return statusOf(work).done() >= 1_000;
      });
      await(work, () -> statusOf(work).isHealthy());
    }
    assertThat(done).hasValue(1_000);
  }

  @Test
  void aLetterThatIsTooLargeGoesWithoutItsValueIfAsked() throws Exception {
    send("a", "a1");
    Fault fault = kafka.faults().on(ApiKey.PRODUCE).topic("orders-dead").nth(1).answer(ErrorCode.MESSAGE_TOO_LARGE);
    try (Work work = work(client, Retry.none()).largeLetters(LargeLetters.DROP_VALUE).open(record -> {
      throw new IllegalStateException("bad");
    })) {
      await(work, () -> stored("orders-dead") == 1);
    }
    fault.end();
    StoredRecord letter = only("orders-dead");
    assertThat(letter.value()).isNull();
    assertThat(letter.keyText()).isEqualTo("a");
    assertThat(texts(letter)).containsEntry("dead-letter.value-length", "2").containsEntry("dead-letter.topic",
        "orders");
  }

  @Test
  void aLetterThatIsTooLargeEndsTheWorkIfAsked() throws Exception {
    send("a", "a1");
    kafka.faults().on(ApiKey.PRODUCE).topic("orders-retry-1").every().answer(ErrorCode.MESSAGE_TOO_LARGE);
    Work work = work(client, Retry.none().then(stages(LONG))).largeLetters(LargeLetters.STOP).open(record -> {
      throw new IllegalStateException("bad");
    });
    assertThatThrownBy(work::awaitClose).isInstanceOf(WorkFailedException.class)
        .hasMessageContaining("MESSAGE_TOO_LARGE");
    work.close();
  }

  private static final class Ledger {
    final Map<String, List<Integer>> byKey = new ConcurrentHashMap<>();
    final Set<String> failed = ConcurrentHashMap.newKeySet();
    final AtomicInteger done = new AtomicInteger();

    /** Each tenth record fails once. */
    boolean fails(ConsumerRecord<String, String> record) {
      return Integer.parseInt(String.valueOf(record.value())) % 10 == 0 && failed.add(record.value());
    }

    void done(ConsumerRecord<String, String> record) {
      byKey.computeIfAbsent(String.valueOf(record.key()), key -> Collections.synchronizedList(new ArrayList<>()))
          .add(Integer.parseInt(String.valueOf(record.value())));
      done.incrementAndGet();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void batchesAndStagesGoThroughRetryTopicsToo(boolean isBatch) throws Exception {
    WorkBuilder<String, String> builder = work(client,
        Retry.none().then(stages(Duration.ofMillis(5), Duration.ofMillis(5))));
    Ledger ledger = new Ledger();
    try (Producer<String, String> orders = client.producer(Serdes.string(), Serdes.string()).topic("orders").open();
        Work work = isBatch ? builder.openBatches(10, records -> {
          if (records.stream().anyMatch(ledger::fails)) {
            throw new IllegalStateException("the first time");
          }
          records.forEach(ledger::done);
        })
            : builder.openAsync((record, context) -> ledger.fails(record)
                ? CompletableFuture.failedFuture(new IllegalStateException("the first time"))
                : CompletableFuture.runAsync(() -> ledger.done(record)))) {
      for (int i = 0; i < 300; i++) {
        orders.send("key-" + i % 7, Integer.toString(i));
      }
      await(work, () -> ledger.done.get() >= 300);
      assertThat(work.status().failedRecords()).isZero();
    }
    assertThat(ledger.done).hasValue(300);
    ledger.byKey.forEach((key, values) -> assertThat(values).as(key).isSorted().doesNotHaveDuplicates());
  }

  @Test
  void recordsThatWaitLeaveRoomForOthers() throws Exception {
    // There are ten slots, and far more records that wait. Due records and records of main topics go on.
    AtomicBoolean isGood = new AtomicBoolean();
    Set<String> done = ConcurrentHashMap.newKeySet();
    try (Producer<String, String> orders = client.producer(Serdes.string(), Serdes.string()).topic("orders").open();
        Work work = work(client, Retry.none().then(stages(LONG))).concurrency(2).maxUnderWay(10, 10).open(record -> {
          if (String.valueOf(record.value()).startsWith("bad") && !isGood.get()) {
            throw new IllegalStateException("bad");
          }
          done.add(record.value());
        })) {
      for (int i = 0; i < 200; i++) {
        orders.send("bad-" + i % 50, "bad-" + i); // 150 of these wait behind others of their key
      }
      await(work, () -> stored("orders-retry-1") == 200);
      for (int i = 0; i < 100; i++) {
        orders.send("good-" + i, "good-" + i);
      }
      await(work, () -> done.size() == 100);
      WorkStatus status = work.status();
      assertThat(status.underWay()).isLessThanOrEqualTo(5);
      assertThat(pending(status)).isEqualTo(200);
      isGood.set(true);
      await(work, () -> {
        clock.advance(Duration.ofMinutes(1));
        return statusOf(work).done() == 300;
      });
    }
    assertThat(done).hasSize(300);
  }

  /** Assigns the main topic to the first member, and the other topics to the second one. */
  private record Spread(Kind kind) implements Assignor {
    @Override
    public String name() {
      return "spread";
    }

    @Override
    public Map<String, List<TopicPartition>> assign(Map<String, TopicLayout> topics, List<Subscriber> members) {
      Map<String, List<TopicPartition>> assignment = new HashMap<>();
      topics.forEach((topic, layout) -> {
        Subscriber to = topic.equals("orders") ? members.getFirst() : members.getLast();
        for (int p = 0; p < layout.partitions(); p++) {
          assignment.computeIfAbsent(to.memberId(), id -> new ArrayList<>()).add(new TopicPartition(topic, p));
        }
      });
      return assignment;
    }
  }

  @ParameterizedTest
  @EnumSource(Assignor.Kind.class)
  void partitionsThatAreSpreadOverMembersWaitAndAreReported(Assignor.Kind kind) throws Exception {
    send("a", "a1");
    List<String> done = Collections.synchronizedList(new ArrayList<>());
    UnaryOperator<ConsumerBuilder<String, String>> spread = c -> c.groupProtocol(GroupProtocol.CLASSIC)
        .assignors(new Spread(kind));
    WorkHandler<String, String> handler = record -> {
      if ("bad".equals(record.value()) && record.topic().equals("orders")) {
        throw new IllegalStateException("goes to the retry topic");
      }
      done.add(record.value());
    };
    try (KafkaClient other = KafkaClient.connect(kafka.bootstrap());
        Work one = work(client, Retry.none().then(stages(LONG))).consumer(spread).open(handler)) {
      await(one, () -> done.size() == 1);
      send("a", "bad", "a3");
      await(one, () -> stored("orders-retry-1") == 2);
      try (Work two = work(other, Retry.none().then(stages(LONG))).consumer(spread).open(handler)) {
        await(two, () -> statusOf(two).partitions().size() == 2 && statusOf(one).partitions().size() == 2);
        clock.advance(Duration.ofMinutes(1));
        await(two, () -> String.valueOf(statusOf(two).problem()).contains("use the assignor range"));
        assertThat(two.status().problem()).contains("partition ").contains("orders");
      }
      send("a", "a4");
      await(one, () -> stored("orders-retry-1") == 3);
      clock.advance(LONG);
      await(one, () -> statusOf(one).done() >= 1 && done.size() == 4);
      await(one, () -> statusOf(one).isHealthy());
    }
    assertThat(done).containsExactly("a1", "bad", "a3", "a4");
  }

  @Test
  void retryTopicsThatCannotBeReadAreReadAgain() throws Exception {
    send("a", "a1");
    Fault fault = kafka.faults().on(ApiKey.LIST_OFFSETS).topic("orders-retry-1")
        .where(request -> request.body() instanceof ListOffsetsRequest asked
            && asked.topics().getFirst().partitions().getFirst().timestamp() == -1)
        .every() // until the end of the test
        .answer(ErrorCode.TOPIC_AUTHORIZATION_FAILED);
    List<String> done = Collections.synchronizedList(new ArrayList<>());
    try (Work work = work(client, Retry.none().then(stages(LONG))).open(r -> done.add(r.value()))) {
      await(work, () -> String.valueOf(statusOf(work).problem()).contains("are not known, and are read again"));
      assertThat(done).isEmpty();
      fault.end();
      clock.advance(Duration.ofSeconds(2));
      await(work, () -> statusOf(work).done() == 1);
      await(work, () -> statusOf(work).isHealthy());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"orders-dead", "orders-retry-1"})
  void copiesThatNoBrokerStoresAreReportedAfterTenSeconds(String topic) throws Exception {
    // The topic was deleted while the work ran, and the work was healthy for two minutes.
    Retry retry = topic.equals("orders-dead") ? Retry.none() : Retry.none().then(stages(LONG).endingOrder());
    List<String> problems = Collections.synchronizedList(new ArrayList<>());
    try (Work work = work(client, retry).listener(new WorkListener() {
      @Override
      public void onProblem(String what, Throwable error) {
        problems.add(what);
      }
    }).open(record -> {
      throw new IllegalStateException("bad");
    })) {
      kafka.deleteTopic(topic);
      send("key", "bad");
      await(work, () -> statusOf(work).awaitingDeadLetter() + statusOf(work).awaitingRetry() == 1);
      assertThat(work.status().isHealthy()).isTrue();
      clock.advance(Duration.ofSeconds(11));
      await(work, () -> !statusOf(work).isHealthy());
      assertThat(problems).first().asString().startsWith("1 ").contains("for 10 s or more");
      kafka.createTopic(topic, topic.equals("orders-dead") ? 1 : 2);
      await(work, () -> statusOf(work).isHealthy());
      assertThat(stored(topic)).isEqualTo(1);
      work.close(Duration.ZERO);
    }
  }
}
