package dev.decant.kafka.work.apache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.fake.FakeCluster;
import dev.decant.fake.Fault;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.RebalanceListener;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.Transactions;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.kafka.work.LargeLetters;
import dev.decant.kafka.work.Work;
import dev.decant.kafka.work.WorkFailedException;
import dev.decant.kafka.work.WorkListener;
import dev.decant.kafka.work.bridge.RecordSource;
import dev.decant.kafka.work.bridge.SourceHandler;
import dev.decant.kafka.work.bridge.SourceRecords;
import dev.decant.kafka.work.bridge.WorkBridge;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What differs between Apache's consumer and Decant's is hidden from the work. */
@Timeout(60)
class ApacheSourceTest {
  private static final TopicPartition ID = new TopicPartition("orders", 0);
  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  private FakeCluster kafka;
  private KafkaClient client;

  @BeforeEach
  void start() {
    kafka = FakeCluster.builder().topic("orders", 1).topic("orders-dead", 1).start();
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
        orders.send("key", Integer.toString(i));
      }
    }
  }

  /** Takes as many records as the test allows. */
  private static final class Taking implements SourceHandler<String, String> {
    private final List<String> values = new ArrayList<>();
    private int most = Integer.MAX_VALUE;
    private long position = -1;

    @Override
    public void onRecords(SourceRecords<String, String> records) {
      for (int taken = 0; taken < most && records.next(); taken++) {
        values.add(records.record().value());
      }
      position = records.position();
    }

    @Override
    public void onPositionAdvanced(SourceRecords<String, String> at) {
      position = at.position();
    }
  }

  private RecordSource<String, String> open(Clients clients) throws InterruptedException {
    return new ApacheBridge<>(clients.at(kafka.bootstrap()), Serdes.string(), Serdes.string())
        .open(new WorkBridge.Subscription("billing", List.of("orders"), false), new RebalanceListener() {
        });
  }

  private static void pollUntil(RecordSource<String, String> source, Taking taking, int values)
      throws InterruptedException {
    long deadline = System.nanoTime() + TIMEOUT.toNanos();
    while (taking.values.size() < values) {
      assertThat(System.nanoTime()).as(taking.values.toString()).isLessThan(deadline);
      source.poll(Duration.ofMillis(100), taking);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aWakeUpEndsNoCommitAndNoQuestion(Clients clients) throws Exception {
    send(3);
    try (RecordSource<String, String> source = open(clients)) {
      Taking taking = new Taking();
      pollUntil(source, taking, 3);
      source.wakeup();
      source.commit(Map.of(ID, new OffsetAndMetadata(3, -1, "w1.")), TIMEOUT);
      source.wakeup();
      assertThat(source.committed(List.of(ID), TIMEOUT)).containsEntry(ID, new OffsetAndMetadata(3, -1, "w1."));
      source.wakeup();
      source.poll(Duration.ofSeconds(1), taking);
      assertThat(taking.values).hasSize(3);
    }
  }

  /** A wake-up before each poll had kept all records away. */
  @ParameterizedTest
  @EnumSource
  void recordsComeThoughAWakeUpIsBeforeEachPoll(Clients clients) throws Exception {
    send(100);
    try (RecordSource<String, String> source = open(clients)) {
      Taking taking = new Taking();
      long deadline = System.nanoTime() + TIMEOUT.toNanos();
      while (taking.values.size() < 100) {
        assertThat(System.nanoTime()).as(taking.values.toString()).isLessThan(deadline);
        source.wakeup();
        source.poll(Duration.ofMillis(100), taking);
      }
      assertThat(taking.values).doesNotHaveDuplicates().hasSize(100);
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatIsNotTakenIsHandedOutLaterAndCountsAsLag(Clients clients) throws Exception {
    send(100);
    try (RecordSource<String, String> source = open(clients)) {
      Taking taking = new Taking();
      taking.most = 1;
      pollUntil(source, taking, 7);
      assertThat(taking.values).containsExactly("0", "1", "2", "3", "4", "5", "6");
      assertThat(taking.position).isEqualTo(7);
      assertThat(source.currentLag("orders", 0)).isEqualTo(93);
      source.pause("orders", 0);
      source.poll(Duration.ZERO, taking);
      assertThat(taking.values).hasSize(7);
      source.resume("orders", 0);
      taking.most = Integer.MAX_VALUE;
      source.seek("orders", 0, 90);
      pollUntil(source, taking, 17);
      assertThat(taking.values.subList(7, 17)).startsWith("90").endsWith("99");
    }
  }

  @ParameterizedTest
  @EnumSource
  void thePositionMovesPastTransactionMarkers(Clients clients) throws Exception {
    try (Transactions transactions = client.transactions("t").open();
        Producer<String, String> orders = client.producer(Serdes.string(), Serdes.string()).topic("orders")
            .transactions(transactions).open()) {
      transactions.begin();
      orders.send("key", "0");
      transactions.commit(TIMEOUT);
    }
    try (RecordSource<String, String> source = open(clients)) {
      Taking taking = new Taking();
      long deadline = System.nanoTime() + TIMEOUT.toNanos();
      while (taking.position < 2) {
        assertThat(System.nanoTime()).as("position %s", taking.position).isLessThan(deadline);
        source.poll(Duration.ofMillis(100), taking);
      }
      assertThat(taking.values).containsExactly("0");
    }
  }

  @ParameterizedTest
  @EnumSource
  void anErrorThatEndsThePollsEndsTheWork(Clients clients) throws Exception {
    send(1);
    Fault fault = kafka.faults().on(ApiKey.FETCH).topic("orders").every().answer(ErrorCode.TOPIC_AUTHORIZATION_FAILED);
    Work work = ApacheWork.on(clients.at(kafka.bootstrap()), new StringDeserializer(), new StringDeserializer())
        .group("billing").subscribe("orders").open(record -> {});
    assertThatThrownBy(work::awaitClose).isInstanceOf(WorkFailedException.class)
        .cause().isInstanceOf(KafkaException.class)
        .extracting(cause -> ((KafkaException) cause).code()).isEqualTo(ErrorCode.TOPIC_AUTHORIZATION_FAILED);
    fault.end();
  }

  @ParameterizedTest
  @EnumSource
  void aCommitThatIsRefusedIsAProblemAndIsTriedAgain(Clients clients) throws Exception {
    send(10);
    Fault fault = kafka.faults().on(ApiKey.OFFSET_COMMIT).every().answer(ErrorCode.OFFSET_METADATA_TOO_LARGE);
    CountDownLatch problem = new CountDownLatch(1);
    CountDownLatch solved = new CountDownLatch(1);
    try (Work work = ApacheWork.on(clients.at(kafka.bootstrap()), new StringDeserializer(), new StringDeserializer())
        .group("billing").subscribe("orders").commitEvery(Duration.ofMillis(20), Integer.MAX_VALUE)
        .listener(new WorkListener() {
          @Override
          public void onProblem(String what, Throwable error) {
            if (error instanceof KafkaException e && e.code() == ErrorCode.OFFSET_METADATA_TOO_LARGE) {
              problem.countDown();
            }
          }

          @Override
          public void onCommitted(List<TopicPartition> partitions, long nanos) {
            solved.countDown();
          }
        }).open(record -> {})) {
      assertThat(problem.await(20, TimeUnit.SECONDS)).as(work.status().toString()).isTrue();
      fault.end();
      assertThat(solved.await(20, TimeUnit.SECONDS)).as(work.status().toString()).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aDeadLetterThatTheProducerRefusesForItsSizeGoesWithoutItsValue(Clients clients) throws Exception {
    try (Producer<String, String> orders = client.producer(Serdes.string(), Serdes.string()).topic("orders").open()) {
      orders.sendAndWait("key", "x".repeat(20_000));
    }
    ApacheClients small = clients.at(kafka.bootstrap()).producerSettings(Map.of("max.request.size", 10_000));
    try (Work work = ApacheWork.on(small, new StringDeserializer(), new StringDeserializer()).group("billing")
        .subscribe("orders").deadLetters("orders-dead").largeLetters(LargeLetters.DROP_VALUE).open(record -> {
          throw new IllegalStateException("bad");
        })) {
      long deadline = System.nanoTime() + TIMEOUT.toNanos();
      while (work.status().failedRecords() < 1) {
        assertThat(System.nanoTime()).as(work.status().toString()).isLessThan(deadline);
        LockSupport.parkNanos(1_000_000);
      }
      assertThat(work.drain(TIMEOUT)).as(work.status().toString()).isTrue();
    }
    assertThat(kafka.log("orders-dead", 0).logEnd()).isEqualTo(1);
  }

  /** The listener was called with the exception, and again with the outcome. */
  @Test
  void aCommitThatIsSentAndThrowsHasOneOutcome() {
    AtomicReference<OffsetCommitCallback> sent = new AtomicReference<>();
    @SuppressWarnings("unchecked")
    Consumer<byte[], byte[]> throwing = (Consumer<byte[], byte[]>) Proxy.newProxyInstance(
        ApacheSourceTest.class.getClassLoader(), new Class<?>[] {Consumer.class}, (proxy, method, arguments) -> {
          assertThat(method.getName()).isEqualTo("commitAsync");
          sent.set((OffsetCommitCallback) arguments[1]);
          throw new org.apache.kafka.common.KafkaException("thrown after the request was queued");
        });
    List<String> outcomes = new ArrayList<>();
    ApacheSource<String, String> source = new ApacheSource<>(throwing, new RebalanceListener() {
    }, Serdes.string(), Serdes.string());
    source.commitAsync(Map.of(ID, new OffsetAndMetadata(3)),
        (offsets, error) -> outcomes.add(error == null ? "committed" : String.valueOf(error.getMessage())));
    sent.get().onComplete(Map.of(), null);
    assertThat(outcomes).containsExactly("thrown after the request was queued");
  }
}
