package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Tests a topic that is deleted and created again while it is read. The position in the former log once counted in the
 * new one, so the new one's first records were skipped in silence.
 */
class TopicMadeAgainTest extends AgainstScriptedBroker {
  TopicMadeAgainTest() {
    super(1, LATER);
  }

  private Consumer<String, String> consumer(OffsetReset reset) {
    Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string()).offsetReset(reset)
        .fetchMaxWait(Duration.ofMillis(100)).open();
    consumer.assign(ScriptedBroker.TOPIC, 0);
    consumer.seek(ScriptedBroker.TOPIC, 0, 0);
    return consumer;
  }

  /** Creates the topic again. The new log has more records than the former one, so the former position exists in it. */
  private void makeAgain() {
    broker.state().recreate(1);
    broker.state().store(0, "x", "y", "z");
    ClientInternals.of(client).loop().execute(ClientInternals.of(client).cluster()::requestUpdate);
  }

  @Test
  void readingGoesOnAtTheBeginningOfTheNewLog() throws InterruptedException {
    broker.state().store(0, "a", "b");
    try (Consumer<String, String> consumer = consumer(OffsetReset.EARLIEST)) {
      assertThat(read(consumer, 2)).containsExactly("a", "b");
      makeAgain();
      assertThat(read(consumer, 3)).containsExactly("x", "y", "z");
      assertThat(consumer.position(ScriptedBroker.TOPIC, 0, LATER)).isEqualTo(3);
    }
    assertThat(client.status().lastErrors()).anyMatch(e -> e.message().contains("orders-0: the topic was made again"));
  }

  @Test
  void readingGoesOnAtTheEndOfTheNewLogIfThatIsTheRule() throws InterruptedException {
    broker.state().store(0, "a", "b");
    try (Consumer<String, String> consumer = consumer(OffsetReset.LATEST)) {
      assertThat(read(consumer, 2)).containsExactly("a", "b");
      makeAgain();
      while (consumer.position(ScriptedBroker.TOPIC, 0, LATER) != 3) { // the class has a deadline
        assertThat(consumer.poll(SOON, record -> {})).isZero();
      }
      broker.state().store(0, "new");
      assertThat(read(consumer, 1)).containsExactly("new");
    }
  }

  @Test
  void withoutAResetPollSaysUntilASeekThatTheTopicWasMadeAgain() throws InterruptedException {
    broker.state().store(0, "a", "b");
    try (Consumer<String, String> consumer = consumer(OffsetReset.NONE)) {
      assertThat(read(consumer, 2)).containsExactly("a", "b");
      makeAgain();
      List<String> values = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        KafkaException failure = failureOf(consumer, values);
        assertThat(failure.code()).isEqualTo(ErrorCode.OFFSET_OUT_OF_RANGE);
        assertThat(failure).hasMessage("fetch of orders-0: the topic was made again, offset 2 was one of the former"
            + " topic, and there is no offsetReset");
      }
      assertThat(values).isEmpty();
      consumer.seek(ScriptedBroker.TOPIC, 0, 1);
      assertThat(read(consumer, 2)).containsExactly("y", "z");
    }
  }
}
