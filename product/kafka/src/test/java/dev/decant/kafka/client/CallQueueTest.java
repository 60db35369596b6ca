package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.cluster.CallQueue;
import dev.decant.kafka.cluster.Cluster;
import dev.decant.kafka.cluster.RetryBackoff;
import dev.decant.kafka.cluster.Target;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.DescribeClusterResponse;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;

/** Tests the one way to make a request, by a call that the client itself does not make: DescribeCluster. */
class CallQueueTest extends AgainstScriptedBroker {
  private static final RetryBackoff SHORT = new RetryBackoff(1_000_000L, 1_000_000L);
  private static final int THROTTLE_MILLIS = 200;
  private static final Script GOOD = answer(ErrorCode.NONE, 0);

  private final List<KafkaException> retried = new CopyOnWriteArrayList<>();
  private final DescribeClusterCall call = new DescribeClusterCall();

  CallQueueTest() {
    super(1, LATER, false); // a client that compares clusters makes the call for each connection
  }

  private static Script answer(ErrorCode code, int throttleMillis) {
    return exchange -> exchange.answer(new DescribeClusterResponse().clusterId("described").errorCode(code.code())
        .throttleTimeMs(throttleMillis)::write);
  }

  /** Runs these scripts for requests of the API; the broker responds to others as it should. */
  private void describedBy(Script... scripts) {
    broker.next(ApiKey.DESCRIBE_CLUSTER, scripts);
  }

  private CallQueue submit(BiFunction<Cluster, Runnable, Target> target) {
    Cluster cluster = ClientInternals.of(client).cluster();
    CallQueue queue = new CallQueue(ClientInternals.of(client).loop(), "this test", SHORT,
        pump -> target.apply(cluster, pump), retried::add);
    ClientInternals.of(client).runOnLoop(() -> queue.submit(call));
    return queue;
  }

  private DescribeClusterResponse result() throws Exception {
    return call.result.get(LATER.toSeconds(), TimeUnit.SECONDS);
  }

  private long sent() {
    return broker.requests().stream().filter(r -> r.api() == ApiKey.DESCRIBE_CLUSTER).count();
  }

  @Test
  void callToAnyBrokerHasAResponse() throws Exception {
    describedBy(GOOD);
    CallQueue queue = submit(Target::anyBroker);
    assertThat(result().clusterId()).isEqualTo("described");
    assertThat(queue.isIdle()).isTrue();
    assertThat(retried).isEmpty();
  }

  @Test
  void callToTheControllerIsRepeatedWhenItHasMoved() throws Exception {
    describedBy(answer(ErrorCode.NOT_CONTROLLER, 0), GOOD);
    submit(Target::controller);
    assertThat(result().clusterId()).isEqualTo("described");
    assertThat(retried).singleElement().satisfies(cause -> assertThat(cause)
        .hasMessage("DescribeCluster for this test: broker " + address() + " answered NOT_CONTROLLER"));
    assertThat(sent()).isEqualTo(2);
  }

  @Test
  void callToOneBrokerIsRepeatedOnAnotherConnection() throws Exception {
    describedBy(Script.CUT, GOOD);
    submit((cluster, pump) -> Target.broker(cluster, 1, pump));
    assertThat(result().clusterId()).isEqualTo("described");
    assertThat(retried).hasSize(1);
    assertThat(broker.requests().stream().filter(r -> r.api() == ApiKey.DESCRIBE_CLUSTER).map(r -> r.connection())
        .distinct()).hasSize(2);
  }

  @Test
  void callIsHeldUpForAsLongAsTheBrokerAsks() throws Exception {
    List<Long> times = new CopyOnWriteArrayList<>();
    Script refusal = answer(ErrorCode.THROTTLING_QUOTA_EXCEEDED, THROTTLE_MILLIS);
    describedBy(exchange -> {
      times.add(System.nanoTime());
      refusal.run(exchange);
    }, exchange -> {
      times.add(System.nanoTime());
      GOOD.run(exchange);
    });
    submit(Target::anyBroker);
    assertThat(result().clusterId()).isEqualTo("described");
    assertThat(times.getLast() - times.getFirst()).isGreaterThanOrEqualTo(
        TimeUnit.MILLISECONDS.toNanos(THROTTLE_MILLIS));
  }

  @Test
  void refusalIsFinal() {
    describedBy(answer(ErrorCode.CLUSTER_AUTHORIZATION_FAILED, 0), GOOD);
    submit(Target::anyBroker);
    assertThatThrownBy(this::result).isInstanceOf(ExecutionException.class).cause()
        .isInstanceOfSatisfying(KafkaException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.CLUSTER_AUTHORIZATION_FAILED));
    assertThat(sent()).isEqualTo(1);
  }

  @Test
  void brokerWithoutTheApiIsBelievedTheSecondTime() {
    damageVersions(ApiKey.DESCRIBE_CLUSTER, 1, Integer.MAX_VALUE);
    submit(Target::anyBroker);
    assertThatThrownBy(this::result).isInstanceOf(ExecutionException.class).cause()
        .hasMessage("broker " + address() + " does not speak API DescribeCluster, this client versions 0 to 2");
    assertThat(broker.requests().stream().filter(r -> r.api() == ApiKey.API_VERSIONS)).hasSizeGreaterThan(1);
    assertThat(sent()).isZero();
  }

  @Test
  void callThatNobodyWantsAnyMoreIsDropped() throws Exception {
    CountDownLatch arrived = new CountDownLatch(1);
    CountDownLatch cancelled = new CountDownLatch(1);
    Script later = Script.after(cancelled, answer(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, 0));
    describedBy(exchange -> {
      arrived.countDown();
      later.run(exchange);
    }, GOOD);
    CallQueue queue = submit(Target::anyBroker);
    assertThat(arrived.await(LATER.toSeconds(), TimeUnit.SECONDS)).isTrue();
    call.result.cancel(false);
    cancelled.countDown();
    call.dropped.get(LATER.toSeconds(), TimeUnit.SECONDS);
    assertThat(queue.isIdle()).isTrue();
    assertThat(sent()).isEqualTo(1);
  }

  @Test
  void callThatWaitsForABrokerIsDroppedWithItsQueue() {
    CallQueue queue = submit((cluster, pump) -> Target.broker(cluster, 77, pump));
    ClientInternals.of(client).runOnLoop(queue::close);
    assertThatThrownBy(this::result).isInstanceOf(CancellationException.class);
    assertThat(sent()).isZero();
  }
}
