package dev.decant.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.broker.Script;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.SendStatus;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Producers that are opened before anything is known of their topic. */
class OpenAtOnceTest extends AgainstScriptedBroker {
  OpenAtOnceTest() {
    super(2, LATER);
  }

  @Test
  void nothingWaitsForMetadataButSend() throws InterruptedException {
    CountDownLatch known = new CountDownLatch(1);
    broker.next(ApiKey.METADATA, Script.after(known, Script.STANDARD));
    try (Producer<String, String> producer = producer().openAtOnce()) {
      assertThat(producer.trySend(null, "refused", 0, null)).isEqualTo(SendStatus.METADATA_PENDING);
      assertThat(producer.flush(Duration.ZERO)).as("nothing was taken").isTrue();
      known.countDown();
      producer.send(null, "v0");
      assertThat(producer.trySend(null, "v1", 0, null)).isEqualTo(SendStatus.ACCEPTED);
      assertThat(producer.flush(LATER)).isTrue();
    }
    assertThat(broker.state().stored(0).size() + broker.state().stored(1).size()).isEqualTo(2);
  }

  @Test
  void sendSaysThatTheTopicDoesNotExistWhenItsTimeIsOver() {
    try (Producer<String, String> producer = producer().topic("nowhere").maxBlock(SOON).openAtOnce()) {
      assertThatThrownBy(() -> producer.send(null, "v")).isInstanceOfSatisfying(KafkaException.class,
          e -> assertThat(e.code()).isEqualTo(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION))
          .hasMessageContaining("topic nowhere");
      assertThat(producer.trySend(null, "v", 0, null)).isEqualTo(SendStatus.METADATA_PENDING);
    }
  }

  @Test
  void closeEndsTheWait() throws InterruptedException {
    broker.always(ApiKey.METADATA, Script.SILENCE);
    Producer<String, String> producer = producer().maxBlock(LATER).openAtOnce();
    Thread sender = Thread.ofVirtual().start(() -> assertThatThrownBy(() -> producer.send(null, "v"))
        .hasMessageContaining("closed"));
    broker.await(ApiKey.METADATA, 1);
    producer.close();
    assertThat(sender.join(Duration.ofSeconds(10))).as("ended long before maxBlock").isTrue();
  }
}
