package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.ProducerBuilder;
import dev.decant.kafka.producer.SendStatus;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.serialization.Serdes;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Tests the one bound of memory for all producers of a client. */
class SharedMemoryTest extends AgainstScriptedBroker {
  private static final int BOUND = 1 << 20;

  SharedMemoryTest() {
    super(1, LATER);
  }

  private static ProducerBuilder<byte[], byte[]> producer(KafkaClient client) {
    return client.producer(Serdes.bytes(), Serdes.bytes()).topic(ScriptedBroker.TOPIC);
  }

  private static int fill(Producer<byte[], byte[]> producer) {
    byte[] value = new byte[1000];
    int accepted = 0;
    while (producer.trySend(null, value, 0, null) == SendStatus.ACCEPTED) {
      accepted++;
    }
    return accepted;
  }

  @Test
  void producersOfAClientShareItsBoundAndOneWithMemoryOfItsOwnDoesNot()
      throws InterruptedException, IOException {
    try (KafkaClient small = KafkaClient.builder(address()).bufferMemory(BOUND).build();
        Producer<byte[], byte[]> first = producer(small).open();
        Producer<byte[], byte[]> second = producer(small).open();
        Producer<byte[], byte[]> other = producer(small).bufferMemory(BOUND).open()) {
      broker.always(ApiKey.PRODUCE, Script.SILENCE);
      assertThat(fill(first)).isBetween(BOUND / 3000, BOUND / 1000);
      assertThat(fill(second)).as("what is left over at most").isLessThan(BOUND / 10_000);
      assertThat(fill(other)).isBetween(BOUND / 3000, BOUND / 1000);
      broker.always(ApiKey.PRODUCE, Script.STANDARD);
      broker.cutAll();
      assertThat(first.flush(LATER)).isTrue();
      assertThat(second.sendAndWait(null, new byte[1]).offset()).isPositive();
    }
  }

  @Test
  void boundThatIsTooSmallIsRefused() {
    assertThatThrownBy(() -> KafkaClient.builder(address()).bufferMemory(1000))
        .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("bufferMemory: 1000 is less than 2 KiB");
  }
}
