package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.idle.IdleStrategy;
import dev.decant.kafka.ConnectionStatus;
import dev.decant.kafka.broker.FetchScripts;
import dev.decant.kafka.broker.ProduceResponses;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.ConsumerBuilder;
import dev.decant.kafka.consumer.GroupMembershipOperation;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.ConsumerGroupHeartbeatResponse;
import dev.decant.kafka.protocol.message.OffsetCommitRequest;
import dev.decant.kafka.protocol.message.OffsetCommitResponse;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.loop.EventLoop;
import dev.decant.time.Clock;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** Tests the problems that a client reports, and how long it reports them. */
@SuppressWarnings("try") // an open resource may serve its block without being named in it
class HealthTest extends AgainstScriptedBroker {
  HealthTest() {
    super(1, LATER);
  }

  private ConsumerBuilder<String, String> member() {
    return client.consumer(Serdes.string(), Serdes.string()).offsetReset(OffsetReset.EARLIEST)
        .fetchMaxWait(Duration.ofMillis(100)).group("billing").subscribe(ScriptedBroker.TOPIC);
  }

  private List<String> problems() {
    return client.status().problems();
  }

  private boolean isProblem(String words) {
    return problems().stream().anyMatch(p -> p.contains(words));
  }

  private void await(BooleanSupplier condition) throws InterruptedException {
    assertThat(ClientInternals.of(client).cluster().waiters().await(condition, System.nanoTime() + LATER.toNanos()))
        .as("in time; the problems are %s", problems()).isTrue();
  }

  private static void pollUntil(Consumer<String, String> consumer, BooleanSupplier enough) throws InterruptedException {
    long deadline = System.nanoTime() + LATER.toNanos();
    while (!enough.getAsBoolean()) {
      assertThat(deadline - System.nanoTime()).as("time left").isPositive();
      consumer.poll(Duration.ofMillis(50), record -> {});
    }
  }

  @Test
  void clientThatHasHeardNoBrokerIsNotReadyAndSaysSo() {
    ClientStatus fresh = client.status();
    assertThat(fresh.isLive()).isTrue();
    assertThat(fresh.isReady()).isFalse();
    assertThat(fresh.isWell()).isFalse();
    assertThat(fresh.problems()).containsExactly("no broker has answered yet");
  }

  @Test
  void clientThatWorksIsWellAndAClosedOneSaysThatItIsClosed() throws InterruptedException {
    try (Producer<String, String> producer = producer(LATER)) {
      producer.sendAndWait("k", "a");
      assertThat(client.status().isReady()).isTrue();
      assertThat(problems()).isEmpty();
    }
    client.close();
    assertThat(client.status().isLive()).isFalse();
    assertThat(problems()).containsExactly("the client is closed");
  }

  /** A client whose connections were idle once counted as one that cannot work. */
  @Test
  void clientWhoseConnectionsWereIdleIsReady() throws InterruptedException {
    try (KafkaClient idle = KafkaClient.builder(address()).connectionsMaxIdle(Duration.ofMillis(100)).build();
        Producer<String, String> producer = idle.producer(Serdes.string(), Serdes.string()).topic("orders").open()) {
      producer.sendAndWait(null, "a");
      ClientInternals.of(idle).cluster().waiters().await(
          () -> idle.status().connections().stream().noneMatch(ConnectionStatus::ready),
          System.nanoTime() + LATER.toNanos());
      assertThat(idle.status().connections()).noneMatch(ConnectionStatus::ready);
      assertThat(idle.status().isReady()).isTrue();
      assertThat(idle.status().problems()).isEmpty();
    }
  }

  @Test
  void clientThatReachesNoBrokerIsNotReady() throws InterruptedException {
    producer(LATER).sendAndWait("k", "a");
    broker.close();
    ClientInternals.of(client).loop().execute(ClientInternals.of(client).cluster()::requestUpdate);
    await(() -> isProblem("no broker can be reached; last error: the connection to broker " + address()));
    assertThat(client.status().isReady()).isFalse();
    assertThat(client.status().isLive()).isTrue();
  }

  /** The probe once waited for the loop, for five seconds. */
  @Test
  void clientWhoseLoopStandsStillIsNotLive() throws InterruptedException {
    AtomicLong passed = new AtomicLong();
    Clock clock = new Clock() {
      @Override
      public long nanoTime() {
        return System.nanoTime() + passed.get();
      }

      @Override
      public long epochMillis() {
        return System.currentTimeMillis();
      }
    };
    EventLoop loop = EventLoop.start("stands-still", clock, IdleStrategy.block(), IdleStrategy.block());
    CountDownLatch blocked = new CountDownLatch(1);
    CountDownLatch permission = new CountDownLatch(1);
    try (KafkaClient still = KafkaClient.builder(address()).loop(loop).build()) {
      loop.execute(() -> {
        blocked.countDown();
        assertThat(isGranted(permission)).isTrue();
      });
      assertThat(blocked.await(LATER.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(still.status().isLive()).as("nobody knows yet").isTrue();
      passed.addAndGet(LoopProbe.PATIENCE_NANOS);
      assertThat(still.status().isLive()).isFalse();
      assertThat(still.status().problems()).first().asString().contains("loop has not gone round for 5 s");
      permission.countDown();
      ClientInternals.of(still).runOnLoop(() -> {});
      assertThat(still.status().isLive()).isTrue();
    }
  }

  private static boolean isGranted(CountDownLatch permission) {
    try {
      return permission.await(LATER.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aLoopThatHasNotGoneRoundForFiveSecondsIsAProblem() {
    Health health = new Health(ClientInternals.of(client).loop(), ClientInternals.of(client).cluster(),
        ClientInternals.of(client).telemetry(), Duration.ofMinutes(5).toNanos());
    assertThat(health.problems(LoopProbe.PATIENCE_NANOS - 1, List.of(), Duration.ZERO)).isEmpty();
    assertThat(health.problems(LoopProbe.PATIENCE_NANOS, List.of(), Duration.ZERO)).containsExactly(
        "the client's loop has not gone round for 5 s; a listener that blocks holds it up");
    assertThat(health.problems(0, List.of(), Duration.ofMinutes(11))).containsExactly("the metadata is 11 minutes old");
  }

  @Test
  void recordsThatCannotBeDeliveredAreAProblemUntilTheyAre() throws InterruptedException {
    try (Producer<String, String> producer = producer(LATER)) {
      broker.always(ApiKey.PRODUCE, ProduceResponses.refusal(ErrorCode.NOT_ENOUGH_REPLICAS));
      producer.send("k", "a");
      await(() -> !problems().isEmpty());
      assertThat(problems()).singleElement().asString()
          .matches("records for orders-0 cannot be delivered for \\d+ s; last error: .*NOT_ENOUGH_REPLICAS.*");
      assertThat(client.status().isReady()).as("the client itself can work").isTrue();
      broker.always(ApiKey.PRODUCE, Script.STANDARD);
      await(() -> problems().isEmpty());
    }
  }

  @Test
  void recordsThatWereGivenUpAreNoProblemAnyMore() throws InterruptedException {
    broker.always(ApiKey.PRODUCE, ProduceResponses.refusal(ErrorCode.NOT_ENOUGH_REPLICAS));
    try (Producer<String, String> producer = producer(Duration.ofMillis(400))) {
      producer.send("k", "a");
      await(() -> !problems().isEmpty());
      await(() -> problems().isEmpty());
    }
  }

  @Test
  void closedProducerLeavesNoProblem() throws InterruptedException {
    broker.always(ApiKey.PRODUCE, ProduceResponses.refusal(ErrorCode.NOT_ENOUGH_REPLICAS));
    Producer<String, String> producer = producer(LATER);
    producer.send("k", "a");
    await(() -> !problems().isEmpty());
    producer.close(Duration.ofMillis(1));
    await(() -> problems().isEmpty());
  }

  @Test
  void partitionThatCannotBeReadIsAProblemUntilItCan() throws InterruptedException {
    broker.state().store(0, "a");
    broker.always(ApiKey.FETCH, FetchScripts.refusal(ErrorCode.NOT_LEADER_OR_FOLLOWER));
    try (Consumer<String, String> consumer = consumer()) {
      consumer.assign(ScriptedBroker.TOPIC, 0);
      pollUntil(consumer, () -> isProblem("NOT_LEADER_OR_FOLLOWER"));
      assertThat(problems()).singleElement().asString().startsWith("orders-0 cannot be read for ");
      broker.always(ApiKey.FETCH, Script.STANDARD);
      assertThat(read(consumer, 1)).containsExactly("a");
      assertThat(problems()).isEmpty();
      broker.always(ApiKey.FETCH, Script.CUT);
      pollUntil(consumer, () -> isProblem("orders-0 cannot be read"));
    }
    await(() -> problems().isEmpty());
  }

  /** Requests in flight fail after the consumer was closed. */
  @Test
  void closedConsumerLeavesNoProblem() throws InterruptedException, IOException {
    broker.always(ApiKey.FETCH, Script.SILENCE);
    try (Consumer<String, String> consumer = consumer()) {
      consumer.assign(ScriptedBroker.TOPIC, 0);
      consumer.poll(SOON, record -> {});
      broker.await(ApiKey.FETCH, 1);
    }
    broker.cutAll();
    await(() -> client.status().connections().stream().noneMatch(ConnectionStatus::ready));
    assertThat(problems()).noneMatch(p -> p.contains("cannot be read"));
  }

  @Test
  void memberThatIsClosedWithoutItsCommitLeavesNoProblem() throws InterruptedException {
    broker.state().store(0, "a");
    broker.always(ApiKey.OFFSET_COMMIT, Script.SILENCE);
    try (Consumer<String, String> consumer = member().open()) {
      assertThat(read(consumer, 1)).containsExactly("a");
      consumer.commitAsync(null);
      broker.await(ApiKey.OFFSET_COMMIT, 1);
      consumer.close(SOON, GroupMembershipOperation.DEFAULT);
    }
    await(() -> problems().isEmpty());
  }

  @Test
  void consumerThatIsNoMemberIsAProblem() throws InterruptedException {
    CountDownLatch permission = new CountDownLatch(1);
    broker.always(ApiKey.CONSUMER_GROUP_HEARTBEAT, Script.after(permission, Script.STANDARD));
    try (Consumer<String, String> consumer = member().open()) {
      broker.await(ApiKey.CONSUMER_GROUP_HEARTBEAT, 1);
      assertThat(problems()).anyMatch(p -> p.startsWith("group billing: the consumer has not been a member for "));
      permission.countDown();
      pollUntil(consumer, () -> problems().isEmpty());
      broker.next(ApiKey.CONSUMER_GROUP_HEARTBEAT, refusal(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS),
          refusal(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS));
      pollUntil(consumer, () -> isProblem("group billing: heartbeats have failed"));
      pollUntil(consumer, () -> problems().isEmpty());
    }
  }

  private static Script refusal(ErrorCode code) {
    return exchange -> exchange.answer(new ConsumerGroupHeartbeatResponse().errorCode(code.code())::write);
  }

  @Test
  void refusedMemberIsAProblemUntilItIsClosed() throws InterruptedException {
    broker.always(ApiKey.CONSUMER_GROUP_HEARTBEAT, refusal(ErrorCode.GROUP_AUTHORIZATION_FAILED));
    try (Consumer<String, String> unused = member().open()) {
      await(() -> isProblem("GROUP_AUTHORIZATION_FAILED"));
      assertThat(problems()).anyMatch(p -> p.startsWith("group billing: the consumer has not been a member"));
    }
    await(() -> problems().isEmpty());
  }

  @Test
  void commitsThatFailAreAProblemUntilOneSucceeds() throws InterruptedException {
    broker.state().store(0, "a");
    broker.always(ApiKey.OFFSET_COMMIT, exchange -> {
      OffsetCommitResponse answer = broker.state().group().answer((OffsetCommitRequest) exchange.request().body(),
          ErrorCode.COORDINATOR_LOAD_IN_PROGRESS);
      exchange.answer(answer::write);
    });
    try (Consumer<String, String> consumer = member().autoCommitInterval(Duration.ofMillis(50)).open()) {
      pollUntil(consumer, () -> isProblem("group billing: no commit has succeeded"));
      broker.always(ApiKey.OFFSET_COMMIT, Script.STANDARD);
      broker.state().store(0, "b");
      pollUntil(consumer, () -> problems().isEmpty());
    }
  }

  @Test
  void applicationThatDoesNotPollIsAProblem() throws InterruptedException {
    try (Consumer<String, String> consumer = member().maxPollInterval(Duration.ofSeconds(2)).open()) {
      pollUntil(consumer, () -> problems().isEmpty());
      await(() -> isProblem("group billing: the application has not polled"));
      pollUntil(consumer, () -> problems().isEmpty());
    }
  }
}
