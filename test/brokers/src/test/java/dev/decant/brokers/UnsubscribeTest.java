package dev.decant.brokers;

import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.OffsetAndMetadata;
import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.GroupProtocol;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.consumer.RebalanceListener;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.testkit.KafkaCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A member that wants nothing for a while, on a real broker. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class UnsubscribeTest {
  private static final class Revoked implements RebalanceListener {
    final List<TopicPartition> partitions = new ArrayList<>();

    @Override
    public void onRevoked(List<TopicPartition> gone) {
      partitions.addAll(gone);
    }
  }

  private static void send(KafkaClient client, String value) throws InterruptedException {
    try (Producer<String, String> producer = client.producer(Serdes.string(), Serdes.string()).topic("orders").open()) {
      producer.sendAndWait(null, value);
    }
  }

  private static String readOne(Consumer<String, String> consumer) throws InterruptedException {
    List<String> values = new ArrayList<>();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (values.isEmpty() && deadline - System.nanoTime() > 0) {
      consumer.poll(Duration.ofSeconds(1), record -> values.add(record.value()));
    }
    return String.join(",", values);
  }

  @ParameterizedTest
  @EnumSource(GroupProtocol.class)
  void partitionsAreGivenUpAndComeBackWithTheNextSubscription(GroupProtocol protocol) throws InterruptedException {
    Revoked revoked = new Revoked();
    try (KafkaCluster cluster = KafkaCluster.builder().setting("group.consumer.min.heartbeat.interval.ms", "200")
        .setting("group.consumer.heartbeat.interval.ms", "300").start();
        KafkaClient client = KafkaClient.connect(cluster.bootstrap())) {
      cluster.createTopic("orders", 1);
      try (Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string()).group("billing")
          .groupProtocol(protocol).offsetReset(OffsetReset.EARLIEST).rebalanceListener(revoked).subscribe("orders")
          .open()) {
        send(client, "a");
        assertThat(readOne(consumer)).isEqualTo("a");
        consumer.unsubscribe();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!consumer.assignment().isEmpty() && deadline - System.nanoTime() > 0) {
          consumer.poll(Duration.ofMillis(100), record -> {});
        }
        TopicPartition only = new TopicPartition("orders", 0);
        assertThat(revoked.partitions).containsExactly(only);
        assertThat(consumer.committed(only).get(only)).extracting(OffsetAndMetadata::offset).isEqualTo(1L);
        send(client, "b");
        consumer.subscribe("orders");
        assertThat(readOne(consumer)).isEqualTo("b");
      }
    }
  }
}
