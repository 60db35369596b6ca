package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.TopicException;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.GroupProtocol;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.MetadataRequest;
import dev.decant.kafka.protocol.message.MetadataResponse;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests topics that the user may not describe. Opening one once waited for {@code max.block}. */
@SuppressWarnings("try") // an open resource may serve its block without being named in it
class DeniedTopicTest extends AgainstScriptedBroker {
  /** Longer than the test class may take: no step waits for it. */
  private static final Duration MAX_BLOCK = Duration.ofMinutes(10);

  DeniedTopicTest() {
    super(1, LATER);
  }

  private Script refusal(ErrorCode error) {
    return exchange -> {
      MetadataResponse response = broker.state().metadata((MetadataRequest) exchange.request().body());
      response.topics().forEach(topic -> topic.errorCode(error.code()));
      exchange.answer(response::write);
    };
  }

  private Producer<String, String> open() {
    try {
      return producer().maxBlock(MAX_BLOCK).open();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void openFailsAtOnce() {
    broker.always(ApiKey.METADATA, refusal(ErrorCode.TOPIC_AUTHORIZATION_FAILED));
    for (int i = 0; i < 2; i++) { // the second pass finds the topic known, with an error
      assertThat(catchThrowableOfType(KafkaException.class, this::open)).hasMessageContaining("topic orders")
          .extracting(KafkaException::code).isEqualTo(ErrorCode.TOPIC_AUTHORIZATION_FAILED);
    }
  }

  @Test
  void sendFailsAtOnceWhereNoMoreRecordsAreKept() throws InterruptedException {
    broker.always(ApiKey.METADATA, refusal(ErrorCode.TOPIC_AUTHORIZATION_FAILED));
    try (Producer<String, String> producer = producer().bufferMemory(256 * 1024).maxBlock(MAX_BLOCK).openAtOnce()) {
      String value = "v".repeat(100_000);
      producer.send(null, value);
      producer.send(null, value);
      assertThat(catchThrowableOfType(KafkaException.class, () -> producer.send(null, value)).code())
          .isEqualTo(ErrorCode.TOPIC_AUTHORIZATION_FAILED);
      producer.purge();
    }
  }

  /** The right may have been granted between that request and this call. */
  @Test
  void refusalThatWasRequestedEarlierDoesNotCount() throws Exception {
    broker.next(ApiKey.METADATA, refusal(ErrorCode.TOPIC_AUTHORIZATION_FAILED));
    assertThat(catchThrowableOfType(KafkaException.class, this::open).code())
        .isEqualTo(ErrorCode.TOPIC_AUTHORIZATION_FAILED);
    try (Producer<String, String> producer = open()) {
      assertThat(producer.sendAndWait(null, "a").offset()).isZero();
    }
  }

  /** The leader of a group assigns no topic that it cannot see, so no member would ever read it. */
  @Test
  void leaderOfAClassicGroupSeesTheRefusalOfATopicThatItMayNotSee() throws InterruptedException {
    broker.always(ApiKey.METADATA, refusal(ErrorCode.TOPIC_AUTHORIZATION_FAILED));
    try (Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string()).group("billing")
        .groupProtocol(GroupProtocol.CLASSIC).subscribe(ScriptedBroker.TOPIC).open()) {
      for (int i = 0; i < 2; i++) { // requested again
        assertThat(catchThrowableOfType(TopicException.class, () -> consumer.poll(LATER, record -> {})))
            .hasMessage("metadata of topic orders, to which group billing subscribes: TOPIC_AUTHORIZATION_FAILED")
            .extracting(TopicException::topic).isEqualTo(ScriptedBroker.TOPIC);
      }
    }
  }

  @Test
  void refusalThatIsOnItsWayDoesNotCount() throws Exception {
    CountDownLatch permission = new CountDownLatch(1);
    broker.next(ApiKey.METADATA, Script.after(permission, refusal(ErrorCode.TOPIC_AUTHORIZATION_FAILED)));
    try (Producer<String, String> unused = producer().maxBlock(MAX_BLOCK).openAtOnce()) {
      broker.await(ApiKey.METADATA, 1);
      CompletableFuture<Producer<String, String>> opening = CompletableFuture.supplyAsync(this::open);
      ClientInternals.of(client).runOnLoop(() -> {});
      permission.countDown();
      try (Producer<String, String> producer = opening.get(LATER.toSeconds(), TimeUnit.SECONDS)) {
        assertThat(producer.sendAndWait(null, "a").offset()).isZero();
      }
    }
  }

  @Test
  void topicThatDoesNotExistIsWaitedFor() throws Exception {
    broker.next(ApiKey.METADATA, refusal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        refusal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION));
    try (Producer<String, String> producer = open()) {
      assertThat(producer.sendAndWait(null, "a").offset()).isZero();
    }
    assertThat(broker.requests(ApiKey.METADATA)).hasSizeGreaterThanOrEqualTo(3);
  }
}
