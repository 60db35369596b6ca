package dev.decant.fake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.SendOptions;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests a partition that is paused for a moment, beside one without records. */
@Timeout(10)
class PausedPartitionTest {
  @Test
  void aPartitionThatIsResumedDoesNotWaitForTheFetchOfOthers() throws Exception {
    // The fetch of the idle partition waited for fetch.max.wait.ms, and the next fetch waited for that one.
    try (FakeCluster kafka = FakeCluster.builder().inMemory().topic("orders", 2).start();
        KafkaClient client = KafkaClient.builder(kafka.bootstrap()).runtimeCheck(false)
            .requestTimeout(Duration.ofMinutes(2)).build();
        Producer<String, String> producer = client.producer(Serdes.string(), Serdes.string()).topic("orders").open();
        Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string())
            .offsetReset(OffsetReset.EARLIEST).fetchMaxWait(Duration.ofSeconds(20)).open()) {
      producer.sendAndWait("k", "v", new SendOptions().partition(0));
      consumer.assign("orders", 0, 1);
      consumer.pause("orders", 0);
      while (kafka.requests(ApiKey.FETCH).isEmpty()) {
        consumer.poll(Duration.ofMillis(10), record -> {});
      }
      consumer.resume("orders", 0);
      List<String> read = new ArrayList<>();
      while (read.isEmpty()) {
        consumer.poll(Duration.ofSeconds(1), record -> read.add(record.value()));
      }
      assertThat(read).containsExactly("v");
    }
  }
}
