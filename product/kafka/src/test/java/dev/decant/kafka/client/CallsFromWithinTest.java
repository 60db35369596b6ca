package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.broker.ScriptedGroup;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.consumer.RebalanceListener;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.SendListener;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests every call from within every place where the client calls the application: it works, or is refused at once, and
 * the client continues. The pools are in checked mode, so a client that keeps memory fails to close.
 */
class CallsFromWithinTest extends AgainstScriptedBroker {
  private static final String TOPIC = ScriptedBroker.TOPIC;
  private static final TopicPartition P0 = new TopicPartition(TOPIC, 0);
  private static final Duration FOR_EVER = Duration.ofDays(1);

  /** The places where the client calls the application on the polling thread. */
  enum Place {
    ASSIGNED, REVOKED, LOST, HANDLER, PARTITION_HANDLER, COMMIT_LISTENER
  }

  /** The calls that the application makes there. */
  enum Call {
    COMMIT, COMMIT_OFFSETS, COMMIT_ASYNC, COMMITTED, SEEK, PAUSE, POSITION, END_OFFSETS, GROUP_METADATA, WAKEUP,
    UNSUBSCRIBE, SUBSCRIBE, POLL, ASSIGN, SEND, SEND_AND_WAIT, CLOSE, CLOSE_CLIENT
  }

  private final ScriptedGroup group = broker.state().group();
  private final List<String> recorded = new ArrayList<>();
  private @Nullable Consumer<String, String> member;
  private @Nullable Producer<String, String> producer;
  private @Nullable Throwable outcome;
  private boolean called;

  CallsFromWithinTest() {
    super(2, LATER);
    group.interval(20);
  }

  private Consumer<String, String> member() {
    Consumer<String, String> opened = member;
    if (opened == null) {
      throw new IllegalStateException("the test has not opened its consumer");
    }
    return opened;
  }

  private void perform(Place here, Place wanted, Call call) {
    if (here == wanted && !called) {
      called = true;
      outcome = catchThrowable(() -> perform(call));
    }
  }

  private void perform(Call call) throws Exception {
    Producer<String, String> sends = producer == null ? producer(LATER) : producer;
    switch (call) {
      case COMMIT -> member().commit();
      case COMMIT_OFFSETS -> member().commit(Map.of(P0, new OffsetAndMetadata(0)));
      case COMMIT_ASYNC -> member().commitAsync((offsets, error) -> recorded.add("committed"));
      case COMMITTED -> assertThat(member().committed(P0)).hasSizeLessThan(2);
      case SEEK -> member().seek(TOPIC, 0, 0);
      case PAUSE -> {
        member().pause(TOPIC, 0);
        member().resume(TOPIC, 0);
      }
      case POSITION -> assertThat(member().position(TOPIC, 0, LATER)).isNotNegative();
      case END_OFFSETS -> assertThat(member().endOffsets(P0)).containsKey(P0);
      case GROUP_METADATA -> assertThat(member().groupMetadata().groupId()).isEqualTo("g");
      case WAKEUP -> member().wakeup();
      case UNSUBSCRIBE -> member().unsubscribe();
      case SUBSCRIBE -> member().subscribe(TOPIC, "another");
      case POLL -> member().poll(FOR_EVER, record -> {});
      case ASSIGN -> member().assign(TOPIC, 0);
      case SEND -> sends.send(null, "sent");
      case SEND_AND_WAIT -> sends.sendAndWait(null, "sent");
      case CLOSE -> member().close();
      case CLOSE_CLIENT -> client.close();
    }
  }

  static Stream<Arguments> callsInEachPlace() {
    return Stream.of(Place.values()).flatMap(place -> Stream.of(Call.values()).map(call -> Arguments.of(place, call)));
  }

  @ParameterizedTest
  @MethodSource("callsInEachPlace")
  void callOnThePollingThreadWorksOrIsRefusedAtOnce(Place place, Call call) throws InterruptedException {
    broker.state().store(0, "a", "b");
    producer = producer(LATER);
    member = client.consumer(Serdes.string(), Serdes.string()).group("g").subscribe(TOPIC)
        .offsetReset(OffsetReset.EARLIEST).fetchMaxWait(Duration.ofMillis(20)).apiTimeout(LATER)
        .rebalanceListener(new RebalanceListener() {
          @Override
          public void onAssigned(List<TopicPartition> partitions) {
            recorded.add("assigned");
            perform(Place.ASSIGNED, place, call);
          }

          @Override
          public void onRevoked(List<TopicPartition> partitions) {
            partitions.forEach(p -> recorded.add("gone " + p));
            perform(Place.REVOKED, place, call);
          }

          @Override
          public void onLost(List<TopicPartition> partitions) {
            partitions.forEach(p -> recorded.add("gone " + p));
            perform(Place.LOST, place, call);
          }
        }).open();
    bringAbout(place, call);
    boolean closes = call == Call.CLOSE || call == Call.CLOSE_CLIENT;
    if (isRefused(place, call)) {
      assertThat(outcome)
          .isInstanceOf(call == Call.COMMIT_OFFSETS ? KafkaException.class : IllegalStateException.class);
    } else {
      assertThat(outcome).isNull();
    }
    if (closes) {
      assertThat(recorded).filteredOn(t -> t.startsWith("gone")).as("each partition is given up once")
          .doesNotHaveDuplicates();
      assertThatThrownBy(() -> member().poll(FOR_EVER, record -> {})).hasMessage("the consumer is closed");
    } else {
      assertGoesOn(call);
      member().close();
    }
  }

  /** Polls until the call was made; a poll that waits for ever meets the timeout of the test. */
  private void bringAbout(Place place, Call call) throws InterruptedException {
    boolean caused = false;
    while (!called) {
      if (place == Place.PARTITION_HANDLER) {
        member().pollPartitions(LATER, records -> {
          perform(Place.PARTITION_HANDLER, place, call);
          while (records.next()) {
            recorded.add(String.valueOf(records.record().value()));
          }
        });
      } else {
        member().poll(Duration.ofMillis(100), record -> perform(Place.HANDLER, place, call));
      }
      if (!caused && recorded.contains("assigned")) {
        caused = true;
        cause(place, call);
      }
    }
  }

  private void cause(Place place, Call call) {
    switch (place) {
      case REVOKED -> group.assign(0);
      case LOST -> group.expire();
      case COMMIT_LISTENER -> member().commitAsync(Map.of(P0, new OffsetAndMetadata(0)),
          (offsets, error) -> perform(Place.COMMIT_LISTENER, place, call));
      default -> {
      }
    }
  }

  private static boolean isRefused(Place place, Call call) {
    return switch (call) {
      case POLL, ASSIGN -> true;
      case SEEK, PAUSE, POSITION, COMMITTED, COMMIT_OFFSETS -> place == Place.LOST;
      default -> false;
    };
  }

  private void assertGoesOn(Call call) throws InterruptedException {
    if (call == Call.UNSUBSCRIBE) {
      member().subscribe(TOPIC);
    }
    broker.state().store(0, "after");
    List<String> values = new ArrayList<>();
    while (!values.contains("after")) {
      member().poll(Duration.ofMillis(100), record -> values.add(String.valueOf(record.value())));
    }
    assertThat(values).as("nothing comes twice").filteredOn(v -> !v.equals("sent")).doesNotHaveDuplicates()
        .endsWith("after");
  }

  @Test
  void listenerOnTheLoopIsRefusedWhatWouldWaitForTheLoopAndMayDoAllElse() throws Exception {
    broker.state().store(0, "a");
    Map<String, @Nullable Throwable> waiting = new LinkedHashMap<>();
    Map<String, @Nullable Throwable> other = new LinkedHashMap<>();
    CompletableFuture<Void> done = new CompletableFuture<>();
    producer = producer(LATER);
    member = client.consumer(Serdes.string(), Serdes.string()).group("g").offsetReset(OffsetReset.EARLIEST).open();
    member().assign(TOPIC, 0);
    member().poll(LATER, record -> {});
    Map<String, ThrowingCallable> calls = new LinkedHashMap<>();
    calls.put("commit", () -> member().commit());
    calls.put("committed", () -> member().committed(P0));
    calls.put("endOffsets", () -> member().endOffsets(P0));
    calls.put("poll", () -> member().poll(FOR_EVER, record -> {}));
    calls.put("pollPartitions", () -> member().pollPartitions(FOR_EVER, records -> {}));
    calls.put("close", () -> member().close());
    calls.put("open producer", () -> producer().topic("not-known-yet").open());
    calls.put("open transactions", () -> client.transactions("t").open());
    producer.send(null, "v", 0, new SendListener() {
      @Override
      public void onAck(long tag, int partition, long offset, long timestamp) {
        calls.forEach((name, call) -> waiting.put(name, catchThrowable(call)));
        other.put("commitAsync", catchThrowable(() -> member().commitAsync(null)));
        other.put("position", catchThrowable(() -> member().position(TOPIC, 0, FOR_EVER)));
        other.put("seek", catchThrowable(() -> member().seek(TOPIC, 0, 0)));
        other.put("pause", catchThrowable(() -> member().pause(TOPIC, 0)));
        other.put("resume", catchThrowable(() -> member().resume(TOPIC, 0)));
        other.put("groupMetadata", catchThrowable(() -> member().groupMetadata()));
        other.put("status", catchThrowable(client::status));
        other.put("wakeup", catchThrowable(() -> member().wakeup()));
        done.complete(null);
      }

      @Override
      public void onFailure(long tag, KafkaException error) {
        done.completeExceptionally(error);
      }
    });
    done.get(LATER.toSeconds(), TimeUnit.SECONDS);
    assertThat(waiting).hasSize(calls.size()).allSatisfy((name, thrown) -> assertThat(thrown).as(name)
        .isInstanceOf(IllegalStateException.class).hasMessageContaining("listener"));
    assertThat(other).allSatisfy((name, thrown) -> assertThat(thrown).as(name).isNull());
    assertGoesOn(Call.SEEK);
    member().close();
  }
}
