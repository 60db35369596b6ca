package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.SendOptions;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * Tests a broker that accepts connections and requests and does not respond. The client asks others before its timeout.
 */
class FrozenBrokerTest extends AgainstScriptedBroker {
  /** Less than the timeout of a request. */
  private static final Duration DELIVERY_TIMEOUT = LATER.minusSeconds(5);

  FrozenBrokerTest() {
    super(1, LATER);
  }

  private static KafkaClient client(String bootstrap) {
    return KafkaClient.builder(bootstrap).requestTimeout(LATER).connectTimeout(LATER).build();
  }

  private static Producer<String, String> producer(KafkaClient client) throws InterruptedException {
    return client.producer(Serdes.string(), Serdes.string()).topic(ScriptedBroker.TOPIC)
        .deliveryTimeout(DELIVERY_TIMEOUT).maxBlock(DELIVERY_TIMEOUT).open();
  }

  /**
   * A record for a frozen leader once cost a second request timeout after its own. The connection by the bootstrap
   * address was still open, and the same broker was asked for metadata.
   */
  @Test
  void metadataIsAskedOfAnotherBrokerThanTheFrozenLeader() throws InterruptedException {
    String leaderByAnotherName = broker.address().replace("127.0.0.1", "localhost");
    try (ScriptedBroker second = broker.peer(2);
        ScriptedBroker third = broker.peer(3);
        KafkaClient client = client(leaderByAnotherName);
        Producer<String, String> producer = producer(client)) {
      producer.sendAndWait("k", "before");
      broker.always(ApiKey.METADATA, Script.SILENCE);
      broker.always(ApiKey.API_VERSIONS, Script.SILENCE);
      broker.always(ApiKey.PRODUCE, Script.CUT); // instead of its timeout
      broker.state().lead(0, 2);
      producer.sendAndWait("k", "after", new SendOptions().partition(0));
      assertThat(second.requests(ApiKey.PRODUCE)).hasSize(1);
      assertThat(second.requests(ApiKey.METADATA).size() + third.requests(ApiKey.METADATA).size()).isPositive();
    }
    assertThat(broker.state().stored(0)).containsExactly("before", "after");
  }

  /** The bootstrap address that was connected first once had all the time of a request. */
  @Test
  void theNextBootstrapAddressIsAskedWhereTheFirstIsFrozen() throws InterruptedException {
    broker.always(ApiKey.METADATA, Script.SILENCE);
    try (ScriptedBroker second = broker.peer(2)) {
      broker.state().lead(0, 2);
      try (KafkaClient client = client(broker.address() + "," + second.address());
          Producer<String, String> producer = producer(client)) {
        producer.sendAndWait("k", "v");
      }
      assertThat(second.requests(ApiKey.METADATA)).isNotEmpty();
    }
    assertThat(broker.requests(ApiKey.METADATA)).isNotEmpty();
  }
}
