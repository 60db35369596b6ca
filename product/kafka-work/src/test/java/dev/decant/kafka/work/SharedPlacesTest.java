package dev.decant.kafka.work;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fake.FakeCluster;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.SendOptions;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Partitions whose handlers are slow, and the places of the others. */
@Timeout(40)
class SharedPlacesTest {
  @Test
  void slowPartitionsLeavePlacesForTheOthers() throws Exception {
    // Two partitions took half of the places each, and no record of the others was begun.
    CountDownLatch others = new CountDownLatch(2);
    CountDownLatch proceed = new CountDownLatch(1);
    try (FakeCluster kafka = FakeCluster.builder().inMemory().topic("orders", 4).start();
        KafkaClient client = KafkaClient.connect(kafka.bootstrap());
        Producer<String, String> orders = client.producer(Serdes.string(), Serdes.string()).topic("orders").open()) {
      for (int i = 0; i < 5_000; i++) {
        orders.send("slow", "v", new SendOptions().partition(i % 2), 0, null);
      }
      orders.flush(Duration.ofSeconds(20));
      orders.sendAndWait("fast", "v", new SendOptions().partition(2));
      orders.sendAndWait("fast", "v", new SendOptions().partition(3));
      try (Work work = Work.on(client, Serdes.string(), Serdes.string()).group("billing").subscribe("orders")
          .order(Order.BY_PARTITION).open(record -> {
            if (record.partition() < 2) {
              proceed.await();
            } else {
              others.countDown();
            }
          })) {
        assertThat(others.await(20, TimeUnit.SECONDS)).as(work.status().toString()).isTrue();
        proceed.countDown();
      }
    }
  }
}
