package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.consumer.RebalanceListener;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.serialization.Serdes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Tests one rule: a call that waits throws an {@link InterruptedException} if its thread is interrupted. A call that
 * does not wait continues, and leaves the thread interrupted.
 */
class InterruptionTest extends AgainstScriptedBroker {
  private static final TopicPartition P0 = new TopicPartition(ScriptedBroker.TOPIC, 0);

  InterruptionTest() {
    super(1, LATER);
  }

  /** Clears the interruption, so a failed test does not interrupt the end of its client. */
  @AfterEach
  void forgetInterruption() {
    Thread.interrupted();
  }

  private static void assertEndsByInterruption(String call, ThrowingCallable waiting) {
    Thread.currentThread().interrupt();
    assertThatThrownBy(waiting).as(call).isInstanceOf(InterruptedException.class);
    assertThat(Thread.currentThread().isInterrupted()).as("status after " + call).isFalse();
  }

  private static void assertGoesOn(String call, ThrowingCallable quick) throws Throwable {
    Thread.currentThread().interrupt();
    quick.call();
    assertThat(Thread.interrupted()).as("status after " + call).isTrue();
  }

  @Test
  void waitsOfAProducerEnd() throws Throwable {
    try (Producer<String, String> producer = producer().open()) {
      broker.always(ApiKey.PRODUCE, Script.SILENCE);
      assertEndsByInterruption("sendAndWait", () -> producer.sendAndWait("k", "v"));
      assertGoesOn("send", () -> producer.send("k", "v"));
      assertGoesOn("trySend", () -> producer.trySend("k", "v", 0, null));
      assertGoesOn("sendAsync", () -> producer.sendAsync("k", "v", null));
      assertEndsByInterruption("flush", () -> producer.flush(LATER));
      assertGoesOn("close", producer::close);
    }
  }

  @Test
  void openingEnds() {
    broker.always(ApiKey.METADATA, Script.SILENCE);
    assertEndsByInterruption("ProducerBuilder.open", () -> producer().open());
    broker.always(ApiKey.FIND_COORDINATOR, Script.SILENCE);
    assertEndsByInterruption("TransactionsBuilder.open", () -> client.transactions("payments").open());
  }

  @Test
  void waitsOfAConsumerEnd() throws Throwable {
    try (Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string()).group("billing")
        .offsetReset(OffsetReset.EARLIEST).open()) {
      assertGoesOn("assign", () -> consumer.assign(ScriptedBroker.TOPIC, 0));
      assertEndsByInterruption("poll", () -> consumer.poll(LATER, record -> {}));
      assertEndsByInterruption("pollPartitions", () -> consumer.pollPartitions(LATER, partition -> {}));
      broker.always(ApiKey.LIST_OFFSETS, Script.SILENCE);
      assertEndsByInterruption("endOffsets", () -> consumer.endOffsets(P0));
      assertEndsByInterruption("beginningOffsets", () -> consumer.beginningOffsets(P0));
      assertEndsByInterruption("offsetsForTimes", () -> consumer.offsetsForTimes(Map.of(P0, 1L)));
      assertGoesOn("seekToEnd", consumer::seekToEnd);
      assertEndsByInterruption("position", () -> consumer.position(ScriptedBroker.TOPIC, 0, LATER));
      broker.always(ApiKey.OFFSET_COMMIT, Script.SILENCE);
      broker.always(ApiKey.OFFSET_FETCH, Script.SILENCE);
      assertEndsByInterruption("commit", () -> consumer.commit(Map.of(P0, new OffsetAndMetadata(1))));
      assertGoesOn("commitAsync", () -> consumer.commitAsync(Map.of(P0, new OffsetAndMetadata(1)), null));
      assertEndsByInterruption("committed", () -> consumer.committed(P0));
      assertGoesOn("seek", () -> consumer.seek(ScriptedBroker.TOPIC, 0, 0));
      assertGoesOn("pause", () -> consumer.pause(ScriptedBroker.TOPIC, 0));
      assertGoesOn("resume", () -> consumer.resume(ScriptedBroker.TOPIC, 0));
      assertGoesOn("close", consumer::close);
    }
  }

  @Test
  void aHandlerThatIsInterruptedEndsThePollBehindItsRecord() throws InterruptedException {
    broker.state().store(0, "a", "b", "c");
    List<String> values = new ArrayList<>();
    try (Consumer<String, String> consumer = consumer(100, 0)) {
      assertThatThrownBy(() -> consumer.poll(LATER, record -> {
        values.add(String.valueOf(record.value()));
        if (values.size() == 2) {
          Thread.currentThread().interrupt();
          new CountDownLatch(1).await(); // any wait
        }
      })).isInstanceOf(InterruptedException.class);
      while (values.size() < 3) {
        consumer.poll(LATER, record -> values.add(String.valueOf(record.value())));
      }
    }
    assertThat(values).containsExactly("a", "b", "c");
  }

  @Test
  void aRebalanceListenerThatIsInterruptedHasThePollEndAndKeepsItsPartitions() throws InterruptedException {
    RebalanceListener waits = new RebalanceListener() {
      @Override
      public void onAssigned(List<TopicPartition> partitions) throws InterruptedException {
        Thread.currentThread().interrupt();
        new CountDownLatch(1).await(); // any wait
      }
    };
    try (Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string())
        .offsetReset(OffsetReset.EARLIEST).group("billing").subscribe(ScriptedBroker.TOPIC).rebalanceListener(waits)
        .open()) {
      // There is no record yet, so the poll would wait.
      assertThatThrownBy(() -> read(consumer, 1)).isInstanceOf(InterruptedException.class);
      assertThat(consumer.assignment()).containsExactly(P0);
      broker.state().store(0, "a");
      assertThat(read(consumer, 1)).containsExactly("a");
    }
  }
}
