package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.serialization.Serdes;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/**
 * Tests timeouts while a broker is silent and nothing has failed: their messages once ended with "last error: null".
 */
class NoErrorYetTest extends AgainstScriptedBroker {
  private static final TopicPartition P0 = new TopicPartition(ScriptedBroker.TOPIC, 0);

  NoErrorYetTest() {
    super(1, LATER);
  }

  private static void assertNothingHasFailed(ThrowingCallable call) {
    assertThatThrownBy(call).isInstanceOf(KafkaTimeoutException.class).hasNoCause()
        .hasMessageEndingWith("no attempt has failed");
  }

  @Test
  void topicWhoseMetadataDoesNotCome() {
    broker.always(ApiKey.METADATA, Script.SILENCE);
    assertNothingHasFailed(() -> producer().maxBlock(SOON).open());
  }

  @Test
  void callsOfAConsumerWithoutAResponse() throws InterruptedException {
    try (Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string()).apiTimeout(SOON)
        .group("billing").autoCommit(false).open()) {
      consumer.assign(ScriptedBroker.TOPIC, 0);
      for (ApiKey api : new ApiKey[] {ApiKey.LIST_OFFSETS, ApiKey.OFFSET_FETCH, ApiKey.OFFSET_COMMIT}) {
        broker.always(api, Script.SILENCE);
      }
      assertNothingHasFailed(() -> consumer.endOffsets(P0));
      assertNothingHasFailed(() -> consumer.committed(P0));
      assertNothingHasFailed(() -> consumer.position(ScriptedBroker.TOPIC, 0, SOON));
      assertNothingHasFailed(() -> consumer.commit(Map.of(P0, new OffsetAndMetadata(1))));
      broker.always(ApiKey.METADATA, Script.SILENCE);
      assertNothingHasFailed(() -> consumer.topics(SOON));
    }
  }

  @Test
  void batchThatWaitsForItsResponse() throws InterruptedException {
    broker.always(ApiKey.PRODUCE, Script.SILENCE);
    awaitMetadata();
    try (Producer<String, String> producer = producer(SOON)) {
      assertNothingHasFailed(() -> producer.sendAndWait("k", "v"));
    }
  }

  @Test
  void transactionalIdWhoseCoordinatorDoesNotRespond() {
    broker.always(ApiKey.FIND_COORDINATOR, Script.SILENCE);
    assertThatThrownBy(() -> client.transactions("payments").maxBlock(SOON).open())
        .isInstanceOf(KafkaTimeoutException.class).hasNoCause()
        .hasMessageContaining("broker unknown, attempts 0, no attempt has failed");
  }

  /** The message once said "last error: none", because no broker had been found that the request could go to. */
  @Test
  void transactionalIdWhileNoBrokerCanBeReached() {
    broker.close();
    assertThatThrownBy(() -> client.transactions("payments").maxBlock(SOON).open())
        .isInstanceOf(KafkaTimeoutException.class).hasMessageContaining("payments")
        .hasMessageContaining("last error: the connection to broker " + address());
  }
}
