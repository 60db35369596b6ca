package dev.decant.kafka.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.fake.FakeCluster;
import dev.decant.fake.Fault;
import dev.decant.fake.StoredRecord;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.SendOptions;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Dead letters go back to where they come from, each once. */
@Timeout(60)
class RedriveTest {
  private FakeCluster kafka;
  private KafkaClient client;

  @BeforeEach
  void start() {
    kafka = FakeCluster.builder().inMemory().topic("orders", 3).topic("dead", 2).topic("repair", 1).start();
    client = KafkaClient.connect(kafka.bootstrap());
  }

  @AfterEach
  void stop() {
    client.close();
    kafka.close();
  }

  /** Has a work bury all records of a topic. */
  private void bury(HeaderNames names, int records) throws Exception {
    try (Producer<String, String> orders = client.producer(Serdes.string(), Serdes.string()).topic("orders").open()) {
      SendOptions options = new SendOptions();
      for (int i = 0; i < records; i++) {
        options.clear().headers().addText("trace", "t" + i);
        orders.sendAndWait("key-" + i, "value-" + i, options);
      }
    }
    try (Work work = Work.on(client, Serdes.string(), Serdes.string()).group("billing").subscribe("orders")
        .headerNames(names).deadLetters("dead").open(record -> {
          throw new IllegalStateException("bad");
        })) {
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
      while (texts("dead", 2).size() < records) {
        assertThat(System.nanoTime() - end).as(work.status().toString()).isNegative();
        Thread.onSpinWait();
      }
    }
  }

  private List<String> texts(String topic, int partitions) {
    List<String> all = new ArrayList<>();
    for (int p = 0; p < partitions; p++) {
      all.addAll(kafka.log(topic, p).texts());
    }
    return all;
  }

  @ParameterizedTest
  @EnumSource(HeaderNames.class)
  void aSecondRunSendsNothingAgain(HeaderNames names) throws Exception {
    bury(names, 30);
    assertThat(Work.redrive(client, "dead").dryRun().run()).isEqualTo(new Redrive.Result(30, 0, 0));
    assertThat(texts("orders", 3)).hasSize(30);
    assertThat(Work.redrive(client, "dead").limit(10).run()).isEqualTo(new Redrive.Result(10, 0, 0));
    assertThat(Work.redrive(client, "dead").run()).isEqualTo(new Redrive.Result(20, 0, 0));
    assertThat(Work.redrive(client, "dead").run()).isEqualTo(new Redrive.Result(0, 0, 0));
    for (int p = 0; p < 3; p++) {
      List<StoredRecord> records = kafka.log("orders", p).records();
      List<StoredRecord> first = records.subList(0, records.size() / 2);
      List<StoredRecord> again = records.subList(records.size() / 2, records.size());
      assertThat(again).extracting(StoredRecord::valueText)
          .containsExactlyInAnyOrderElementsOf(first.stream().map(StoredRecord::valueText).toList());
      assertThat(again).allSatisfy(record -> assertThat(record.headers()).extracting(StoredRecord.Header::key)
          .containsExactly("trace"));
    }
  }

  @Test
  void lettersOfAnAbortedTransactionAreNotSent() throws Exception {
    // A work repeats an aborted transaction, so its letters are in the log twice. Both were sent.
    try (Producer<String, String> orders = client.producer(Serdes.string(), Serdes.string()).topic("orders").open()) {
      for (int i = 0; i < 20; i++) {
        orders.sendAndWait("key-" + i, "value-" + i);
      }
    }
    Fault fault = kafka.faults().on(ApiKey.TXN_OFFSET_COMMIT).nth(1).answer(ErrorCode.UNKNOWN_MEMBER_ID);
    try (Work work = Work.on(client, Serdes.string(), Serdes.string()).group("billing").subscribe("orders")
        .exactlyOnce("billing-1").deadLetters("dead").open(record -> {
          throw new IllegalStateException("bad");
        })) {
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
      while (work.status().failedRecords() < 20) {
        assertThat(System.nanoTime() - end).as(work.status().toString()).isNegative();
        Thread.onSpinWait();
      }
      assertThat(work.drain(Duration.ofSeconds(20))).as(work.status().toString()).isTrue();
    }
    assertThat(fault.hits()).isOne();
    assertThat(Work.redrive(client, "dead").dryRun().run()).isEqualTo(new Redrive.Result(20, 0, 0));
    assertThat(Work.redrive(client, "dead").run()).isEqualTo(new Redrive.Result(20, 0, 0));
    assertThat(texts("orders", 3)).hasSize(40);
  }

  @Test
  void someGoElsewhereAndSomeCannotGo() throws Exception {
    bury(HeaderNames.DECANT, 9);
    try (Producer<String, String> dead = client.producer(Serdes.string(), Serdes.string()).topic("dead").open()) {
      dead.sendAndWait("foreign", "without an origin");
      SendOptions options = new SendOptions();
      options.headers().addText("dead-letter.topic", "orders").addText("dead-letter.value-length", "5");
      dead.sendAndWait("large", null, options);
    }
    Redrive.Result result = Work.redrive(client, "dead").group("mine").to("repair")
        .onlyIf(record -> record.valueLength() < 0 || record.headerText("trace") == null
            || Integer.parseInt(record.headerText("trace").substring(1)) % 3 == 0)
        .run();
    assertThat(result).isEqualTo(new Redrive.Result(4, 6, 1));
    assertThat(texts("repair", 1)).containsExactlyInAnyOrder("value-0", "value-3", "value-6", "without an origin");
    assertThat(Work.redrive(client, "dead").run()).as("another group").isEqualTo(new Redrive.Result(9, 0, 2));
  }

  @Test
  void whatIsStoredBehindAFailureIsNotSentAgain() throws Exception {
    bury(HeaderNames.DECANT, 30);
    Fault fault = kafka.faults().on(ApiKey.PRODUCE).topic("orders")
        .nth(1).answer(ErrorCode.TOPIC_AUTHORIZATION_FAILED);
    assertThatThrownBy(() -> Work.redrive(client, "dead").run()).isInstanceOf(KafkaException.class)
        .hasMessageContaining("redrive of dead has stopped").hasMessageContaining("TOPIC_AUTHORIZATION_FAILED");
    fault.end();
    Redrive.Result unused = Work.redrive(client, "dead").run();
    List<String> all = texts("orders", 3);
    assertThat(all).hasSize(60);
    for (int i = 0; i < 30; i++) {
      assertThat(all.stream().filter(("value-" + i)::equals)).as("value-" + i).hasSize(2);
    }
  }

  @Test
  void topicsThatAreNotThereAreNamed() throws Exception {
    assertThatThrownBy(() -> Work.redrive(client, "nowhere").run()).isInstanceOf(KafkaException.class)
        .hasMessage("there is no topic nowhere with dead letters");
    try (Producer<String, String> dead = client.producer(Serdes.string(), Serdes.string()).topic("dead").open()) {
      SendOptions options = new SendOptions();
      options.headers().addText("dead-letter.topic", "gone");
      dead.sendAndWait("a", "b", options);
    }
    assertThatThrownBy(() -> Work.redrive(client, "dead").run()).hasMessageContaining("there is no topic gone")
        .hasMessageContaining("to(topic)");
    try (Producer<String, String> dead = client.producer(Serdes.string(), Serdes.string()).topic("dead").open()) {
      kafka.deleteRecords("dead", 0, kafka.log("dead", 0).logEnd());
      kafka.deleteRecords("dead", 1, kafka.log("dead", 1).logEnd());
      SendOptions options = new SendOptions();
      options.headers().addText("dead-letter.topic", "no/such name");
      dead.sendAndWait("a", "b", options);
    }
    assertThatThrownBy(() -> Work.redrive(client, "dead").run()).isInstanceOf(KafkaException.class)
        .hasMessageContaining("no/such name");
    assertThatThrownBy(() -> Work.redrive(client, "dead").limit(0)).hasMessage("limit: 0 is not positive");
    assertThat(Work.redrive(client, "dead").onlyIf(record -> false).run()).isEqualTo(new Redrive.Result(0, 1, 0));
  }

  @Test
  void whatIsStoredBehindAPredicateThatThrowsIsNotSentAgain() throws Exception {
    // The run committed no letter, and the next one sent all of them again.
    bury(HeaderNames.DECANT, 30);
    AtomicInteger asked = new AtomicInteger();
    assertThatThrownBy(() -> Work.redrive(client, "dead").onlyIf(letter -> {
      if (asked.incrementAndGet() == 20) {
        throw new IllegalStateException("no");
      }
      return true;
    }).run()).isInstanceOf(IllegalStateException.class).hasMessage("no");
    assertThat(Work.redrive(client, "dead").run()).isEqualTo(new Redrive.Result(11, 0, 0));
    assertThat(texts("orders", 3)).hasSize(60);
  }

  @Test
  void whatIsStoredBehindAnInterruptIsNotSentAgain() throws Exception {
    bury(HeaderNames.DECANT, 30);
    AtomicInteger asked = new AtomicInteger();
    assertThatThrownBy(() -> Work.redrive(client, "dead").onlyIf(letter -> {
      if (asked.incrementAndGet() == 20) {
        Thread.currentThread().interrupt();
      }
      return true;
    }).run()).isInstanceOf(InterruptedException.class);
    boolean unused = Thread.interrupted();
    Redrive.Result rest = Work.redrive(client, "dead").run();
    assertThat(rest.redriven()).isLessThan(30);
    assertThat(texts("orders", 3)).hasSize(60);
  }

  @Test
  void twoRunsAtOnceSendEachLetterOnce() throws Exception {
    // Both runs read from the same committed offsets, and each sent every letter.
    bury(HeaderNames.DECANT, 1_000);
    CyclicBarrier together = new CyclicBarrier(2);
    Callable<Redrive.Result> run = () -> {
      try (KafkaClient own = KafkaClient.connect(kafka.bootstrap())) {
        Redrive redrive = Work.redrive(own, "dead");
        together.await(20, TimeUnit.SECONDS);
        return redrive.run();
      }
    };
    try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
      long redriven = 0;
      for (Future<Redrive.Result> one : threads.invokeAll(List.of(run, run))) {
        redriven += one.get().redriven();
      }
      assertThat(redriven).isEqualTo(1_000);
    }
    assertThat(texts("orders", 3)).hasSize(2_000);
    assertThat(Work.redrive(client, "dead").run()).isEqualTo(new Redrive.Result(0, 0, 0));
  }

  @Test
  void aRunThatHasLostItsMembershipSaysHowFarItCame() throws Exception {
    // The error was that of the group alone, and named neither the run nor what it had sent.
    bury(HeaderNames.DECANT, 30);
    Fault refused = kafka.faults().on(ApiKey.OFFSET_COMMIT).answer(ErrorCode.UNKNOWN_MEMBER_ID);
    assertThatThrownBy(() -> Work.redrive(client, "dead").run()).isInstanceOf(KafkaException.class)
        .hasMessageStartingWith("redrive of dead has stopped after ").hasMessageContaining("UNKNOWN_MEMBER_ID");
    assertThat(refused.hits()).isPositive();
  }

  @Test
  void aRunThatGetsNoPartitionSaysWhoHasThem() throws Exception {
    try (Producer<String, String> letters = client.producer(Serdes.string(), Serdes.string()).topic("repair").open()) {
      letters.sendAndWait("a", "b");
    }
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch proceed = new CountDownLatch(1);
    try (KafkaClient own = KafkaClient.connect(kafka.bootstrap());
        ExecutorService threads = Executors.newSingleThreadExecutor()) {
      Future<Redrive.Result> first = threads.submit(() -> Work.redrive(own, "repair").to("orders").onlyIf(letter -> {
        begun.countDown();
        try {
          return proceed.await(30, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }).run());
      assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
      assertThatThrownBy(() -> Work.redrive(client, "repair").to("orders").patience(Duration.ofSeconds(4)).run())
          .isInstanceOf(KafkaException.class)
          .hasMessage("redrive of repair has stopped after 0 records: no partition was free within 4 s: other members"
              + " of group repair-redrive have them, such as another run; wait for its end");
      proceed.countDown();
      assertThat(first.get(20, TimeUnit.SECONDS)).isEqualTo(new Redrive.Result(1, 0, 0));
    }
    assertThat(texts("orders", 3)).containsExactly("b");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\n\u001b[2Jb", "dead", ".."})
  void aNameOfAHeaderThatCannotBeUsedEndsTheRunInOneLineThatNamesTheLetter(String name) throws Exception {
    // Control characters of the name reached the terminal, and no line named the letter. A letter that went to its own
    // topic lost its origin.
    try (Producer<String, String> dead = client.producer(Serdes.string(), Serdes.string()).topic("dead").open()) {
      SendOptions options = new SendOptions();
      options.headers().addText("dead-letter.topic", name);
      options.partition(1);
      dead.sendAndWait("a", "b", options);
    }
    for (Redrive redrive : List.of(Work.redrive(client, "dead"), Work.redrive(client, "dead").dryRun())) {
      assertThatThrownBy(redrive::run).isInstanceOf(KafkaException.class)
          .hasMessageStartingWith("redrive of dead has stopped after 0 records: dead-1 offset 0: ")
          .hasMessageEndingWith("; use to(topic), or leave it out")
          .satisfies(error -> assertThat(error.getMessage()).doesNotContain("\n", "\u001b"));
    }
  }
}
