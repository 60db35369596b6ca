package dev.decant.kafka.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.fake.FakeCluster;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.serialization.Serdes;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Executors, predicates, exceptions and stages of users may be at fault. The work goes on. */
@Timeout(40)
class WorkHostileTest {
  private FakeCluster kafka;
  private KafkaClient client;

  @BeforeEach
  void start() {
    kafka = FakeCluster.builder().inMemory().topic("orders", 1).topic("orders-dead", 1).start();
    client = KafkaClient.connect(kafka.bootstrap());
  }

  @AfterEach
  void stop() {
    client.close();
    kafka.close();
  }

  private void send(String... values) throws InterruptedException {
    try (Producer<String, String> orders = client.producer(Serdes.string(), Serdes.string()).topic("orders").open()) {
      for (String value : values) {
        orders.sendAndWait("key " + value.length(), value);
      }
    }
  }

  private WorkBuilder<String, String> work() {
    return Work.on(client, Serdes.string(), Serdes.string()).group("billing").subscribe("orders");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anExecutorThatRefusesIsAskedAgain(boolean isError) throws Exception {
    // An executor that had refused got no task before another record came. An Error of it took the records that a
    // worker had.
    send("a", "bb", "ccc");
    AtomicInteger asked = new AtomicInteger();
    CountDownLatch all = new CountDownLatch(3);
    try (ExecutorService threads = Executors.newCachedThreadPool();
        Work work = work().concurrency(3).on(task -> {
          if (asked.getAndIncrement() < 3) {
            if (isError) {
              throw new OutOfMemoryError("no thread");
            }
            throw new RejectedExecutionException("no thread");
          }
          threads.execute(task);
        }).open(record -> all.countDown())) {
      assertThat(all.await(20, TimeUnit.SECONDS)).as(work.status().toString()).isTrue();
      assertThat(work.drain(Duration.ofSeconds(20))).isTrue();
    }
  }

  @Test
  void anExecutorMayRunTasksWhereItIsAsked() throws Exception {
    send("a", "bb", "ccc", "a");
    CountDownLatch all = new CountDownLatch(4);
    try (Work work = work().concurrency(3).on(Runnable::run).open(record -> all.countDown())) {
      assertThat(all.await(20, TimeUnit.SECONDS)).as(work.status().toString()).isTrue();
      assertThat(work.drain(Duration.ofSeconds(20))).isTrue();
    }
  }

  @Test
  void aRecordThatThePoolHasNoRoomForGoesAlone() throws Exception {
    // The page of the small record before left too little of the pool, and no record was ever taken again.
    send("small", "x".repeat(230_000), "small again");
    CountDownLatch all = new CountDownLatch(3);
    try (Work work = work().maxBytesUnderWay(1).open(record -> all.countDown())) {
      assertThat(all.await(20, TimeUnit.SECONDS)).as(work.status().toString()).isTrue();
    }
  }

  @Test
  void aPredicateThatThrowsWhatItIsAskedAboutSaysNo() throws Exception {
    // An exception cannot suppress itself: the attempt ended the work, and so did an Error.
    send("a", "bb");
    try (Work work = work().retry(Retry.inPlace(2, Duration.ZERO).onlyIf(error -> {
      if (error instanceof IllegalStateException state) {
        throw state;
      }
      throw new AssertionError("no");
    })).deadLetters("orders-dead").open(record -> {
      throw "a".equals(record.value()) ? new IllegalStateException("bad") : new IllegalArgumentException("bad");
    })) {
      awaitDeadLetters(2);
      assertThat(work.drain(Duration.ofSeconds(20))).isTrue();
      assertThat(work.status().failedAttempts()).isEqualTo(2);
    }
  }

  private void awaitDeadLetters(int records) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (kafka.log("orders-dead", 0).texts().size() < records) {
      assertThat(System.nanoTime() - end).isNegative();
      Thread.onSpinWait();
    }
  }

  private static final class Unspeakable extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new IllegalStateException("no words");
    }
  }

  @Test
  void anExceptionWithoutWordsBecomesADeadLetter() throws Exception {
    // The work read the message of an exception that throws when it is read, and ended.
    send("a");
    try (Work work = work().deadLetters("orders-dead").open(record -> {
      throw new Unspeakable();
    })) {
      awaitDeadLetters(1);
      assertThat(work.drain(Duration.ofSeconds(20))).isTrue();
    }
  }

  @Test
  void whoIsCalledByThePollingThreadMayCloseTheWork() throws Exception {
    // The call waited for itself, for ever.
    send("a");
    CompletableFuture<Work> opened = new CompletableFuture<>();
    CompletableFuture<Throwable> refused = new CompletableFuture<>();
    Work work = work().skipFailed().onPollingThread().listener(new WorkListener() {
      @Override
      public void onRecordFailed(TopicPartition partition, long offset, AfterFailure becomes, Throwable error) {
        opened.join().close();
      }
    }).open(record -> {
      try {
        opened.join().status();
      } catch (IllegalStateException e) {
        refused.complete(e);
      }
      throw new IllegalStateException("bad");
    });
    opened.complete(work);
    work.awaitClose();
    assertThat(refused.get(20, TimeUnit.SECONDS)).hasMessageContaining("status: not from within");
  }

  @Test
  void aCommitThatSucceedsEndsTheProblemOfOneThatDidNot() throws Exception {
    // The work was unhealthy for ever.
    kafka.faults().on(ApiKey.OFFSET_COMMIT).nth(1).answer(ErrorCode.INVALID_COMMIT_OFFSET_SIZE);
    CountDownLatch failed = new CountDownLatch(1);
    try (Work work = work().commitEvery(Duration.ofMillis(20), 1).listener(new WorkListener() {
      @Override
      public void onProblem(String what, Throwable error) {
        failed.countDown();
      }
    }).open(record -> {})) {
      send("a");
      assertThat(failed.await(20, TimeUnit.SECONDS)).isTrue();
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
      while (!work.status().isHealthy()) {
        assertThat(System.nanoTime() - end).as(work.status().toString()).isNegative();
        Thread.onSpinWait();
      }
    }
  }

  /** A stage of a class of the user's, which ends twice, or throws when it is asked for its end. */
  private static final class FaultyStage extends CompletableFuture<Void> {
    private final boolean isTwice;

    FaultyStage(boolean isTwice) {
      this.isTwice = isTwice;
    }

    @Override
    public CompletableFuture<Void> whenComplete(BiConsumer<? super Void, ? super Throwable> action) {
      if (!isTwice) {
        throw new UnsupportedOperationException("no");
      }
      action.accept(null, null);
      action.accept(null, new IllegalStateException("again"));
      return this;
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aFaultyStageEndsItsRecordOnce(boolean isTwice) throws Exception {
    send("a", "bb", "ccc", "a");
    try (Work work = work().skipFailed().openAsync((record, context) -> new FaultyStage(isTwice))) {
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
      while (work.status().failedRecords() + work.status().done() < 4) {
        assertThat(System.nanoTime() - end).as(work.status().toString()).isNegative();
        Thread.onSpinWait();
      }
      assertThat(work.drain(Duration.ofSeconds(20))).isTrue();
      assertThat(work.status().failedRecords()).isEqualTo(isTwice ? 0 : 4);
    }
  }

  @Test
  void whoIsCalledByThePollingThreadMayInterruptIt() throws Exception {
    // The next poll threw, and the work ended.
    send("a", "bb");
    CountDownLatch all = new CountDownLatch(2);
    try (Work work = work().skipFailed().listener(new WorkListener() {
      @Override
      public void onRecordFailed(TopicPartition partition, long offset, AfterFailure becomes, Throwable error) {
        Thread.currentThread().interrupt();
        all.countDown();
      }
    }).openAsync((record, context) -> {
      Thread.currentThread().interrupt();
      throw new InterruptedException("by the handler itself");
    })) {
      assertThat(all.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(work.drain(Duration.ofSeconds(20))).isTrue();
      assertThat(work.status().failure()).isNull();
    }
  }

  @Test
  void settingsOfOneStartDoNotStayForTheNext() throws Exception {
    // After openAsync the builder's next work ran on the polling thread.
    WorkBuilder<String, String> builder = work().concurrency(2);
    try (Work work = builder.openAsync((record, context) -> CompletableFuture.completedFuture(null))) {
      assertThat(work.status().failure()).isNull();
    }
    CompletableFuture<String> thread = new CompletableFuture<>();
    send("a");
    try (Work work = builder.group("shipping").open(record -> thread.complete(Thread.currentThread().getName()))) {
      assertThat(thread.get(20, TimeUnit.SECONDS)).as(work.status().toString()).startsWith("decant-work-shipping-");
    }
  }

  @Test
  void aHandlerTimeoutOnThePollingThreadIsRefused() {
    // The setting was taken, and had no effect.
    assertThatThrownBy(() -> work().onPollingThread().handlerTimeout(Duration.ofSeconds(1)).open(record -> {}))
        .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("drop handlerTimeout(...)");
  }

  @Test
  void aWorkThatIsClosedWhileItJoinsIsNotKept() throws Exception {
    // A timer of the consumer held its listener for two and a half minutes: 4 MB for each start.
    List<WeakReference<Object>> held = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      held.add(openAndClose("group-" + i));
    }
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (held.stream().anyMatch(of -> of.get() != null)) {
      assertThat(System.nanoTime() - end).as(held.stream().filter(of -> of.get() != null).count() + " are held")
          .isNegative();
      System.gc();
    }
  }

  private WeakReference<Object> openAndClose(String group) throws InterruptedException {
    Object ofHandler = new Object();
    work().group(group).open(record -> assertThat(ofHandler).isNotNull()).close(Duration.ofMillis(500));
    return new WeakReference<>(ofHandler);
  }
}
