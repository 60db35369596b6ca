package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.consumer.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What is asked of a consumer after its end. */
class ClosedConsumerTest extends AgainstScriptedBroker {
  ClosedConsumerTest() {
    super(1, LATER);
  }

  /** It used to answer that there are no records, for ever. */
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
