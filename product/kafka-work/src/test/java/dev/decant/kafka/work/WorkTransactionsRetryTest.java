package dev.decant.kafka.work;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fake.FakeCluster;
import dev.decant.fake.Fault;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.GroupProtocol;
import dev.decant.kafka.consumer.IsolationLevel;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.consumer.OwnedRecord;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Records go through retry topics within transactions: their results come once, and in the order of their keys. */
@Timeout(60)
class WorkTransactionsRetryTest {
  private static final int PARTITIONS = 2;
  private static final int KEYS = 20;
  private static final ResultTopic<String, String> BILLS = ResultTopic.of("bills", Serdes.string(), Serdes.string());

  private FakeCluster kafka;
  private KafkaClient client;

  @BeforeEach
  void start() {
    kafka = FakeCluster.builder().inMemory().topic("orders", PARTITIONS).topic("bills", 1).topic("orders-dead", 1)
        .topic("orders-retry-1", PARTITIONS).topic("orders-retry-2", PARTITIONS).start();
    client = KafkaClient.connect(kafka.bootstrap());
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

  private static WorkBuilder<String, String> work(KafkaClient of, String id) {
    RetryTopics stages = RetryTopics.named("orders-retry", Duration.ofMillis(30), Duration.ofMillis(60));
    return Work.on(of, Serdes.string(), Serdes.string()).group("billing").subscribe("orders").concurrency(4)
        .retry(Retry.none().then(stages)).deadLetters("orders-dead").exactlyOnce(id)
        .transactionEvery(Duration.ofMillis(10), 100);
  }

  /** Each eleventh needs two more attempts, and each hundredth fails for good. */
  private static void handle(dev.decant.kafka.consumer.ConsumerRecord<String, String> record, WorkContext context) {
    int value = Integer.parseInt(record.value());
    context.produce(BILLS, record.key(), record.value());
    if ((value % 11 == 0 && context.attempt() < 3) || value % 100 == 99) {
      throw new IllegalStateException("not yet");
    }
  }

  private List<OwnedRecord<String, String>> visible(String topic) throws InterruptedException {
    List<OwnedRecord<String, String>> records = new ArrayList<>();
    try (Consumer<String, String> reader = client.consumer(Serdes.string(), Serdes.string())
        .isolationLevel(IsolationLevel.READ_COMMITTED).offsetReset(OffsetReset.EARLIEST).open()) {
      reader.assign(topic, 0);
      long end = reader.endOffsets(new TopicPartition(topic, 0)).values().iterator().next();
      while (reader.position(topic, 0, Duration.ofSeconds(10)) < end) {
        reader.poll(Duration.ofMillis(100), record -> records.add(record.copy()));
      }
    }
    return records;
  }

  private static void awaitDone(Work work, int records) throws InterruptedException {
    awaitStatus(work, status -> status.done() >= records);
  }

  private static void awaitStatus(Work work, Predicate<WorkStatus> what) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    for (WorkStatus status = work.status(); !what.test(status); status = work.status()) {
      assertThat(System.nanoTime()).as(status.toString()).isLessThan(deadline);
      LockSupport.parkNanos(1_000_000);
    }
  }

  private void awaitEachOnceInOrder(int records) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(40);
    while (visible("bills").size() + visible("orders-dead").size() < records) {
      assertThat(System.nanoTime()).as("%s bills", visible("bills").size()).isLessThan(deadline);
      LockSupport.parkNanos(20_000_000);
    }
    assertThat(visible("orders-dead")).extracting(OwnedRecord::value).containsExactlyInAnyOrderElementsOf(
        IntStream.range(0, records).filter(i -> i % 100 == 99).mapToObj(Integer::toString).toList());
    List<OwnedRecord<String, String>> bills = visible("bills");
    assertThat(bills).extracting(OwnedRecord::value).containsExactlyInAnyOrderElementsOf(
        IntStream.range(0, records).filter(i -> i % 100 != 99).mapToObj(Integer::toString).toList());
    Map<String, Integer> last = new HashMap<>();
    for (OwnedRecord<String, String> bill : bills) {
      int value = Integer.parseInt(bill.value());
      Integer before = last.put(bill.key(), value);
      assertThat(before == null || before < value).as("%s before %s of %s", before, value, bill.key()).isTrue();
    }
  }

  @Test
  void retriedRecordsAreBilledOnceAndInOrderThoughTransactionsAbort() throws Exception {
    send(0, 600);
    List<Fault> faults = List.of(
        kafka.faults().on(ApiKey.END_TXN).nth(2).answer(ErrorCode.TRANSACTION_ABORTABLE),
        kafka.faults().on(ApiKey.END_TXN).nth(5).closeAfter(),
        kafka.faults().on(ApiKey.TXN_OFFSET_COMMIT).nth(4).answer(ErrorCode.UNKNOWN_MEMBER_ID),
        kafka.faults().on(ApiKey.PRODUCE).topic("orders-retry-1").nth(1).answer(ErrorCode.TOPIC_AUTHORIZATION_FAILED));
    try (Work work = work(client, "billing-1").open(WorkTransactionsRetryTest::handle)) {
      awaitEachOnceInOrder(600);
      assertThat(work.drain(Duration.ofSeconds(20))).as(work.status().toString()).isTrue();
      assertThat(work.status().isHealthy()).as(work.status().toString()).isTrue();
    }
    assertThat(faults).allSatisfy(fault -> assertThat(fault.hits()).isPositive());
  }

  @Test
  void aRestartInTheMiddleRepeatsNoResult() throws Exception {
    send(0, 600);
    for (int i = 0; i < 3; i++) {
      Work work = work(client, "billing-1").open(WorkTransactionsRetryTest::handle);
      awaitDone(work, 40);
      work.close(Duration.ZERO);
    }
    try (Work work = work(client, "billing-1").open(WorkTransactionsRetryTest::handle)) {
      awaitEachOnceInOrder(600);
      assertThat(work.drain(Duration.ofSeconds(20))).as(work.status().toString()).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource(GroupProtocol.class)
  void membersThatComeAndGoRepeatNoResult(GroupProtocol protocol) throws Exception {
    send(0, 400);
    try (KafkaClient other = KafkaClient.connect(kafka.bootstrap());
        Work one = work(client, "billing-1").consumer(c -> c.groupProtocol(protocol))
            .open(WorkTransactionsRetryTest::handle)) {
      for (int i = 0; i < 2; i++) {
        try (Work two = work(other, "billing-2").consumer(c -> c.groupProtocol(protocol))
            .open(WorkTransactionsRetryTest::handle)) {
          awaitStatus(two, status -> !status.partitions().isEmpty());
          send(400 + i * 200, 600 + i * 200);
          awaitDone(two, 10);
        }
      }
      awaitEachOnceInOrder(800);
      assertThat(one.drain(Duration.ofSeconds(20))).as(one.status().toString()).isTrue();
    }
  }
}
