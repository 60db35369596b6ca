package dev.decant.kafka.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.fake.FakeCluster;
import dev.decant.fake.Fault;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.TransactionException;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.GroupProtocol;
import dev.decant.kafka.consumer.IsolationLevel;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.consumer.OwnedRecord;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.SendOptions;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.serialization.Serdes;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Results become visible once, together with the offsets of their records, whatever fails. */
@Timeout(60)
class WorkTransactionsTest {
  private static final int PARTITIONS = 3;
  private static final int KEYS = 40;
  private static final ResultTopic<String, String> BILLS = ResultTopic.of("bills", Serdes.string(), Serdes.string());

  private FakeCluster kafka;
  private KafkaClient client;

  @BeforeEach
  void start() {
    start(3);
  }

  private void start(int minor) {
    kafka = FakeCluster.builder().release(minor == 3 ? 4 : 3, minor).inMemory().topic("orders", PARTITIONS)
        .topic("bills", 2).topic("orders-dead", 1).start();
    client = KafkaClient.builder(kafka.bootstrap()).clientId("first").build();
  }

  @AfterEach
  void stop() {
    client.close();
    kafka.close();
  }

  private void send(int from, int to) throws InterruptedException {
    try (Producer<String, String> orders = client.producer(Serdes.string(), Serdes.string()).topic("orders").open()) {
      for (int i = from; i < to; i++) {
        orders.send("key-" + i % KEYS, Integer.toString(i));
      }
    }
  }

  private WorkBuilder<String, String> work() {
    return work(client, "billing-1");
  }

  private static WorkBuilder<String, String> work(KafkaClient of, String id) {
    return Work.on(of, Serdes.string(), Serdes.string()).group("billing").subscribe("orders").concurrency(8)
        .exactlyOnce(id).transactionEvery(Duration.ofMillis(20), 200);
  }

  private static void bill(dev.decant.kafka.consumer.ConsumerRecord<String, String> record, WorkContext context) {
    context.produce(BILLS, record.key(), record.value());
  }

  private List<OwnedRecord<String, String>> visible(String topic) throws InterruptedException {
    List<OwnedRecord<String, String>> records = new ArrayList<>();
    try (Consumer<String, String> reader = client.consumer(Serdes.string(), Serdes.string())
        .isolationLevel(IsolationLevel.READ_COMMITTED).offsetReset(OffsetReset.EARLIEST).open()) {
      List<TopicPartition> all = reader.partitionsFor(topic, Duration.ofSeconds(10)).stream()
          .map(info -> new TopicPartition(topic, info.partition())).toList();
      reader.assign(all);
      Map<TopicPartition, Long> ends = reader.endOffsets(all, Duration.ofSeconds(10));
      for (TopicPartition partition : all) {
        while (reader.position(topic, partition.partition(), Duration.ofSeconds(10)) < ends.getOrDefault(partition,
            0L)) {
          reader.poll(Duration.ofMillis(100), record -> records.add(record.copy()));
        }
      }
    }
    return records;
  }

  /** Asserts that each value is there once, and those of a key in their order. */
  private void assertBilledOnce(int records) throws InterruptedException {
    List<OwnedRecord<String, String>> bills = visible("bills");
    assertThat(bills).extracting(OwnedRecord::value).containsExactlyInAnyOrderElementsOf(
        IntStream.range(0, records).mapToObj(Integer::toString).toList());
    Map<String, Integer> last = new HashMap<>();
    for (OwnedRecord<String, String> bill : bills) {
      int value = Integer.parseInt(bill.value());
      Integer before = last.put(bill.key(), value);
      assertThat(before == null || before < value).as("%s before %s of %s", before, value, bill.key()).isTrue();
    }
    assertThat(committed()).isEqualTo(records);
  }

  private long committed() throws InterruptedException {
    long sum = 0;
    try (Consumer<String, String> reader = client.consumer(Serdes.string(), Serdes.string()).group("billing").open()) {
      for (int p = 0; p < PARTITIONS; p++) {
        sum += reader.committed(new TopicPartition("orders", p)).values().stream().mapToLong(o -> o.offset()).sum();
      }
    }
    return sum;
  }

  private void awaitCommitted(long records) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    for (long now = committed(); now < records; now = committed()) {
      assertThat(System.nanoTime()).as("%s committed", now).isLessThan(deadline);
      LockSupport.parkNanos(10_000_000);
    }
  }

  private static void awaitDone(Work work, long done) throws InterruptedException {
    awaitStatus(work, status -> status.done() + status.failedRecords() >= done);
  }

  private static void awaitStatus(Work work, java.util.function.Predicate<WorkStatus> what)
      throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    WorkStatus status = work.status();
    while (!what.test(status)) {
      assertThat(System.nanoTime()).as(status.toString()).isLessThan(deadline);
      LockSupport.parkNanos(1_000_000);
      status = work.status();
    }
  }

  private static void drain(Work work) throws InterruptedException {
    assertThat(work.drain(Duration.ofSeconds(20))).as(work.status().toString()).isTrue();
  }

  @ParameterizedTest
  @EnumSource(Order.class)
  void resultsOfFailedAttemptsAreDroppedAndOthersComeOnce(Order order) throws Exception {
    send(0, 2_000);
    AtomicInteger calls = new AtomicInteger();
    try (Work work = work().order(order).retry(Retry.inPlace(3, Duration.ofMillis(1))).open((record, context) -> {
      calls.incrementAndGet();
      bill(record, context);
      if (Integer.parseInt(record.value()) % 7 == 0 && context.attempt() < 3) {
        throw new IllegalStateException("not yet");
      }
    })) {
      awaitDone(work, 2_000);
      drain(work);
      assertThat(work.status().awaitingCommit()).isZero();
      assertThat(work.status().underWayBytes()).isZero();
    }
    List<OwnedRecord<String, String>> bills = visible("bills");
    if (order == Order.BY_KEY) {
      assertBilledOnce(2_000);
    } else {
      assertThat(bills).extracting(OwnedRecord::value).hasSize(2_000).doesNotHaveDuplicates();
    }
    assertThat(calls).hasValue(2_000 + 2 * 286);
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 9})
  void oldAndNewTransactionsOfBrokersServe(int minor) throws Exception {
    stop();
    start(minor);
    send(0, 500);
    try (Work work = work().consumer(c -> c.groupProtocol(GroupProtocol.CLASSIC)).open(WorkTransactionsTest::bill)) {
      awaitDone(work, 500);
      send(500, 600);
      awaitDone(work, 600);
      drain(work);
    }
    assertBilledOnce(600);
  }

  @Test
  void aWorkThatIsClosedCommitsWhatIsDone() throws Exception {
    send(0, 300);
    try (Work work = work().transactionEvery(Duration.ofHours(1), 100_000).open(WorkTransactionsTest::bill)) {
      awaitDone(work, 300);
      assertThat(work.status().awaitingCommit()).isEqualTo(300);
      assertThat(visible("bills")).isEmpty();
    }
    assertBilledOnce(300);
  }

  @Test
  void numberOfRecordsBringsTransactionsForward() throws Exception {
    send(0, 300);
    try (Work work = work().transactionEvery(Duration.ofHours(1), 100).open(WorkTransactionsTest::bill)) {
      awaitStatus(work, status -> status.done() == 300 && status.awaitingCommit() < 100);
    }
    assertBilledOnce(300);
  }

  @Test
  void aBoundOfRecordsOrBytesBringsTransactionsForward() throws Exception {
    send(0, 300);
    try (Work work = work().transactionEvery(Duration.ofHours(1), 100_000).maxUnderWay(20, 5)
        .open(WorkTransactionsTest::bill)) {
      awaitDone(work, 300);
    }
    assertBilledOnce(300);
    send(300, 600);
    try (Work work = work().transactionEvery(Duration.ofHours(1), 100_000).maxBytesUnderWay(300)
        .open(WorkTransactionsTest::bill)) {
      awaitDone(work, 300);
    }
    assertBilledOnce(600);
  }

  static Stream<Object[]> faults() {
    return Stream.of(
        new Object[] {ApiKey.PRODUCE, ErrorCode.TOPIC_AUTHORIZATION_FAILED},
        new Object[] {ApiKey.PRODUCE, ErrorCode.NOT_LEADER_OR_FOLLOWER},
        new Object[] {ApiKey.PRODUCE, null},
        new Object[] {ApiKey.TXN_OFFSET_COMMIT, ErrorCode.UNKNOWN_MEMBER_ID},
        new Object[] {ApiKey.TXN_OFFSET_COMMIT, ErrorCode.ILLEGAL_GENERATION},
        new Object[] {ApiKey.TXN_OFFSET_COMMIT, ErrorCode.NOT_COORDINATOR},
        new Object[] {ApiKey.TXN_OFFSET_COMMIT, ErrorCode.GROUP_AUTHORIZATION_FAILED},
        new Object[] {ApiKey.TXN_OFFSET_COMMIT, null},
        new Object[] {ApiKey.END_TXN, ErrorCode.COORDINATOR_NOT_AVAILABLE},
        new Object[] {ApiKey.END_TXN, ErrorCode.CONCURRENT_TRANSACTIONS},
        new Object[] {ApiKey.END_TXN, ErrorCode.TRANSACTION_ABORTABLE},
        new Object[] {ApiKey.END_TXN, null});
  }

  /** A fault without an error loses the response. */
  @ParameterizedTest
  @MethodSource("faults")
  void anAbortedTransactionIsRepeatedWithoutItsHandlers(ApiKey api, ErrorCode error) throws Exception {
    send(0, 1_000);
    AtomicInteger calls = new AtomicInteger();
    Fault fault = error == null
        ? (api == ApiKey.PRODUCE ? kafka.faults().on(api).topic("bills") : kafka.faults().on(api)).nth(2).closeAfter()
        : (api == ApiKey.PRODUCE ? kafka.faults().on(api).topic("bills") : kafka.faults().on(api)).nth(2)
            .answer(error);
    try (Work work = work().open((record, context) -> {
      calls.incrementAndGet();
      bill(record, context);
    })) {
      awaitDone(work, 1_000);
      send(1_000, 1_500); // behind the first transactions
      awaitDone(work, 1_500);
      drain(work);
      assertThat(work.status().isHealthy()).as(work.status().toString()).isTrue();
    }
    assertThat(fault.hits()).isPositive();
    assertThat(calls).hasValue(1_500);
    assertBilledOnce(1_500);
  }

  @Test
  void coordinatorsMayMoveMeanwhile() throws Exception {
    stop();
    kafka = FakeCluster.builder().brokers(3).inMemory().topic("orders", PARTITIONS).topic("bills", 2).start();
    client = KafkaClient.builder(kafka.bootstrap()).clientId("first").build();
    AtomicInteger calls = new AtomicInteger();
    try (Work work = work().open((record, context) -> {
      calls.incrementAndGet();
      bill(record, context);
    })) {
      for (int i = 0; i < 6; i++) {
        send(i * 200, (i + 1) * 200);
        kafka.moveTransactionCoordinator("billing-1", 1 + i % 3);
        kafka.moveGroupCoordinator("billing", 1 + (i + 1) % 3);
        awaitDone(work, (i + 1) * 200L);
      }
      drain(work);
    }
    assertBilledOnce(1_200);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatWasNotInATransactionComesAgainAfterARestart(boolean areOffsetsRefused) throws Exception {
    send(0, 1_000);
    CountDownLatch forEver = new CountDownLatch(1);
    Work work = work().open((record, context) -> {
      bill(record, context);
      if (String.valueOf(record.value()).endsWith("77")) {
        forEver.await();
      }
    });
    awaitStatus(work, status -> status.done() > 500);
    work.close(Duration.ZERO);
    List<String> before = visible("bills").stream().map(OwnedRecord::value).toList();
    assertThat(before).doesNotHaveDuplicates().noneMatch(value -> value.endsWith("77"));
    // the records that were done behind the committed offsets were not known, and were done again
    if (areOffsetsRefused) {
      kafka.faults().on(ApiKey.OFFSET_FETCH).nth(1).answer(ErrorCode.GROUP_AUTHORIZATION_FAILED);
    }
    try (Work next = work().open(WorkTransactionsTest::bill)) {
      awaitDone(next, 1_000 - before.size());
      drain(next);
      assertThat(next.status().done()).isEqualTo(1_000 - before.size());
    }
    assertBilledOnce(1_000);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 8, 16})
  void whatTheMetadataHasNoRoomForWaitsForTheNextTransaction(int characters) throws Exception {
    send(0, 600);
    CountDownLatch forEver = new CountDownLatch(1);
    Work work = work().order(Order.NONE).maxUnderWay(600, 600).commitMetadata(characters).open((record, context) -> {
      bill(record, context);
      if (record.offset() % 20 == 3 && record.partition() > 0) {
        forEver.await(); // at most 8 of them run, and each makes another run of offsets
      }
    });
    awaitStatus(work, status -> status.working() == 8 && status.partitions().size() == PARTITIONS);
    kafka.awaitRequest(ApiKey.END_TXN, Duration.ofSeconds(20));
    work.close(Duration.ZERO);
    List<String> before = visible("bills").stream().map(OwnedRecord::value).toList();
    assertThat(before).doesNotHaveDuplicates();
    try (Work next = work().order(Order.NONE).commitMetadata(characters).open(WorkTransactionsTest::bill)) {
      awaitDone(next, 600 - before.size());
      drain(next);
    }
    assertThat(visible("bills")).extracting(OwnedRecord::value).hasSize(600).doesNotHaveDuplicates();
    assertThat(committed()).isEqualTo(600);
  }

  @ParameterizedTest
  @EnumSource(GroupProtocol.class)
  void membersThatComeAndGoBillEachRecordOnce(GroupProtocol protocol) throws Exception {
    send(0, 2_000);
    WorkContextHandler<String, String> handler = (record, context) -> {
      bill(record, context);
      LockSupport.parkNanos(20_000);
    };
    try (KafkaClient other = KafkaClient.connect(kafka.bootstrap());
        Work one = work().consumer(c -> c.groupProtocol(protocol)).open(handler)) {
      awaitDone(one, 300);
      for (int i = 0; i < 3; i++) {
        try (Work two = work(other, "billing-2").consumer(c -> c.groupProtocol(protocol)).open(handler)) {
          awaitStatus(two, status -> !status.partitions().isEmpty());
          send(2_000 + i * 1_000, 3_000 + i * 1_000);
          awaitStatus(two, status -> status.done() > 50);
        }
      }
      awaitCommitted(5_000);
      drain(one);
    }
    assertBilledOnce(5_000);
  }

  @ParameterizedTest
  @EnumSource(GroupProtocol.class)
  void aMemberThatItsGroupHasRemovedCommitsNothing(GroupProtocol protocol) throws Exception {
    send(0, 500);
    CountDownLatch go = new CountDownLatch(1);
    CountDownLatch begun = new CountDownLatch(8);
    try (KafkaClient other = KafkaClient.connect(kafka.bootstrap());
        Work zombie = work().consumer(c -> c.groupProtocol(protocol)).open((record, context) -> {
          bill(record, context);
          begun.countDown();
          go.await();
        })) {
      assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
      kafka.expireMember("billing", "first");
      try (Work next = work(other, "billing-2").consumer(c -> c.groupProtocol(protocol))
          .open(WorkTransactionsTest::bill)) {
        awaitStatus(next, status -> status.done() > 0);
        go.countDown();
        awaitStatus(next, status -> status.underWay() == 0);
        awaitStatus(zombie, status -> status.underWay() == 0);
      }
      awaitCommitted(500);
      drain(zombie);
      assertThat(zombie.status().isHealthy()).as(zombie.status().toString()).isTrue();
    }
    assertBilledOnce(500);
  }

  @Test
  void anotherWorkWithTheSameTransactionalIdFencesTheFirst() throws Exception {
    send(0, 500);
    Work first = work().open((record, context) -> {
      bill(record, context);
      LockSupport.parkNanos(100_000);
    });
    try (KafkaClient other = KafkaClient.connect(kafka.bootstrap())) {
      awaitDone(first, 100);
      Work second = work(other, "billing-1").open(WorkTransactionsTest::bill);
      send(500, 1_000);
      assertThatThrownBy(first::awaitClose).hasCauseInstanceOf(TransactionException.class)
          .hasMessageContaining("billing-1");
      awaitCommitted(1_000);
      drain(second);
      second.close();
    }
    assertBilledOnce(1_000);
  }

  @Test
  void deadLettersAreStoredWithTheOffsetOfTheirRecord() throws Exception {
    send(0, 400);
    Fault fault = kafka.faults().on(ApiKey.END_TXN).nth(1).answer(ErrorCode.TRANSACTION_ABORTABLE);
    try (Work work = work().deadLetters("orders-dead").retry(Retry.inPlace(1, Duration.ZERO))
        .open((record, context) -> {
          bill(record, context);
          if (Integer.parseInt(record.value()) % 10 == 3) {
            throw new IllegalStateException("bad");
          }
        })) {
      awaitDone(work, 400);
      drain(work);
      assertThat(work.status().failedRecords()).isEqualTo(40);
    }
    assertThat(fault.hits()).isPositive();
    assertThat(visible("bills")).extracting(OwnedRecord::value).hasSize(360).doesNotHaveDuplicates()
        .noneMatch(value -> value.endsWith("3"));
    assertThat(visible("orders-dead")).extracting(OwnedRecord::value).hasSize(40).doesNotHaveDuplicates()
        .allMatch(value -> value.endsWith("3"));
    assertThat(committed()).isEqualTo(400);
  }

  @Test
  void aRecordWhoseResultNoBrokerTakesBecomesADeadLetterAndOthersGoOn() throws Exception {
    stop();
    kafka = FakeCluster.builder().inMemory().topic("orders", PARTITIONS).topic("bills", 2).topic("orders-dead", 1)
        .setting("message.max.bytes", "20000").start();
    client = KafkaClient.builder(kafka.bootstrap()).clientId("first").build();
    send(0, 300);
    try (Work work = work().deadLetters("orders-dead").retry(Retry.inPlace(5, Duration.ZERO))
        .open((record, context) -> {
          bill(record, context);
          if (String.valueOf(record.value()).endsWith("77")) {
            context.produce("bills", null, new byte[50_000], null);
          }
        })) {
      awaitStatus(work, status -> status.failedRecords() == 3);
      drain(work);
      assertThat(work.status().failedAttempts()).isEqualTo(3);
    }
    assertThat(visible("bills")).extracting(OwnedRecord::value).hasSize(297).doesNotHaveDuplicates();
    assertThat(visible("orders-dead")).extracting(OwnedRecord::value).containsExactlyInAnyOrder("77", "177", "277");
    assertThat(visible("orders-dead").get(0).headers()).filteredOn(h -> h.key().equals("dead-letter.message"))
        .allMatch(h -> new String(h.value(), StandardCharsets.UTF_8).contains("bills"));
    assertThat(committed()).isEqualTo(300);
  }

  @Test
  void resultsHaveHeadersPartitionAndTimestampOfTheirOwn() throws Exception {
    send(0, 1);
    try (Work work = work().open((record, context) -> {
      SendOptions options = new SendOptions().partition(1).timestamp(1_234);
      options.headers().addText("from", String.valueOf(record.value()));
      context.produce(BILLS, null, "x".repeat(5_000), options);
      options.clear().partition(0); // produce has copied the options
      context.produce(BILLS, null, null, options);
      context.produce("bills", new byte[0], "plain".getBytes(StandardCharsets.US_ASCII), null);
    })) {
      awaitDone(work, 1);
      drain(work);
    }
    List<OwnedRecord<String, String>> bills = visible("bills");
    assertThat(bills).hasSize(3);
    assertThat(bills).filteredOn(bill -> bill.partition() == 1 && bill.headers().iterator().hasNext()).singleElement()
        .satisfies(bill -> {
          assertThat(bill.value()).hasSize(5_000);
          assertThat(bill.key()).isNull();
          assertThat(bill.timestamp()).isEqualTo(1_234);
        });
    assertThat(bills).filteredOn(bill -> bill.value() == null).singleElement()
        .satisfies(bill -> assertThat(bill.partition()).isZero());
    assertThat(bills).filteredOn(bill -> "plain".equals(bill.value())).singleElement()
        .satisfies(bill -> assertThat(bill.key()).isEmpty());
  }

  @Test
  void anEncoderThatThrowsFailsTheAttemptAndAddsNothing() throws Exception {
    send(0, 1);
    ResultTopic<String, String> bad = ResultTopic.of("bills", Serdes.string(), (value, out) -> {
      out.writeByte(1);
      throw new IllegalArgumentException("no bytes for " + value);
    });
    try (Work work = work().open((record, context) -> {
      assertThatThrownBy(() -> context.produce(bad, "key", "value")).hasMessage("no bytes for value");
      bill(record, context);
    })) {
      awaitDone(work, 1);
      drain(work);
    }
    assertBilledOnce(1);
  }

  @Test
  void resultsAreRefusedWhereNoTransactionTakesThem() throws Exception {
    send(0, 1);
    AtomicReference<WorkContext> kept = new AtomicReference<>();
    AtomicReference<Throwable> elsewhere = new AtomicReference<>();
    try (Work work = work().open((record, context) -> {
      Thread other = Thread.ofPlatform().start(() -> elsewhere.set(refusal(() -> context.produce(BILLS, "k", "v"))));
      other.join();
      kept.set(context);
      bill(record, context);
    })) {
      awaitDone(work, 1);
      assertThat(elsewhere.get()).isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("not from this thread");
      assertThatThrownBy(() -> kept.get().produce(BILLS, "k", "v")).isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("too late");
      drain(work);
    }
    assertBilledOnce(1);
    AtomicReference<Throwable> without = new AtomicReference<>();
    send(1, 2);
    try (Work work = Work.on(client, Serdes.string(), Serdes.string()).group("billing").subscribe("orders")
        .open((record, context) -> without.set(refusal(() -> context.produce(BILLS, "k", "v"))))) {
      awaitDone(work, 1);
      assertThat(without.get()).isInstanceOf(IllegalStateException.class)
          .hasMessage("produce: this work has no transactions; call exactlyOnce(transactionalId) on its builder");
    }
  }

  private static Throwable refusal(Runnable call) {
    try {
      call.run();
      return new AssertionError("not refused");
    } catch (RuntimeException e) {
      return e;
    }
  }

  @Test
  void stagesProduceUntilTheyAreComplete() throws Exception {
    send(0, 1_000);
    AtomicReference<WorkContext> kept = new AtomicReference<>();
    try (ExecutorService elsewhere = Executors.newFixedThreadPool(4);
        Work work = work().retry(Retry.inPlace(2, Duration.ofMillis(1))).openAsync((record, context) -> {
          kept.set(context);
          String value = String.valueOf(record.value());
          String key = record.key();
          boolean fails = value.endsWith("5") && context.attempt() == 1;
          return CompletableFuture.runAsync(() -> {
            context.produce(BILLS, key, value);
            if (fails) {
              throw new IllegalStateException("again");
            }
          }, elsewhere);
        })) {
      awaitDone(work, 1_000);
      assertThatThrownBy(() -> kept.get().produce(BILLS, "k", "v")).isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("stage of the handler is complete");
      drain(work);
    }
    assertBilledOnce(1_000);
  }

  @Test
  void aResultTopicThatCannotBeWrittenForLongDoesNotEndTheWork() throws Exception {
    // The transaction waited for the delivery timeout of two minutes, and the status had no problem.
    send(0, 200);
    AtomicInteger calls = new AtomicInteger();
    CountDownLatch problems = new CountDownLatch(2);
    kafka.removeLeader("bills", 0);
    try (Work work = work().transactionTimeout(Duration.ofSeconds(3)).listener(new WorkListener() {
      @Override
      public void onProblem(String what, Throwable error) {
        problems.countDown();
      }
    }).open((record, context) -> {
      calls.incrementAndGet();
      bill(record, context);
    })) {
      assertThat(problems.await(30, TimeUnit.SECONDS)).as(work.status().toString()).isTrue();
      assertThat(work.status().failure()).isNull();
      assertThat(work.status().isHealthy()).isFalse();
      kafka.moveLeader("bills", 0, 1);
      awaitCommitted(200);
    }
    assertThat(calls).hasValue(200);
    assertBilledOnce(200);
  }

  @Test
  void aRecordWhoseResultABrokerRefusesDoesNotCountAsDone() throws Exception {
    // The record was in `done` and in `failedRecords`. `done` never decreases, so the next record shows what it counts.
    send(0, 9);
    try (Work work = work().deadLetters("orders-dead").open((record, context) -> context.produce("bills", null,
        new byte["4".equals(record.value()) ? 3 << 20 : 1], null))) {
      awaitStatus(work, status -> status.failedRecords() == 1);
      drain(work);
      assertThat(committed()).isEqualTo(9);
      send(9, 10);
      work.resume();
      awaitCommitted(10); // all ten have ended, and nine of them well
      drain(work);
      assertThat(work.status().done()).isEqualTo(9);
      assertThat(work.status().failedRecords()).isEqualTo(1);
    }
  }

  @Test
  void aNameThatNoTopicCanHaveFailsTheAttempt() throws Exception {
    // The name failed the transaction, with the results of other records.
    send(0, 1);
    CompletableFuture<String> refusal = new CompletableFuture<>();
    try (Work work = work().skipFailed().open((record, context) -> {
      try {
        context.produce("a b", null, null, null);
      } catch (IllegalArgumentException e) {
        refusal.complete(e.getMessage());
      }
    })) {
      assertThat(refusal.get(20, TimeUnit.SECONDS)).startsWith("produce: topic \"a b\": ");
      drain(work);
    }
  }

  @Test
  void resultsOfARecordThatExceedTheBoundFailItsAttempt() throws Exception {
    send(0, 1);
    try (Work work = work().maxBytesUnderWay(10_000).skipFailed().open((record, context) -> {
      for (int i = 0; i < 100; i++) {
        context.produce(BILLS, record.key(), "x".repeat(1_000));
      }
    })) {
      awaitStatus(work, status -> status.failedRecords() == 1);
      drain(work);
    }
    assertThat(visible("bills")).isEmpty();
    assertThat(committed()).isEqualTo(1);
  }
}
