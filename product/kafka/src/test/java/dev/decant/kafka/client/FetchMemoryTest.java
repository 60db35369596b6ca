package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.serialization.Serdes;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests brokers with more data than a client has memory for. */
class FetchMemoryTest extends AgainstScriptedBroker {
  private static final int PARTITIONS = 8;
  private static final int RECORDS_EACH = 5;
  private static final int MEMORY_BYTES = 1 << 20;

  private final KafkaClient small = KafkaClient.builder(address()).fetchMemory(MEMORY_BYTES).requestTimeout(LATER)
      .build();

  FetchMemoryTest() {
    super(PARTITIONS, LATER);
  }

  @BeforeEach
  void storeTwiceWhatTheMemoryHolds() {
    for (int p = 0; p < PARTITIONS; p++) {
      for (int i = 0; i < RECORDS_EACH; i++) {
        broker.state().store(p, "x".repeat(50_000));
      }
    }
  }

  @AfterEach
  void closeClient() {
    small.close();
  }

  private Consumer<String, String> consumerOfAll(int maxPollRecords) {
    Consumer<String, String> consumer = small.consumer(Serdes.string(), Serdes.string())
        .offsetReset(OffsetReset.EARLIEST).maxPollRecords(maxPollRecords).open();
    consumer.assign(ScriptedBroker.TOPIC, IntStream.range(0, PARTITIONS).toArray());
    return consumer;
  }

  /** This response once ended the connection, and was requested again, for ever. */
  @Test
  void noResponseIsLargerThanWhatCanBeReceived() throws InterruptedException {
    try (Consumer<String, String> consumer = consumerOfAll(100)) {
      assertThat(read(consumer, PARTITIONS * RECORDS_EACH)).hasSize(PARTITIONS * RECORDS_EACH);
    }
    assertThat(broker.requests(ApiKey.FETCH)).allMatch(r -> r.fetch().maxBytes() < MEMORY_BYTES / 2);
  }

  @Test
  void consumerThatIsNotPolledLeavesMemoryToOthers() throws InterruptedException {
    try (Consumer<String, String> idle = consumerOfAll(1); Consumer<String, String> busy = consumerOfAll(100)) {
      assertThat(read(idle, 1)).hasSize(1);
      long deadline = System.nanoTime() + LATER.toNanos();
      while (small.status().fetchMemoryInUse() < 3 * MEMORY_BYTES / 4 && deadline - System.nanoTime() > 0) {
        Thread.onSpinWait();
      }
      assertThat(small.status().fetchMemoryInUse()).isGreaterThanOrEqualTo(3 * MEMORY_BYTES / 4);
      assertThat(read(busy, PARTITIONS * RECORDS_EACH)).hasSize(PARTITIONS * RECORDS_EACH);
    }
  }
}
