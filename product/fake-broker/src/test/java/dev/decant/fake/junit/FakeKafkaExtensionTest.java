package dev.decant.fake.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.fake.FakeCluster;
import dev.decant.fake.FakeClusterException;
import dev.decant.fake.junit.FakeKafka.Lifetime;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.serialization.Serdes;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.ref.WeakReference;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** Runs test classes as JUnit does for a user, and checks the clusters that they received. */
@Timeout(60)
class FakeKafkaExtensionTest {
  /** The observations of the test classes below, by name. */
  private static final Map<String, Object> SEEN = new ConcurrentHashMap<>();
  private static final CyclicBarrier BOTH = new CyclicBarrier(2);

  private static TestExecutionSummary run(Class<?>... classes) {
    return run(Map.of(), classes);
  }

  private static TestExecutionSummary run(Map<String, String> parameters, Class<?>... classes) {
    SEEN.clear();
    return Launched.run(parameters, classes);
  }

  private static FakeCluster seen(String name) {
    return (FakeCluster) Objects.requireNonNull(SEEN.get(name), name);
  }

  private static void assertClosed(String name) {
    assertThatThrownBy(() -> seen(name).requests()).as(name).isInstanceOf(FakeClusterException.class)
        .hasMessageContaining("closed");
  }

  private static void send(String bootstrap, String value) throws InterruptedException {
    try (KafkaClient client = KafkaClient.connect(bootstrap);
        Producer<String, String> producer = client.producer(Serdes.string(), Serdes.string()).topic("orders").open()) {
      producer.sendAndWait("k", value);
    }
  }

  private static String failureOf(TestExecutionSummary summary) {
    assertThat(summary.getFailures()).hasSize(1);
    StringWriter printed = new StringWriter();
    summary.getFailures().getFirst().getException().printStackTrace(new PrintWriter(printed));
    return printed.toString();
  }

  @Test
  void eachTestHasANewClusterAsTheAnnotationDescribesIt() {
    TestExecutionSummary summary = run(OfEachTest.class);
    assertThat(summary.getFailures()).isEmpty();
    assertThat(summary.getTestsSucceededCount()).isEqualTo(5);
    assertThat(Set.copyOf(SEEN.values())).hasSize(5);
    SEEN.keySet().forEach(FakeKafkaExtensionTest::assertClosed);
  }

  @FakeKafka(brokers = 2, topics = {"orders=3", "paid"}, release = "3.9", settings = "num.partitions=7",
      faults = "Produce nth=1 close-after")
  static class OfEachTest {
    @Nullable
    FakeCluster kafka;
    FakeCluster own = FakeCluster.start();
    final @Nullable FakeCluster kept = null;

    @BeforeEach
    void itIsThereAlready(FakeCluster given) {
      assertThat(kafka).isSameAs(given);
      assertThat(own).isNotSameAs(given);
      assertThat(kept).isNull();
      own.close();
    }

    @Test
    void isAsDescribed(FakeCluster given, @FakeBootstrap String bootstrap) throws Exception {
      SEEN.put("described", given);
      assertThat(given).hasToString("fake cluster " + given.clusterId() + " of Kafka 3.9");
      assertThat(bootstrap).isEqualTo(given.bootstrap()).contains(",");
      assertThat(given.log("paid", 0).records()).isEmpty();
      send(bootstrap, "v");
      assertThat(given.requests(ApiKey.PRODUCE)).hasSize(2);
    }

    @Test
    void isAnotherOne(FakeCluster given) {
      SEEN.put("another", given);
      assertThat(given.requests()).isEmpty();
    }

    @FakeKafka
    @Test
    void mayHaveOneByItself(FakeCluster given) {
      SEEN.put("own", given);
      assertThat(given.bootstrap()).doesNotContain(",");
    }

    @ParameterizedTest
    @ValueSource(strings = {"first", "second"})
    void mayHaveParameters(String name, FakeCluster given) {
      SEEN.put(name, given);
    }
  }

  @Test
  void testsOfAClassMayShareACluster() {
    TestExecutionSummary summary = run(Shared.class);
    assertThat(summary.getFailures()).isEmpty();
    assertThat(seen("nested")).isSameAs(seen("class"));
    assertThat(seen("of its own")).isNotSameAs(seen("class"));
    SEEN.keySet().forEach(FakeKafkaExtensionTest::assertClosed);
    assertThat(Shared.kafka).isNull();
  }

  @FakeKafka(topics = "orders", lifetime = Lifetime.CLASS)
  static class Shared {
    static @Nullable FakeCluster kafka;

    @BeforeAll
    static void begin(FakeCluster given) {
      assertThat(kafka).isSameAs(given);
      SEEN.put("class", given);
    }

    @Test
    void hasIt(FakeCluster given) {
      assertThat(given).isSameAs(kafka);
    }

    @Nested
    class Within {
      @Test
      void hasItToo(FakeCluster given) {
        SEEN.put("nested", given);
      }
    }

    @Nested
    @FakeKafka
    class WithItsOwn {
      @Test
      void hasAnother(FakeCluster given) {
        SEEN.put("of its own", given);
      }
    }
  }

  @Test
  void aClusterOfATestIsNotThereBeforeIt() {
    assertThat(failureOf(run(TooEarly.class))).contains("with lifetime = CLASS the cluster starts with the class");
  }

  @FakeKafka
  static class TooEarly {
    @BeforeAll
    static void begin(FakeCluster given) {
      SEEN.put("early", given);
    }

    @Test
    void isNotReached() {}
  }

  @Test
  void aFailurePrintsTheRequests() {
    String printed = failureOf(run(Fails.class));
    assertThat(printed).contains("the order is missing", "Suppressed: requests that fake cluster", "Produce v",
        "orders");
    assertThat(printed.length()).isLessThan(100_000);
  }

  @FakeKafka(topics = "orders")
  static class Fails {
    @Test
    void withRequests(@FakeBootstrap String bootstrap) throws Exception {
      send(bootstrap, "x".repeat(200_000));
      throw new AssertionError("the order is missing");
    }
  }

  @Test
  void aTestThatRunsIntoItsTimeoutPrintsTheRequests() {
    assertThat(failureOf(run(RunsOut.class))).contains("timed out", "received no requests");
  }

  @FakeKafka
  static class RunsOut {
    @Timeout(value = 100, unit = TimeUnit.MILLISECONDS)
    @Test
    void waits() throws Exception {
      new CyclicBarrier(2).await();
    }
  }

  @Test
  void aBeforeEachThatFailsPrintsTheRequestsAndTheClusterIsClosed() {
    assertThat(failureOf(run(FailsBefore.class))).contains("not ready", "received no requests");
    assertClosed("before");
  }

  @FakeKafka
  static class FailsBefore {
    @BeforeEach
    void begin(FakeCluster kafka) {
      SEEN.put("before", kafka);
      throw new IllegalStateException("not ready");
    }

    @Test
    void isNotReached() {}
  }

  @Test
  void anAssumptionThatDoesNotHoldPrintsNothing() {
    TestExecutionSummary summary = run(Skipped.class);
    assertThat(summary.getFailures()).isEmpty();
    assertThat(summary.getTestsAbortedCount()).isEqualTo(1);
    assertThat(SEEN).containsEntry("suppressed", 0);
  }

  @FakeKafka
  static class Skipped {
    @Test
    void here() {
      try {
        Assumptions.abort("not here");
      } catch (RuntimeException e) {
        SEEN.put("suppressed", e.getSuppressed().length);
        throw e;
      }
    }
  }

  @ParameterizedTest
  @ValueSource(classes = {BadRelease.class, BadSetting.class, BadTopic.class, BadFault.class,
      SettingTwice.class, TopicTwice.class})
  void wrongDescriptionsAreErrorsThatSayWhatToWrite(Class<?> wrong) {
    assertThat(failureOf(run(wrong))).containsAnyOf("is not like 3.9", "is not like name=value", "write it as orders=6",
        "write its name, such as NOT_LEADER_OR_FOLLOWER", "is given twice; remove one of them");
    assertNoThreads();
  }

  private static void assertNoThreads() {
    Set<String> names = Thread.getAllStackTraces().keySet().stream().map(Thread::getName).collect(Collectors.toSet());
    assertThat(names).noneMatch(name -> name.startsWith("decant-fake-cluster"));
  }

  @FakeKafka(release = "new")
  static class BadRelease extends Empty {}

  @FakeKafka(settings = "num.partitions")
  static class BadSetting extends Empty {}

  @FakeKafka(settings = {"num.partitions=1", "num.partitions = 2"})
  static class SettingTwice extends Empty {}

  @FakeKafka(topics = {"orders=6", "orders"})
  static class TopicTwice extends Empty {}

  @FakeKafka(topics = "orders=many")
  static class BadTopic extends Empty {}

  @FakeKafka(faults = "Produce answer=NOTHING")
  static class BadFault extends Empty {}

  abstract static class Empty {
    @Test
    void isNotReached() {}
  }

  @Test
  void testsRunInParallel() {
    TestExecutionSummary summary = run(Map.of("junit.jupiter.execution.parallel.enabled", "true",
        "junit.jupiter.execution.parallel.config.strategy", "fixed",
        "junit.jupiter.execution.parallel.config.fixed.parallelism", "2"), Parallel.class);
    assertThat(summary.getFailures()).isEmpty();
    assertThat(summary.getTestsSucceededCount()).isEqualTo(2);
  }

  @FakeKafka(topics = "orders")
  @Execution(ExecutionMode.CONCURRENT)
  static class Parallel {
    @Test
    void one(FakeCluster kafka) throws Exception {
      sendsWhileTheOtherDoes(kafka, "one");
    }

    @Test
    void two(FakeCluster kafka) throws Exception {
      sendsWhileTheOtherDoes(kafka, "two");
    }

    private static void sendsWhileTheOtherDoes(FakeCluster kafka, String value) throws Exception {
      BOTH.await(30, TimeUnit.SECONDS);
      send(kafka.bootstrap(), value);
      BOTH.await(30, TimeUnit.SECONDS);
      assertThat(kafka.log("orders", 0).texts()).containsExactly(value);
    }
  }

  /** The port is closed, and the collector finds the cluster unreachable. */
  @Test
  void nothingIsLeftBehind() {
    TestExecutionSummary summary = run(Leaves.class);
    assertThat(summary.getFailures()).isEmpty();
    assertNoThreads();
    int port = (int) Objects.requireNonNull(SEEN.get("port"));
    assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), port)).isInstanceOf(ConnectException.class);
    WeakReference<?> cluster = (WeakReference<?>) Objects.requireNonNull(SEEN.get("weak"));
    while (!cluster.refersTo(null)) { // the test's timeout bounds the loop
      System.gc();
    }
  }

  @FakeKafka(topics = "orders")
  static class Leaves {
    @Nullable
    FakeCluster kafka;

    @Test
    void traces(FakeCluster given) throws Exception {
      for (String value : List.of("a", "b", "c")) {
        send(given.bootstrap(), value);
      }
      SEEN.put("port", given.broker(1).port());
      SEEN.put("weak", new WeakReference<>(given));
    }
  }
}
