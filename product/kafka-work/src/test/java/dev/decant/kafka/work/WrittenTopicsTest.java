package dev.decant.kafka.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.fake.FakeCluster;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A topic that would delete records of the work is refused when the work opens. */
@Timeout(40)
class WrittenTopicsTest {
  private FakeCluster kafka;
  private KafkaClient client;

  @BeforeEach
  void start() {
    kafka = FakeCluster.builder().inMemory().topic("orders", 2).topic("orders-dead", 1).start();
    client = KafkaClient.connect(kafka.bootstrap());
  }

  @AfterEach
  void stop() {
    client.close();
    kafka.close();
  }

  private WorkBuilder<String, String> work(Duration... delays) {
    return Work.on(client, Serdes.string(), Serdes.string()).group("billing").subscribe("orders")
        .retry(Retry.none().then(RetryTopics.named("orders-retry", delays))).deadLetters("orders-dead");
  }

  private void awaitProblem(Work work, List<String> problems) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (problems.isEmpty()) {
      assertThat(System.nanoTime() - end).as(work.status().toString()).isNegative();
      LockSupport.parkNanos(1_000_000);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"compact", "compact,delete", "delete,compact"})
  void aRetryTopicThatIsCompactedIsRefused(String policy) {
    // All records of a key wait there, and compaction left the last one: the others were lost without a word.
    kafka.createTopic("orders-retry-1", 2, Map.of("cleanup.policy", policy));
    assertThatThrownBy(() -> work(Duration.ofSeconds(5)).open(record -> {}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the retry topic orders-retry-1 has cleanup.policy=" + policy + ", which deletes records of a key"
            + " that wait there; set cleanup.policy=delete");
  }

  @ParameterizedTest
  @CsvSource({"1000, 3600000", "5000, 5000"})
  void aRetryTopicThatDeletesRecordsBeforeTheyAreDueIsRefused(long retention, long delay) {
    // Only the topics that the work itself creates were checked.
    kafka.createTopic("orders-retry-1", 2);
    kafka.createTopic("orders-retry-2", 2, Map.of("retention.ms", Long.toString(retention)));
    assertThatThrownBy(() -> work(Duration.ofMillis(1), Duration.ofMillis(delay)).open(record -> {}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the retry topic orders-retry-2 has retention.ms=" + retention + ", which deletes records before"
            + " they are due after " + delay + " ms; set a longer retention.ms");
  }

  @Test
  void aRetryTopicThatIsCreatedByTheBrokersDefaultsIsChecked() {
    try (FakeCluster compacts = FakeCluster.builder().inMemory().setting("log.cleanup.policy", "compact")
        .topic("orders", 2).topic("orders-retry-1", 2).start();
        KafkaClient other = KafkaClient.connect(compacts.bootstrap())) {
      assertThatThrownBy(() -> Work.on(other, Serdes.string(), Serdes.string()).group("billing").subscribe("orders")
          .retry(Retry.none().then(RetryTopics.named("orders-retry", Duration.ofSeconds(1)))).skipFailed()
          .open(record -> {})).isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("orders-retry-1 has cleanup.policy=compact");
    }
  }

  @Test
  void aDeadLetterTopicThatIsCompactedIsRefused() {
    // Only the last dead letter of a key was left, and those without a key were never stored.
    kafka.createTopic("compacted-dead", 1, Map.of("cleanup.policy", "compact"));
    assertThatThrownBy(() -> work(Duration.ZERO).retry(Retry.none()).deadLetters("compacted-dead").open(record -> {}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the topic compacted-dead for dead letters has cleanup.policy=compact, which deletes all dead"
            + " letters of a key but the last; set cleanup.policy=delete");
  }

  @Test
  void aRetentionWithoutAnEndIsTaken() throws Exception {
    kafka.createTopic("orders-retry-1", 2, Map.of("retention.ms", "-1"));
    try (Work work = work(Duration.ofDays(1)).open(record -> {})) {
      assertThat(work.status().isHealthy()).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"TOPIC_AUTHORIZATION_FAILED", "CLUSTER_AUTHORIZATION_FAILED", "UNSUPPORTED_VERSION",
      "POLICY_VIOLATION"})
  void aTopicWhoseSettingsMayNotBeReadIsUsedAndAListenerHearsOfIt(String error) throws Exception {
    kafka.createTopic("orders-retry-1", 2, Map.of("cleanup.policy", "compact"));
    kafka.faults().on(ApiKey.DESCRIBE_CONFIGS).every().answer(ErrorCode.valueOf(error));
    List<String> problems = new CopyOnWriteArrayList<>();
    try (Work work = work(Duration.ofSeconds(1)).listener(new WorkListener() {
      @Override
      public void onProblem(String what, Throwable cause) {
        problems.add(what + ": " + cause.getMessage());
      }
    }).open(record -> {})) {
      awaitProblem(work, problems);
      assertThat(problems).hasSize(2).allMatch(problem -> problem.contains(error))
          .anyMatch(problem -> problem.startsWith("cleanup.policy and retention.ms of orders-retry-1 were not checked"))
          .anyMatch(problem -> problem.startsWith("cleanup.policy of orders-dead was not checked"));
      assertThat(work.status().isHealthy()).as("nothing has failed").isTrue();
    }
  }

  @Test
  @Timeout(20)
  void withoutABrokerOpenEndsAfterItsTimeout() {
    // The call took 30 seconds, and no setting could change that.
    try (KafkaClient nowhere = KafkaClient.connect("localhost:1")) {
      assertThatThrownBy(() -> Work.on(nowhere, Serdes.string(), Serdes.string()).group("billing").subscribe("orders")
          .deadLetters("orders-dead").openTimeout(Duration.ofMillis(200)).open(record -> {}))
          .isInstanceOf(KafkaTimeoutException.class)
          .hasMessageContaining("metadata of topic orders-dead did not come in time");
    }
  }

  @Test
  @Timeout(20)
  void transactionsThatDoNotOpenEndAfterTheTimeoutOfOpen() {
    kafka.faults().on(ApiKey.INIT_PRODUCER_ID).every().neverAnswer();
    assertThatThrownBy(() -> work(Duration.ZERO).retry(Retry.none()).exactlyOnce("billing-1")
        .openTimeout(Duration.ofMillis(200)).open(record -> {})).isInstanceOf(KafkaTimeoutException.class);
  }

  @Test
  @Timeout(20)
  void brokersThatDoNotComeToAResponseAreAskedForSettingsOfOneTopicOnly() throws Exception {
    kafka.createTopic("orders-retry-1", 2);
    kafka.faults().on(ApiKey.DESCRIBE_CONFIGS).every().answer(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
    List<String> problems = new CopyOnWriteArrayList<>();
    try (Work work = work(Duration.ZERO).openTimeout(Duration.ofSeconds(2))
        .listener(new WorkListener() {
          @Override
          public void onProblem(String what, Throwable cause) {
            problems.add(what);
          }
        }).open(record -> {})) {
      awaitProblem(work, problems);
      assertThat(problems).containsExactly("cleanup.policy and retention.ms of orders-retry-1 were not checked",
          "cleanup.policy of orders-dead was not checked");
    }
  }
}
