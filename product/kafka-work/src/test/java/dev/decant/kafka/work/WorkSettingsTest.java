package dev.decant.kafka.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.fake.FakeCluster;
import dev.decant.kafka.TransactionException;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bad settings, and settings without an effect, are refused in one line that names them. */
@Timeout(40)
class WorkSettingsTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private FakeCluster kafka;
  private KafkaClient client;

  @BeforeEach
  void start() {
    kafka = FakeCluster.builder().inMemory().topic("orders", 1).topic("orders-dead", 1).topic("orders-retry-1", 1)
        .start();
    client = KafkaClient.connect(kafka.bootstrap());
  }

  @AfterEach
  void stop() {
    client.close();
    kafka.close();
  }

  private WorkBuilder<String, String> work() {
    return Work.on(client, Serdes.string(), Serdes.string()).group("billing").subscribe("orders");
  }

  /** Opens a work with settings that were once accepted without a word. */
  private void assertRefused(UnaryOperator<WorkBuilder<String, String>> settings, String message) {
    assertRefused(() -> settings.apply(work()).open(record -> {}), message);
  }

  private static void assertRefused(ThrowingCallable call, String message) {
    assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
  }

  @Test
  void settingsWithoutTheOneThatTheyBelongToAreRefused() {
    assertRefused(work -> work.createDeadLetters(1, 1, SECOND),
        "createDeadLetters(...) has no effect without deadLetters(...); add that, or drop it");
    assertRefused(work -> work.largeLetters(LargeLetters.STOP),
        "largeLetters(...) has no effect without deadLetters(...) or retry topics; add that, or drop it");
    assertRefused(work -> work.headerNames(HeaderNames.SPRING),
        "headerNames(...) has no effect without deadLetters(...) or retry topics; add that, or drop it");
    assertRefused(work -> work.transactionEvery(SECOND, 1),
        "transactionEvery(...) has no effect without exactlyOnce(...); add that, or drop it");
    assertRefused(work -> work.transactionTimeout(SECOND),
        "transactionTimeout(...) has no effect without exactlyOnce(...); add that, or drop it");
  }

  @Test
  void settingsThatExcludeEachOtherAreRefused() {
    String both = "deadLetters(...) and skipFailed() exclude each other; drop one of them";
    assertRefused(work -> work.deadLetters("orders-dead").skipFailed(), both);
    assertRefused(work -> work.skipFailed().deadLetters("orders-dead"), both);
    assertRefused(work -> work.concurrency(8).onPollingThread(), "concurrency(8) has no effect with onPollingThread(),"
        + " where one record is handled at a time; drop one of them");
    assertRefused(work -> work.concurrency(8).maxUnderWay(7, 7),
        "concurrency(8) cannot be reached with maxUnderWay(7, ...); raise that, or lower the concurrency");
    String async = "an asynchronous handler is called by the polling thread; drop ";
    assertRefused(() -> work().onVirtualThreads().openAsync((record, context) -> null), async + "onVirtualThreads()");
    assertRefused(() -> work().onPlatformThreads().openAsync((record, context) -> null), async + "onPlatformThreads()");
    assertRefused(() -> work().on(Runnable::run).openAsync((record, context) -> null), async + "on(executor)");
  }

  @Test
  void theLastPlaceOfHandlersCounts() throws Exception {
    try (Work work = work().onVirtualThreads().onPollingThread()
        .openAsync((record, context) -> CompletableFuture.completedFuture(null))) {
      assertThat(work.status().isHealthy()).isTrue();
    }
    try (Work work = work().concurrency(1).onPollingThread().open(record -> {})) {
      assertThat(work.status().isHealthy()).isTrue();
    }
    try (Work work = work().maxUnderWay(2, 2).open(record -> {})) {
      assertThat(work.status().isHealthy()).as("the default concurrency follows").isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a b", "a/b", ".."})
  void namesThatNoTopicCanHaveAreRefusedByTheirSetting(String name) {
    for (ThrowingCallable call : new ThrowingCallable[] {() -> work().subscribe(name), () -> work().deadLetters(name),
        () -> Work.redrive(client, name), () -> Work.redrive(client, "orders-dead").to(name),
        () -> ResultTopic.of(name, Serdes.string(), Serdes.string())}) {
      assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("topic \"" + name + "\": ");
    }
    assertThatThrownBy(() -> work().deadLetters(name)).hasMessageStartingWith("deadLetters: topic \"");
    assertThatThrownBy(() -> RetryTopics.named("a b", SECOND)).isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("retry topics: topic \"a b-1\": ");
  }

  @Test
  void deadLettersCannotBeSentToTheirOwnTopic() {
    // Letters that went to their own topic lost the headers that say where they come from.
    assertRefused(() -> Work.redrive(client, "orders-dead").to("orders-dead"),
        "to: orders-dead has the dead letters that are sent; name another topic");
  }

  @Test
  void aTimeoutOfTransactionsThatBrokersRefuseIsNamed() {
    // The message said that the transactional id could not be used any more.
    assertThatThrownBy(() -> work().exactlyOnce("billing-1").transactionTimeout(Duration.ofHours(1))
        .open(record -> {})).isInstanceOf(TransactionException.class)
        .hasMessage("transactionTimeout: the brokers refuse"
            + " PT1H, which is longer than their transaction.max.timeout.ms; set a shorter one");
  }

  @Test
  @SuppressWarnings("NullAway") // that is what is tested
  void nullsAreNamed() {
    Duration none = nothing();
    assertNamed("commit interval", () -> work().commitEvery(none, 1));
    assertNamed("retention", () -> work().deadLetters("orders-dead").createDeadLetters(1, 1, none));
    assertNamed("transaction interval", () -> work().transactionEvery(none, 1));
    assertNamed("value", () -> work().transactionTimeout(none));
    assertNamed("id", () -> work().exactlyOnce(nothing()));
    assertNamed("names", () -> work().subscribe((String) nothing()));
    assertNamed("pause", () -> Retry.inPlace(1, none));
    assertNamed("most", () -> Retry.inPlace(1, SECOND, none));
    assertNamed("name", () -> RetryTopics.named(nothing(), SECOND));
    assertNamed("delay", () -> RetryTopics.named("r", none));
    assertNamed("kept", () -> RetryTopics.named("r", SECOND).create(1, none));
    assertNamed("consumer(...): the function has returned no builder; return the one that it gets",
        () -> work().consumer(builder -> nothing()).open(record -> {}));
  }

  private static void assertNamed(String name, ThrowingCallable call) {
    assertThatThrownBy(call).isInstanceOf(NullPointerException.class).hasMessage(name);
  }

  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
  private static <T> T nothing() {
    @Nullable
    T none = null;
    return none;
  }
}
