package dev.decant.kafka.jfr;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.decant.event.Registration;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.event.ErrorKind;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.telemetry.Telemetry;
import dev.decant.time.Clock;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.Timespan;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
@SuppressWarnings("try") // a resource may serve its block by being open: the block need not name it
class JfrEventsTest {
  private final KafkaException cause = new KafkaException(ErrorCode.NOT_LEADER_OR_FOLLOWER, "moved");

  private final Telemetry telemetry = new Telemetry(Clock.system());

  @TempDir
  Path directory;

  private interface Fired {
    void fire();
  }

  /** What our events a recording has, in the order of their commits, that ran while something was fired. */
  private List<RecordedEvent> recorded(Fired fired) throws IOException {
    Path file = directory.resolve("events.jfr");
    try (Recording recording = new Recording()) {
      recording.start();
      fired.fire();
      recording.stop();
      recording.dump(file);
    }
    return RecordingFile.readAllEvents(file).stream()
        .filter(e -> e.getEventType().getName().startsWith("dev.decant.kafka."))
        .toList();
  }

  private static String name(RecordedEvent event) {
    return event.getEventType().getName().substring("dev.decant.kafka.".length());
  }

  @Test
  void connectionsAreRecorded() throws IOException {
    List<RecordedEvent> events;
    try (Registration unused = JfrEvents.watch(telemetry)) {
      events = recorded(() -> {
        telemetry.connection().ready("b:1", 1_500);
        telemetry.connection().ended("b:2", 7, cause);
        telemetry.connection().closed("b:1", "by the broker");
      });
    }

    assertThat(events).extracting(JfrEventsTest::name).containsExactly("ConnectionReady", "ConnectionEnded", "Error",
        "ConnectionClosed");
    assertThat(events.get(0).getString("broker")).isEqualTo("b:1");
    assertThat(events.get(0).getDuration("setupTime")).isEqualTo(Duration.ofNanos(1_500));
    assertThat(events.get(1).getString("broker")).isEqualTo("b:2");
    assertThat(events.get(1).getInt("unanswered")).isEqualTo(7);
    assertThat(events.get(1).getString("error")).isEqualTo("NOT_LEADER_OR_FOLLOWER");
    assertThat(events.get(1).getString("message")).isEqualTo("moved");
    assertThat(events.get(2).getString("code")).isEqualTo("connection.ended");
    assertThat(events.get(3).getString("reason")).isEqualTo("by the broker");
  }

  @Test
  void batchesAreRecorded() throws IOException {
    List<RecordedEvent> events;
    try (Registration unused = JfrEvents.watch(telemetry)) {
      events = recorded(() -> {
        telemetry.producer().acknowledged("orders", 3, 42, 10, 1_000, 2_500_000);
        telemetry.producer().retried("orders", 4, 11, cause);
        telemetry.producer().failed("orders", 5, 12, cause);
      });
    }

    assertThat(events).extracting(JfrEventsTest::name)
        .containsExactly("BatchAcknowledged", "BatchRetried", "Error", "BatchFailed", "Error");
    assertThat(events.get(0).getString("topic")).isEqualTo("orders");
    assertThat(events.get(0).getInt("partition")).isEqualTo(3);
    assertThat(events.get(0).getLong("baseOffset")).isEqualTo(42);
    assertThat(events.get(0).getInt("records")).isEqualTo(10);
    assertThat(events.get(0).getLong("size")).isEqualTo(1_000);
    assertThat(events.get(0).getDuration("latency")).isEqualTo(Duration.ofNanos(2_500_000));
    assertThat(List.of(events.get(1), events.get(3))).allSatisfy(e -> {
      assertThat(e.getString("topic")).isEqualTo("orders");
      assertThat(e.getString("error")).isEqualTo("NOT_LEADER_OR_FOLLOWER");
      assertThat(e.getString("message")).isEqualTo("moved");
    });
    assertThat(events.get(1).getInt("partition")).isEqualTo(4);
    assertThat(events.get(1).getInt("records")).isEqualTo(11);
    assertThat(events.get(3).getInt("partition")).isEqualTo(5);
    assertThat(events.get(3).getInt("records")).isEqualTo(12);
  }

  @Test
  void transactionsAreRecorded() throws IOException {
    List<RecordedEvent> events;
    try (Registration unused = JfrEvents.watch(telemetry)) {
      events = recorded(() -> {
        telemetry.transaction().committed("payments", 2_500_000, 1_500);
        telemetry.transaction().failed("payments", cause);
        telemetry.transaction().aborted("payments", 3_500_000, 2_500);
        telemetry.transaction().fenced("payments", cause);
      });
    }

    assertThat(events).extracting(JfrEventsTest::name).containsExactly("TransactionEnded", "TransactionFailed",
        "Error", "TransactionEnded", "TransactionFailed", "Error");
    assertThat(events).filteredOn(e -> !name(e).equals("Error"))
        .allSatisfy(e -> assertThat(e.getString("transactionalId")).isEqualTo("payments"));
    assertThat(events.get(0).getBoolean("committed")).isTrue();
    assertThat(events.get(0).getDuration("openTime")).isEqualTo(Duration.ofNanos(2_500_000));
    assertThat(events.get(0).getDuration("endTime")).isEqualTo(Duration.ofNanos(1_500));
    assertThat(events.get(1).getBoolean("fatal")).isFalse();
    assertThat(events.get(1).getString("error")).isEqualTo("NOT_LEADER_OR_FOLLOWER");
    assertThat(events.get(1).getString("message")).isEqualTo("moved");
    assertThat(events.get(2).getString("code")).isEqualTo("transaction.failed");
    assertThat(events.get(3).getBoolean("committed")).isFalse();
    assertThat(events.get(4).getBoolean("fatal")).isTrue();
    assertThat(events.get(5).getString("code")).isEqualTo("transaction.fenced");
  }

  @Test
  void fetchesAndErrorsAreRecorded() throws IOException {
    List<RecordedEvent> events;
    try (Registration unused = JfrEvents.watch(telemetry)) {
      events = recorded(() -> {
        telemetry.consumer().fetched("b:1", 5, 70_000);
        telemetry.errors().report(ErrorKind.IDENTITY_FAILED, "b:2", new IllegalStateException());
      });
    }

    assertThat(events).extracting(JfrEventsTest::name).containsExactly("Fetched", "Error");
    assertThat(events.get(0).getString("broker")).isEqualTo("b:1");
    assertThat(events.get(0).getInt("partitions")).isEqualTo(5);
    assertThat(events.get(0).getLong("size")).isEqualTo(70_000);
    assertThat(events.get(1).getString("code")).isEqualTo("identity.failed");
    assertThat(events.get(1).getString("where")).isEqualTo("b:2");
    assertThat(events.get(1).getString("type")).isEqualTo("java.lang.IllegalStateException");
    assertThat(events.get(1).getString("message")).isNull();
  }

  @Test
  void anEventThatTheRecordingDoesNotWantIsLeftOut() throws IOException {
    Path file = directory.resolve("some.jfr");
    try (Registration unused = JfrEvents.watch(telemetry); Recording recording = new Recording()) {
      recording.disable("dev.decant.kafka.Fetched");
      recording.start();
      telemetry.consumer().fetched("b:1", 5, 70_000);
      telemetry.connection().ready("b:1", 1);
      recording.stop();
      recording.dump(file);
    }

    assertThat(RecordingFile.readAllEvents(file)).extracting(e -> e.getEventType().getName())
        .contains("dev.decant.kafka.ConnectionReady").doesNotContain("dev.decant.kafka.Fetched");
  }

  @Test
  void nothingIsRecordedOnceWatchingHasEnded() throws IOException {
    Registration watching = JfrEvents.watch(telemetry);
    watching.close();
    watching.close();

    assertThat(recorded(() -> {
      telemetry.connection().ready("b:1", 1);
      telemetry.producer().failed("orders", 5, 12, cause);
      telemetry.consumer().fetched("b:1", 5, 70_000);
    })).isEmpty();
  }

  @Test
  void eventsSayWhatTheyAre() {
    try (Registration unused = JfrEvents.watch(telemetry)) {
      List<EventType> types = FlightRecorder.getFlightRecorder().getEventTypes().stream()
          .filter(t -> t.getName().startsWith("dev.decant.kafka.")).toList();

      assertThat(types).extracting(t -> t.getName().substring("dev.decant.kafka.".length()))
          .containsExactlyInAnyOrder("ConnectionReady", "ConnectionClosed", "ConnectionEnded", "BatchAcknowledged",
              "BatchRetried", "BatchFailed", "TransactionEnded", "TransactionFailed", "Fetched", "Rebalanced", "Error");
      assertThat(types).allSatisfy(t -> {
        assertThat(t.getLabel()).isNotBlank();
        assertThat(t.getDescription()).isNotBlank();
        assertThat(t.getAnnotation(Category.class).value()).containsExactly("Decant", "Kafka");
        assertThat(t.getFields()).allSatisfy(f -> assertThat(f.getLabel()).isNotBlank());
      });
      EventType acknowledged = types.stream().filter(t -> t.getName().endsWith("BatchAcknowledged")).findAny()
          .orElseThrow();
      assertThat(acknowledged.getField("size").getAnnotation(DataAmount.class).value()).isEqualTo(DataAmount.BYTES);
      assertThat(acknowledged.getField("latency").getAnnotation(Timespan.class).value())
          .isEqualTo(Timespan.NANOSECONDS);
    }
  }

  /**
   * The listeners are told directly: what goes wrong is remembered by the client itself, which costs an object whoever
   * listens.
   */
  @Test
  void withoutARecordingNothingIsAllocated() {
    assertThat(FlightRecorder.getFlightRecorder().getRecordings()).isEmpty();
    ConnectionRecorder connections = new ConnectionRecorder();
    ProducerRecorder producers = new ProducerRecorder();
    ConsumerRecorder consumers = new ConsumerRecorder();
    GroupRecorder groups = new GroupRecorder();
    TransactionRecorder transactions = new TransactionRecorder();
    ErrorRecorder errors = new ErrorRecorder();

    assertThat(leastBytes(() -> {
      connections.onReady("b:1", 1_500);
      connections.onEnded("b:1", 7, cause);
      producers.onBatchAcknowledged("orders", 3, 42, 10, 1_000, 2_500_000);
      producers.onBatchRetried("orders", 3, 10, cause);
      producers.onBatchFailed("orders", 3, 10, cause);
      transactions.onCommitted("payments", 2_500_000, 1_500);
      transactions.onFailed("payments", cause);
      consumers.onFetched("b:1", 5, 70_000);
      groups.onRebalanced("billing", 1, 2, 5);
      errors.onError(ErrorKind.FETCH_RETRIED, "b:1", cause);
    })).isZero();
  }

  /** Through all that lies between the client and the recorders, the adapter's listeners included. */
  @Test
  void aClientThatIsWatchedWithoutARecordingAllocatesNothing() {
    assertThat(FlightRecorder.getFlightRecorder().getRecordings()).isEmpty();
    try (Registration unused = JfrEvents.watch(telemetry)) {
      assertThat(leastBytes(() -> {
        telemetry.connection().ready("b:1", 1_500);
        telemetry.producer().acknowledged("orders", 3, 42, 10, 1_000, 2_500_000);
        telemetry.consumer().fetched("b:1", 5, 70_000);
      })).isZero();
    }
  }

  /**
   * The fewest bytes that this thread allocated in a run of 500. The calls that tell listeners are objects until the
   * compiler has seen through them, so this goes on until a run is free or 30 s have passed.
   */
  private static long leastBytes(Fired fired) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    long least = Long.MAX_VALUE;
    while (least > 0 && System.nanoTime() < deadline) {
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < 500; i++) {
        fired.fire();
      }
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    return least;
  }
}
