package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.Transactions;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.message.InitProducerIdRequest;
import dev.decant.kafka.protocol.message.ProduceRequest;
import dev.decant.kafka.serialization.Serdes;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests settings of a properties file as brokers see them. */
@SuppressWarnings("try") // an open resource may serve its block without being named in it
class SettingsOnTheWireTest extends AgainstScriptedBroker {
  SettingsOnTheWireTest() {
    super(1, LATER);
  }

  @Test
  void metadataIsRequestedAgainByTime() throws InterruptedException {
    try (KafkaClient impatient = KafkaClient.fromProperties(
        Map.of("bootstrap.servers", address(), "metadata.max.age.ms", 100));
        Producer<String, String> unused = impatient.producer(Serdes.string(), Serdes.string())
            .topic(ScriptedBroker.TOPIC).open()) {
      assertThat(broker.await(ApiKey.METADATA, 3)).hasSizeGreaterThanOrEqualTo(3);
    }
  }

  @Test
  void producersAndTransactionsSendWhatTheFileSays() throws InterruptedException {
    Map<String, ?> file = Map.of("bootstrap.servers", address(), "transaction.timeout.ms", 12_345, "max.block.ms",
        LATER.toMillis(), "request.timeout.ms", 23_456, "acks", "all");
    try (KafkaClient client = KafkaClient.fromProperties(file);
        Transactions transactions = client.transactions("payments").open();
        Producer<String, String> producer = client.producer(Serdes.string(), Serdes.string())
            .topic(ScriptedBroker.TOPIC).transactions(transactions).open()) {
      assertThat(((InitProducerIdRequest) broker.await(ApiKey.INIT_PRODUCER_ID, 1).getFirst().body())
          .transactionTimeoutMs()).isEqualTo(12_345);
      transactions.begin();
      producer.send("k", "v");
      transactions.commit(LATER);
    }
    ProduceRequest sent = broker.requests(ApiKey.PRODUCE).getFirst().produce();
    assertThat(sent.timeoutMs()).isEqualTo(23_456);
    assertThat(sent.acks()).isEqualTo((short) -1);
  }
}
