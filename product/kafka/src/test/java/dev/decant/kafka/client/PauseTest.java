package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.message.FetchRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests partitions that are paused, and records that are taken partition by partition. */
class PauseTest extends AgainstScriptedBroker {
  PauseTest() {
    super(2, LATER);
  }

  private List<Long> fetchedFrom(int partition) {
    return broker.requests(ApiKey.FETCH).stream().flatMap(r -> r.fetch().topics().stream())
        .flatMap(t -> t.partitions().stream()).filter(p -> p.partition() == partition)
        .map(FetchRequest.FetchPartition::fetchOffset).toList();
  }

  /**
   * The records were once dropped and fetched again: an application that paused between polls fetched everything many
   * times.
   */
  @Test
  void whatWasFetchedBeforeThePauseIsHandedOutAfterIt() throws InterruptedException {
    broker.state().store(0, "a", "b", "c");
    try (Consumer<String, String> consumer = consumer(1, 0)) {
      assertThat(read(consumer, 1)).containsExactly("a");
      consumer.pause(ScriptedBroker.TOPIC, 0);
      assertThat(consumer.poll(SOON, record -> {})).isZero();
      consumer.resume(ScriptedBroker.TOPIC, 0);
      assertThat(read(consumer, 1)).containsExactly("b");
      consumer.pause(ScriptedBroker.TOPIC, 0);
      assertThat(consumer.poll(Duration.ZERO, record -> {})).isZero();
      consumer.resume(ScriptedBroker.TOPIC, 0);
      assertThat(read(consumer, 1)).containsExactly("c");
      broker.state().store(0, "d");
      assertThat(read(consumer, 1)).containsExactly("d");
    }
    assertThat(fetchedFrom(0).stream().filter(offset -> offset < 3)).containsExactly(0L);
  }

  /** The rest of the first response once went behind the second one, and was skipped: "c" was lost. */
  @Test
  void whatIsPutAsideASecondTimeComesBeforeWhatWasFetchedLater() throws InterruptedException {
    broker.state().store(0, "a", "b", "c");
    try (Consumer<String, String> consumer = consumer(1, 0)) {
      assertThat(read(consumer, 1)).containsExactly("a");
      broker.state().store(0, "d", "e");
      awaitLag(consumer, 4); // the second response is here, before the pause
      consumer.pause(ScriptedBroker.TOPIC, 0);
      assertThat(consumer.poll(SOON, record -> {})).isZero();
      consumer.resume(ScriptedBroker.TOPIC, 0);
      assertThat(read(consumer, 1)).containsExactly("b");
      consumer.pause(ScriptedBroker.TOPIC, 0);
      assertThat(consumer.poll(Duration.ZERO, record -> {})).isZero();
      consumer.resume(ScriptedBroker.TOPIC, 0);
      assertThat(read(consumer, 1)).containsExactly("c");
      assertThat(read(consumer, 2)).containsExactly("d", "e");
    }
    assertThat(fetchedFrom(0).stream().distinct()).startsWith(0L, 3L);
  }

  private static void awaitLag(Consumer<String, String> consumer, long lag) {
    long deadline = System.nanoTime() + LATER.toNanos();
    while (consumer.currentLag(ScriptedBroker.TOPIC, 0) != lag && deadline - System.nanoTime() > 0) {
      Thread.onSpinWait();
    }
    assertThat(consumer.currentLag(ScriptedBroker.TOPIC, 0)).isEqualTo(lag);
  }

  @Test
  void seekDropsWhatWasKeptOfAPausedPartition() throws InterruptedException {
    broker.state().store(0, "a", "b", "c");
    try (Consumer<String, String> consumer = consumer(1, 0)) {
      assertThat(read(consumer, 1)).containsExactly("a");
      consumer.pause(ScriptedBroker.TOPIC, 0);
      assertThat(consumer.poll(Duration.ZERO, record -> {})).isZero();
      consumer.seek(ScriptedBroker.TOPIC, 0, 2);
      consumer.resume(ScriptedBroker.TOPIC, 0);
      assertThat(read(consumer, 1)).containsExactly("c");
    }
  }

  /** Records that were kept of a revoked partition would take the room of others for ever. */
  @Test
  void partitionThatIsRevokedWhilePausedBeginsAnewWhenItComesBack() throws InterruptedException {
    broker.state().store(0, "a", "b");
    try (Consumer<String, String> consumer = consumer(1, 0)) {
      assertThat(read(consumer, 1)).containsExactly("a");
      consumer.pause(ScriptedBroker.TOPIC, 0);
      assertThat(consumer.poll(Duration.ZERO, record -> {})).isZero();
      consumer.assign(ScriptedBroker.TOPIC, 1);
      assertThat(consumer.poll(Duration.ZERO, record -> {})).isZero();
      consumer.assign(ScriptedBroker.TOPIC, 0);
      assertThat(read(consumer, 2)).containsExactly("a", "b");
    }
  }

  @Test
  void handlerMayPauseThePartitionOfItsRecord() throws InterruptedException {
    broker.state().store(0, "a", "b", "c");
    broker.state().store(1, "x", "y");
    try (Consumer<String, String> consumer = consumer(100, 0, 1)) {
      List<String> seen = new ArrayList<>();
      long deadline = System.nanoTime() + LATER.toNanos();
      while (seen.size() < 3 && deadline - System.nanoTime() > 0) {
        consumer.poll(SOON, record -> {
          seen.add(String.valueOf(record.value()));
          if (record.partition() == 0) {
            consumer.pause(ScriptedBroker.TOPIC, 0);
          }
        });
      }
      assertThat(seen).containsExactlyInAnyOrder("a", "x", "y");
      consumer.resume(ScriptedBroker.TOPIC, 0);
      assertThat(read(consumer, 2)).containsExactly("b", "c");
    }
  }

  /** The response was once given back twice, and so before its last partition was read. */
  @Test
  void handlerMayPauseAPartitionOfWhichItHasReadAll() throws InterruptedException {
    broker.state().store(0, "a", "b");
    broker.state().store(1, "x", "y");
    List<String> seen = new ArrayList<>();
    List<Long> leased = new ArrayList<>();
    try (Consumer<String, String> consumer = consumer(100, 0, 1)) {
      long deadline = System.nanoTime() + LATER.toNanos();
      while (seen.size() < 4 && deadline - System.nanoTime() > 0) {
        consumer.pollPartitions(SOON, records -> {
          leased.add(ClientInternals.of(client).fetchMemory().leasedBytes());
          while (records.next()) {
            seen.add(String.valueOf(records.record().value()));
          }
          consumer.pause(ScriptedBroker.TOPIC, records.partition());
        });
      }
    }
    assertThat(seen).containsExactlyInAnyOrder("a", "b", "x", "y");
    assertThat(leased).isNotEmpty().allMatch(bytes -> bytes > 0);
  }

  /** Kept records hold no memory of responses: otherwise two responses with paused partitions would stop all others. */
  @Test
  void pausedPartitionHoldsUpNoOther() throws InterruptedException {
    try (Consumer<String, String> consumer = consumer(1, 0, 1)) {
      for (int i = 0; i < 5; i++) {
        broker.state().store(0, "a" + i, "b" + i);
        assertThat(read(consumer, 1)).containsExactly("a" + i);
        consumer.pause(ScriptedBroker.TOPIC, 0);
        broker.state().store(1, "x" + i);
        assertThat(read(consumer, 1)).containsExactly("x" + i);
        consumer.resume(ScriptedBroker.TOPIC, 0);
        assertThat(read(consumer, 1)).containsExactly("b" + i);
      }
    }
  }

  @Test
  void recordsCanBeTakenPartitionByPartition() throws InterruptedException {
    broker.state().store(0, "a", "b", "c");
    broker.state().store(1, "x", "y");
    try (Consumer<String, String> consumer = consumer(100, 0, 1)) {
      List<String> calls = new ArrayList<>();
      int count = 0;
      long deadline = System.nanoTime() + LATER.toNanos();
      while (count < 5 && deadline - System.nanoTime() > 0) {
        count += consumer.pollPartitions(SOON, records -> {
          StringBuilder call = new StringBuilder().append(records.topic()).append('-').append(records.partition());
          while (records.next()) {
            call.append(' ').append(records.record().value());
          }
          calls.add(call.toString());
        });
      }
      assertThat(calls).containsExactlyInAnyOrder("orders-0 a b c", "orders-1 x y");
    }
  }

  @Test
  void whatAPartitionHandlerLeavesComesWithTheNextPoll() throws InterruptedException {
    broker.state().store(0, "a", "b", "c");
    try (Consumer<String, String> consumer = consumer(100, 0)) {
      List<String> taken = new ArrayList<>();
      long deadline = System.nanoTime() + LATER.toNanos();
      while (taken.size() < 2 && deadline - System.nanoTime() > 0) {
        consumer.pollPartitions(SOON, records -> {
          if (taken.size() < 2 && records.next()) {
            taken.add(records.record().value());
          }
        });
      }
      assertThat(taken).containsExactly("a", "b");
      assertThat(consumer.position(ScriptedBroker.TOPIC, 0, LATER)).isEqualTo(2);
      assertThat(read(consumer, 1)).containsExactly("c");
    }
  }

  @Test
  void withoutAGroupUnsubscribeGivesUpAllPartitions() throws InterruptedException {
    broker.state().store(0, "a");
    try (Consumer<String, String> consumer = consumer(100, 0, 1)) {
      assertThat(read(consumer, 1)).containsExactly("a");
      consumer.unsubscribe();
      assertThat(consumer.assignment()).isEmpty();
      broker.state().store(0, "b");
      assertThat(consumer.poll(SOON, record -> {})).isZero();
    }
  }
}
