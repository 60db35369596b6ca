package dev.decant.brokers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.GroupProtocol;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.consumer.RebalanceListener;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A member that wants nothing for a while, on a real broker. */
@ExtendWith(PlainCluster.Shared.class)
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class UnsubscribeTest {
  private static final class Revoked implements RebalanceListener {
    final List<TopicPartition> partitions = new ArrayList<>();

    @Override
    public void onRevoked(List<TopicPartition> gone) {
      partitions.addAll(gone);
    }
  }

  private static void send(KafkaClient client, String topic, String value) throws InterruptedException {
    try (Producer<String, String> producer = client.producer(Serdes.string(), Serdes.string()).topic(topic).open()) {
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
    String topic = PlainCluster.current().createTopic(1);
    try (KafkaClient client = KafkaClient.connect(PlainCluster.current().bootstrap());
        Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string()).group("group-of-" + topic)
            .groupProtocol(protocol).offsetReset(OffsetReset.EARLIEST).rebalanceListener(revoked).subscribe(topic)
            .open()) {
      send(client, topic, "a");
      assertThat(readOne(consumer)).isEqualTo("a");
      consumer.unsubscribe();
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      while (!consumer.assignment().isEmpty() && deadline - System.nanoTime() > 0) {
        consumer.poll(Duration.ofMillis(100), record -> {});
      }
      TopicPartition only = new TopicPartition(topic, 0);
      assertThat(revoked.partitions).containsExactly(only);
      assertThat(consumer.committed(only).get(only)).extracting(OffsetAndMetadata::offset).isEqualTo(1L);
      send(client, topic, "b");
      consumer.subscribe(topic);
      assertThat(readOne(consumer)).isEqualTo("b");
    }
  }
}
