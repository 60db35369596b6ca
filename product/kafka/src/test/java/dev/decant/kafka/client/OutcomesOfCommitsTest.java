package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.assignor.Assignors;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.consumer.CommitListener;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.GroupMembershipOperation;
import dev.decant.kafka.consumer.GroupProtocol;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.consumer.RebalanceListener;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.OffsetCommitRequest;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that every commit has one outcome, reported once to its listener, whatever is closed at any time. */
class OutcomesOfCommitsTest extends AgainstScriptedBroker {
  private static final Map<TopicPartition, OffsetAndMetadata> OFFSETS = Map
      .of(new TopicPartition(ScriptedBroker.TOPIC, 0), new OffsetAndMetadata(1));
  private static final int EACH = 5;
  private static final int WAITER = 2 * EACH;
  private static final Duration SHORT = Duration.ofMillis(40);

  /** The state of the member at the close. */
  enum Stage {
    STORED, WAITING, RETRYING, WITHOUT_COORDINATOR, JOINING, REBALANCING
  }

  /** The threads that close, and what they close. */
  enum Closers {
    CONSUMER_IN_TIME, CONSUMER_AT_ONCE, CONSUMER_STAYS, CLIENT_INTERRUPTED, CONSUMER_AND_CLIENT, CROWD
  }

  private final AtomicIntegerArray outcomes = new AtomicIntegerArray(WAITER + 1);

  OutcomesOfCommitsTest() {
    super(1, LATER);
  }

  /** Returns all cases with the consumer protocol; with the classic one those in which it differs. */
  private static Stream<Arguments> cases() {
    return Stream.concat(
        cases(GroupProtocol.CONSUMER, Arrays.stream(Stage.values()), Closers.values()),
        cases(GroupProtocol.CLASSIC, Stream.of(Stage.WAITING, Stage.JOINING, Stage.REBALANCING),
            Closers.CONSUMER_IN_TIME, Closers.CONSUMER_STAYS, Closers.CONSUMER_AND_CLIENT));
  }

  private static Stream<Arguments> cases(GroupProtocol protocol, Stream<Stage> stages, Closers... closers) {
    return stages.flatMap(stage -> Arrays.stream(closers).map(each -> Arguments.of(protocol, stage, each)));
  }

  private Consumer<String, String> open(GroupProtocol protocol) {
    var builder = client.consumer(Serdes.string(), Serdes.string()).offsetReset(OffsetReset.EARLIEST).autoCommit(false)
        .fetchMaxWait(Duration.ofMillis(50)).group("billing").subscribe(ScriptedBroker.TOPIC).groupProtocol(protocol);
    return (protocol == GroupProtocol.CLASSIC ? builder.assignors(Assignors.range()) : builder).open();
  }

  private CommitListener count(int number) {
    return (offsets, error) -> outcomes.incrementAndGet(number);
  }

  private Consumer<String, String> prepare(GroupProtocol protocol, Stage stage) throws InterruptedException {
    boolean joins = stage != Stage.WITHOUT_COORDINATOR && stage != Stage.JOINING;
    if (stage == Stage.WITHOUT_COORDINATOR) {
      broker.always(ApiKey.FIND_COORDINATOR, Script.SILENCE);
    } else if (stage == Stage.JOINING) {
      broker.always(ApiKey.JOIN_GROUP, Script.SILENCE);
      broker.always(ApiKey.CONSUMER_GROUP_HEARTBEAT, Script.SILENCE);
    }
    Consumer<String, String> consumer = open(protocol);
    long deadline = System.nanoTime() + LATER.toNanos();
    while (joins && consumer.assignment().isEmpty()) {
      assertThat(deadline - System.nanoTime()).as("time left").isPositive();
      consumer.poll(Duration.ofMillis(50), record -> {});
    }
    switch (stage) {
      case WAITING -> broker.always(ApiKey.OFFSET_COMMIT, Script.SILENCE);
      case RETRYING -> broker.always(ApiKey.OFFSET_COMMIT, exchange -> exchange.answer(broker.state().group().answer(
          (OffsetCommitRequest) exchange.request().body(), ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)::write));
      case REBALANCING -> {
        broker.state().group().assign(new Integer[0]);
        broker.state().classicGroup().rebalance();
        ApiKey beats = protocol == GroupProtocol.CLASSIC ? ApiKey.HEARTBEAT : ApiKey.CONSUMER_GROUP_HEARTBEAT;
        broker.await(beats, broker.requests(beats).size() + 2);
      }
      default -> {
      }
    }
    return consumer;
  }

  @ParameterizedTest
  @MethodSource("cases")
  void eachIsReportedOnce(GroupProtocol protocol, Stage stage, Closers closers) throws Exception {
    Consumer<String, String> consumer = prepare(protocol, stage);
    for (int i = 0; i < EACH; i++) {
      consumer.commitAsync(OFFSETS, count(i));
      consumer.commitInBackground(OFFSETS, LATER, count(EACH + i));
    }
    if (stage == Stage.WAITING || stage == Stage.RETRYING) {
      broker.await(ApiKey.OFFSET_COMMIT, 1);
    }
    FutureTask<Boolean> waiter = new FutureTask<>(() -> {
      try {
        consumer.commit(OFFSETS);
      } catch (KafkaException e) {
        // also an outcome
      } finally {
        outcomes.incrementAndGet(WAITER);
      }
      return true;
    });
    Thread.ofPlatform().start(waiter);
    close(closers, consumer);
    assertThat(waiter.get(LATER.toSeconds(), TimeUnit.SECONDS)).isTrue();
    client.close();
    for (int i = 0; i < outcomes.length(); i++) {
      assertThat(outcomes.get(i)).as("outcomes of commit %d", i).isEqualTo(1);
    }
  }

  private void close(Closers closers, Consumer<String, String> consumer) throws Exception {
    switch (closers) {
      case CONSUMER_IN_TIME -> consumer.close(SHORT, GroupMembershipOperation.DEFAULT);
      case CONSUMER_AT_ONCE -> consumer.close(Duration.ZERO, GroupMembershipOperation.DEFAULT);
      case CONSUMER_STAYS -> consumer.close(SHORT, GroupMembershipOperation.REMAIN_IN_GROUP);
      case CLIENT_INTERRUPTED -> {
        Thread.currentThread().interrupt();
        client.close();
        assertThat(Thread.interrupted()).isTrue();
      }
      case CONSUMER_AND_CLIENT ->
        together(() -> consumer.close(SHORT, GroupMembershipOperation.DEFAULT), client::close);
      case CROWD -> {
        Runnable[] all = new Runnable[12];
        Arrays.setAll(all,
            i -> i % 2 == 0 ? client::close : () -> consumer.close(SHORT, GroupMembershipOperation.DEFAULT));
        together(all);
      }
    }
  }

  private static void together(Runnable... closers) throws Exception {
    try (var threads = Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory())) {
      for (var ended : threads.invokeAll(Arrays.stream(closers).map(Executors::callable).toList())) {
        ended.get(LATER.toSeconds(), TimeUnit.SECONDS);
      }
    }
  }

  /** The client once ended its loop while another thread waited for a handler, so no offset was committed. */
  @Test
  void aHandlerThatClosesTheClientClosesItsConsumerInPlaceOfTheThreadThatWaitsForIt() throws Exception {
    broker.state().store(0, "a");
    Consumer<String, String> consumer = open(GroupProtocol.CONSUMER);
    CountDownLatch handling = new CountDownLatch(1);
    CountDownLatch closing = new CountDownLatch(1);
    FutureTask<Integer> poll = new FutureTask<>(() -> consumer.poll(LATER, record -> {
      handling.countDown();
      closing.await();
      consumer.commitAsync(OFFSETS, count(0));
      client.close();
    }));
    Thread.ofPlatform().name("poller").start(poll);
    assertThat(handling.await(LATER.toSeconds(), TimeUnit.SECONDS)).isTrue();
    FutureTask<Boolean> closed = new FutureTask<>(() -> {
      consumer.close(LATER, GroupMembershipOperation.DEFAULT);
      return true;
    });
    Thread closer = Thread.ofPlatform().start(closed);
    long deadline = System.nanoTime() + LATER.toNanos();
    while (closer.getState() != Thread.State.RUNNABLE && closer.getState() != Thread.State.TIMED_WAITING) {
      assertThat(deadline - System.nanoTime()).as("time left").isPositive();
      Thread.onSpinWait();
    }
    closing.countDown();
    assertThat(poll.get(LATER.toSeconds(), TimeUnit.SECONDS)).isEqualTo(1);
    assertThat(closed.get(LATER.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(outcomes.get(0)).isEqualTo(1);
    assertThat(broker.state().group().committed(0)).isEqualTo(1);
  }

  /** A commit once counted as ended before its listener was called, so the listener's own commit came too late. */
  @Test
  void commitOfAListenerIsStoredAlsoIfTheConsumerIsBeingClosed() throws Exception {
    CountDownLatch ended = new CountDownLatch(1);
    CountDownLatch revoked = new CountDownLatch(1);
    CompletableFuture<Thread> closer = new CompletableFuture<>();
    CompletableFuture<Optional<KafkaException>> outcome = new CompletableFuture<>();
    Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string())
        .offsetReset(OffsetReset.EARLIEST).autoCommit(false).group("billing").subscribe(ScriptedBroker.TOPIC)
        .groupProtocol(GroupProtocol.CONSUMER).rebalanceListener(new RebalanceListener() {
          @Override
          public void onRevoked(List<TopicPartition> partitions) {
            revoked.countDown();
          }
        }).open();
    while (consumer.assignment().isEmpty()) { // the class has a deadline
      consumer.poll(Duration.ofMillis(50), record -> {});
    }
    consumer.commitInBackground(OFFSETS, LATER, (offsets, error) -> {
      ended.countDown();
      awaitParked(closer.join(), revoked);
      consumer.commitInBackground(Map.of(new TopicPartition(ScriptedBroker.TOPIC, 0), new OffsetAndMetadata(2)), LATER,
          (same, failure) -> outcome.complete(Optional.ofNullable(failure)));
    });
    assertThat(ended.await(LATER.toSeconds(), TimeUnit.SECONDS)).isTrue();
    Thread closing = Thread.ofVirtual().start(() -> consumer.close(LATER, GroupMembershipOperation.DEFAULT));
    closer.complete(closing);
    assertThat(outcome.get(LATER.toSeconds(), TimeUnit.SECONDS)).isEmpty();
    assertThat(closing.join(LATER)).isTrue();
    assertThat(broker.state().group().committed(0)).isEqualTo(2);
  }

  /** Holds up the loop until a closing thread waits for it: after it has revoked its partitions, if it does so. */
  private static void awaitParked(Thread thread, CountDownLatch revoked) {
    long until = System.nanoTime() + SOON.toNanos();
    while (revoked.getCount() > 0 && until - System.nanoTime() > 0) {
      Thread.onSpinWait();
    }
    while (thread.getState() != Thread.State.WAITING && thread.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
  }
}
