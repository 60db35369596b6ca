package dev.decant.kafka.work.jfr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.fake.FakeCluster;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.ConsumerRecordFactory;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.kafka.work.Retry;
import dev.decant.kafka.work.Work;
import dev.decant.kafka.work.WorkBuilder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class WorkRecorderTest {
  private static final String PREFIX = "dev.decant.kafka.work.";

  @TempDir
  Path directory;

  private interface Opening {
    Work open(WorkBuilder<String, String> builder) throws InterruptedException;
  }

  private List<RecordedEvent> recorded(WorkRecorder recorder, Opening opening, Duration threshold) throws Exception {
    try (FakeCluster kafka = FakeCluster.builder().inMemory().topic("orders", 1).topic("orders-dead", 1).start();
        KafkaClient client = KafkaClient.connect(kafka.bootstrap());
        Recording recording = new Recording()) {
      try (Producer<String, String> orders = client.producer(Serdes.string(), Serdes.string()).topic("orders").open()) {
        for (String value : List.of("good", "bad", "good")) {
          orders.sendAndWait("key", value);
        }
      }
      recording.enable(PREFIX + "RecordWorked").withThreshold(threshold);
      recording.start();
      try (Work work = opening.open(Work.on(client, Serdes.string(), Serdes.string()).group("billing")
          .subscribe("orders").retry(Retry.inPlace(1, Duration.ZERO)).deadLetters("orders-dead").listener(recorder))) {
        while (work.status().done() + work.status().failedRecords() < 3) {
          Thread.onSpinWait();
        }
        assertThat(work.drain(Duration.ofSeconds(20))).isTrue();
      }
      recording.stop();
      Path file = directory.resolve("work.jfr");
      recording.dump(file);
      return RecordingFile.readAllEvents(file).stream()
          .filter(event -> event.getEventType().getName().startsWith(PREFIX)).toList();
    }
  }

  private static List<RecordedEvent> named(List<RecordedEvent> events, String name) {
    return events.stream().filter(event -> event.getEventType().getName().equals(PREFIX + name)).toList();
  }

  private static void failIfBad(@Nullable String value) {
    if ("bad".equals(value)) {
      throw new IllegalStateException("bad");
    }
  }

  @Test
  void attemptsFailuresAndCommitsAreRecorded() throws Exception {
    WorkRecorder recorder = WorkRecorder.of("billing");
    List<RecordedEvent> events = recorded(recorder,
        work -> work.open(recorder.around((record, context) -> failIfBad(record.value()))), Duration.ZERO);
    assertThat(named(events, "RecordWorked")).hasSize(4)
        .filteredOn(event -> event.getString("error") != null).hasSize(2)
        .allSatisfy(event -> {
          assertThat(event.getString("topic")).isEqualTo("orders");
          assertThat(event.getLong("offset")).isEqualTo(1);
          assertThat(event.getInt("records")).isEqualTo(1);
          assertThat(event.getString("error")).isEqualTo("java.lang.IllegalStateException");
        }).extracting(event -> event.getInt("attempt")).containsExactlyInAnyOrder(1, 2);
    assertThat(named(events, "AttemptFailed")).hasSize(2)
        .extracting(event -> event.getBoolean("retried")).containsExactlyInAnyOrder(true, false);
    assertThat(named(events, "RecordFailed")).singleElement()
        .satisfies(event -> assertThat(event.getString("becomes")).isEqualTo("DEAD_LETTER"));
    assertThat(named(events, "Committed")).isNotEmpty().allSatisfy(event -> {
      assertThat(event.getString("group")).isEqualTo("billing");
      assertThat(event.getInt("partitions")).isEqualTo(1);
      assertThat(event.getDuration("commitTime")).isPositive();
    });
  }

  @Test
  void batchesAndStagesAreRecorded() throws Exception {
    WorkRecorder recorder = WorkRecorder.of("billing");
    List<RecordedEvent> batches = recorded(recorder, work -> work.openBatches(1, recorder.aroundBatches(
        records -> failIfBad(records.get(0).value()))), Duration.ZERO);
    assertThat(named(batches, "RecordWorked")).hasSize(4).allMatch(event -> event.getInt("records") == 1);
    List<RecordedEvent> stages = recorded(recorder, work -> work.openAsync(recorder.aroundAsync(
        (record, context) -> {
          String value = record.value();
          return CompletableFuture.runAsync(() -> failIfBad(value));
        })), Duration.ZERO);
    assertThat(named(stages, "RecordWorked")).hasSize(4).filteredOn(event -> event.getString("error") != null)
        .hasSize(2);
  }

  @Test
  void shortAttemptsAreBelowTheThreshold() throws Exception {
    WorkRecorder recorder = WorkRecorder.of("billing");
    List<RecordedEvent> events = recorded(recorder,
        work -> work.open(recorder.around((record, context) -> failIfBad(record.value()))), Duration.ofHours(1));
    assertThat(named(events, "RecordWorked")).isEmpty();
    assertThat(named(events, "AttemptFailed")).hasSize(2);
  }

  @Test
  void withoutARecordingTheHandlerIsCalledAsItIs() throws Exception {
    WorkRecorder recorder = WorkRecorder.of("billing");
    ConsumerRecordFactory<String, String> factory = ConsumerRecordFactory.of(Serdes.string(), Serdes.string());
    assertThatThrownBy(() -> recorder.<String, String>aroundBatches(records -> failIfBad("bad")).handle(List.of(
        factory.create(dev.decant.kafka.consumer.OwnedRecord.of("orders", "key", "bad")))))
        .isInstanceOf(IllegalStateException.class);
  }
}
