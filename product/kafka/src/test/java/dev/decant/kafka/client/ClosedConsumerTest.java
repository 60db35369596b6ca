package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.consumer.RebalanceListener;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.serialization.Serdes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Tests calls of a consumer after its end. */
class ClosedConsumerTest extends AgainstScriptedBroker {
  ClosedConsumerTest() {
    super(1, LATER);
  }

  /** The poll once returned no records, for ever. */
  @Test
  void pollOfAClosedConsumerIsAnError() {
    Consumer<String, String> consumer = closed();
    assertRefused(() -> consumer.poll(SOON, record -> {}));
    assertRefused(() -> consumer.pollPartitions(SOON, partition -> {}));
  }

  @Test
  void aClosedConsumerTakesNoTopics() {
    Consumer<String, String> consumer = closed();
    assertRefused(() -> consumer.subscribe("other"));
    assertRefused(() -> consumer.subscribePattern("o.*"));
    assertRefused(() -> consumer.assign(ScriptedBroker.TOPIC, 0));
  }

  /** Calls once had results while the client was open, and none afterwards. */
  @Test
  void aClosedConsumerRefusesEachCall() {
    Consumer<String, String> consumer = closed();
    TopicPartition partition = new TopicPartition(ScriptedBroker.TOPIC, 0);
    assertRefused(() -> consumer.endOffsets(partition));
    assertRefused(() -> consumer.beginningOffsets(partition));
    assertRefused(() -> consumer.endOffsets(List.of(partition), SOON));
    assertRefused(() -> consumer.beginningOffsets(List.of(partition), SOON));
    assertRefused(() -> consumer.offsetsForTimes(Map.of(partition, 1L)));
    assertRefused(() -> consumer.offsetsForTimes(Map.of(partition, 1L), SOON));
    assertRefused(() -> consumer.topics(SOON));
    assertRefused(() -> consumer.partitionsFor(ScriptedBroker.TOPIC, SOON));
    assertRefused(() -> consumer.position(ScriptedBroker.TOPIC, 0, SOON));
    assertRefused(() -> consumer.currentLag(ScriptedBroker.TOPIC, 0));
    assertRefused(() -> consumer.seek(ScriptedBroker.TOPIC, 0, 0));
    assertRefused(() -> consumer.pause(ScriptedBroker.TOPIC, 0));
    assertRefused(() -> consumer.enforceRebalance("test"));
    assertRefused(consumer::groupMetadata);
  }

  @Test
  void theEndOfTheConsumerEndsAWaitForOffsets() throws Exception {
    broker.always(ApiKey.LIST_OFFSETS, Script.SILENCE);
    Consumer<String, String> consumer = consumer();
    CompletableFuture<Object> question = CompletableFuture.supplyAsync(() -> {
      try {
        return consumer.endOffsets(new TopicPartition(ScriptedBroker.TOPIC, 0));
      } catch (InterruptedException e) {
        throw new IllegalArgumentException(e);
      }
    });
    broker.await(ApiKey.LIST_OFFSETS, 1);
    consumer.close();
    assertThatThrownBy(() -> question.get(LATER.toSeconds(), TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class)
        .cause().isInstanceOf(IllegalStateException.class).hasMessage("the consumer is closed");
  }

  /** Closing revokes partitions while the consumer still works. */
  @Test
  void listenersThatClosingCallsMayAskQuestions() throws InterruptedException {
    broker.state().store(0, "a", "b");
    List<Long> ends = new ArrayList<>();
    AtomicReference<Consumer<String, String>> asked = new AtomicReference<>();
    try (Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string()).group("billing")
        .offsetReset(OffsetReset.EARLIEST).subscribe(ScriptedBroker.TOPIC).rebalanceListener(new RebalanceListener() {
          @Override
          public void onRevoked(List<TopicPartition> partitions) {
            try {
              ends.addAll(asked.get().endOffsets(partitions, LATER).values());
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          }
        }).open()) {
      asked.set(consumer);
      assertThat(read(consumer, 2)).containsExactly("a", "b");
    }
    assertThat(ends).containsExactly(2L);
  }

  @Test
  void wakeupAndCloseAreHarmless() {
    Consumer<String, String> consumer = closed();
    consumer.wakeup();
    consumer.close();
  }

  private Consumer<String, String> closed() {
    Consumer<String, String> consumer = consumer();
    consumer.assign(ScriptedBroker.TOPIC, 0);
    consumer.close();
    return consumer;
  }

  private static void assertRefused(ThrowingCallable call) {
    assertThatThrownBy(call).isInstanceOf(IllegalStateException.class).hasMessage("the consumer is closed");
  }
}
