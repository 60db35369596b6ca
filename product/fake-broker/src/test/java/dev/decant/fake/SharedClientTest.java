package dev.decant.fake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.ConsumerBuilder;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests consumers of one client whose fetches wait at one broker. */
@Timeout(12)
class SharedClientTest {
  private FakeCluster kafka;
  private KafkaClient client;

  @BeforeEach
  void start() {
    kafka = FakeCluster.builder().inMemory().topic("idle", 1).topic("orders", 1).start();
    client = KafkaClient.builder(kafka.bootstrap()).runtimeCheck(false).requestTimeout(Duration.ofMinutes(2)).build();
  }

  @AfterEach
  void stop() {
    client.close();
    kafka.close();
  }

  private ConsumerBuilder<String, String> consumer() {
    return client.consumer(Serdes.string(), Serdes.string()).offsetReset(OffsetReset.EARLIEST)
        .fetchMaxWait(Duration.ofSeconds(20));
  }

  private void awaitFetches(Consumer<String, String> of, int count) throws InterruptedException {
    while (kafka.requests(ApiKey.FETCH).size() < count) {
      of.poll(Duration.ofMillis(10), record -> {});
    }
  }

  private static void read(Consumer<String, String> consumer) throws InterruptedException {
    consumer.assign("orders", 0);
    int read = 0;
    while (read == 0) {
      read = consumer.poll(Duration.ofSeconds(1), record -> {});
    }
    assertThat(read).isOne();
  }

  @Test
  void theFetchOfOneDoesNotHoldUpAnother() throws Exception {
    // The consumers shared one connection, on which the broker responds in order.
    try (Producer<String, String> producer = client.producer(Serdes.string(), Serdes.string()).topic("orders").open();
        Consumer<String, String> idle = consumer().open();
        Consumer<String, String> busy = consumer().open()) {
      producer.sendAndWait("k", "v");
      idle.assign("idle", 0);
      awaitFetches(idle, 1);
      read(busy);
    }
  }

  @Test
  void theFetchOfAClosedOneHoldsUpNobody() throws Exception {
    try (Producer<String, String> producer = client.producer(Serdes.string(), Serdes.string()).topic("orders").open()) {
      producer.sendAndWait("k", "v");
      for (int i = 0; i < 3; i++) {
        try (Consumer<String, String> consumer = consumer().open()) {
          read(consumer);
          awaitFetches(consumer, 2 * (i + 1)); // it waits for more records
        }
      }
    }
  }
}
