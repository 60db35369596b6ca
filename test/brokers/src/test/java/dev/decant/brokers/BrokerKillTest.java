package dev.decant.brokers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.producer.Acks;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.SendListener;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.testkit.KafkaCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The broker dies without a word; Apache's consumer is the oracle of what is stored. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class BrokerKillTest {
  private static final int PARTITIONS = 3;
  private static final int RECORDS = 600_000;
  private static final int KILLS = 2;
  private static final Duration RESTART = Duration.ofSeconds(60);

  /** What the producer was told, by the number of the record: -1 nothing yet, -2 failed, else partition and offset. */
  private static final class Outcomes implements SendListener {
    static final long FAILED = -2;
    final AtomicLongArray byRecord = new AtomicLongArray(RECORDS);
    final AtomicReference<@Nullable KafkaException> firstError = new AtomicReference<>();
    volatile int acked;

    Outcomes() {
      for (int i = 0; i < RECORDS; i++) {
        byRecord.set(i, -1);
      }
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // listeners run on the owner of the loop only
    public void onAck(long tag, int partition, long offset, long timestamp) {
      assertThat(byRecord.getAndSet((int) tag, offset * PARTITIONS + partition)).as("told twice: %d", tag)
          .isEqualTo(-1);
      acked++;
    }

    @Override
    public void onFailure(long tag, KafkaException error) {
      assertThat(byRecord.getAndSet((int) tag, FAILED)).as("told twice: %d", tag).isEqualTo(-1);
      firstError.compareAndSet(null, error);
    }
  }

  @Tag("full")
  @Test
  void everyAcknowledgedRecordIsStoredOnceAndInOrderThoughTheBrokerIsKilledTwice() throws InterruptedException {
    Outcomes outcomes = new Outcomes();
    try (KafkaCluster cluster = KafkaCluster.start(); KafkaClient client = KafkaClient.connect(cluster.bootstrap())) {
      cluster.createTopic("orders", PARTITIONS);
      try (Producer<byte[], Long> producer = client.producer(Serdes.bytes(), Serdes.longs())
          .topic("orders").acks(Acks.ALL).bufferMemory(2 << 20).open()) {
        Thread sender = Thread.ofPlatform().start(() -> sendAll(producer, outcomes));
        for (int kill = 1; kill <= KILLS; kill++) {
          awaitAcked(outcomes, kill * RECORDS / (KILLS + 2));
          assertThat(outcomes.acked).as("acknowledged before kill %d", kill).isLessThan(RECORDS);
          cluster.node(1).kill();
          cluster.node(1).restart(RESTART);
        }
        sender.join();
        assertThat(producer.flush(Duration.ofSeconds(60))).as("flushed").isTrue();
      }
      assertThat(outcomes.firstError.get()).isNull();
      verify(outcomes, readAll(cluster));
    }
  }

  private static void sendAll(Producer<byte[], Long> producer, Outcomes outcomes) {
    for (int i = 0; i < RECORDS; i++) {
      producer.send(null, (long) i, i, outcomes);
    }
  }

  private static void awaitAcked(Outcomes outcomes, int count) {
    while (outcomes.acked < count) {
      Thread.onSpinWait();
    }
  }

  private static List<List<Long>> readAll(KafkaCluster cluster) {
    long[] ends = cluster.endOffsets("orders");
    List<List<Long>> stored = new ArrayList<>();
    Map<String, Object> settings = Map.of("bootstrap.servers", cluster.bootstrap(), "auto.offset.reset", "earliest");
    try (var consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new LongDeserializer())) {
      for (int i = 0; i < PARTITIONS; i++) {
        stored.add(new ArrayList<>());
        consumer.assign(List.of(new TopicPartition("orders", i)));
        while (consumer.position(new TopicPartition("orders", i)) < ends[i]) {
          for (var record : consumer.poll(Duration.ofMillis(200))) {
            stored.get(i).add(record.value());
          }
        }
        assertThat(stored.get(i)).hasSize((int) ends[i]);
      }
    }
    return stored;
  }

  private static void verify(Outcomes outcomes, List<List<Long>> stored) {
    int found = 0;
    for (List<Long> partition : stored) {
      long last = -1;
      for (long record : partition) {
        assertThat(record).as("order, and no record twice").isGreaterThan(last);
        last = record;
        found++;
      }
    }
    for (int i = 0; i < RECORDS; i++) {
      long outcome = outcomes.byRecord.get(i);
      assertThat(outcome).as("outcome of record %d", i).isGreaterThanOrEqualTo(0);
      List<Long> partition = stored.get((int) (outcome % PARTITIONS));
      assertThat(partition.get((int) (outcome / PARTITIONS))).as("at the offset of the ack").isEqualTo(i);
    }
    assertThat(found).isEqualTo(RECORDS);
  }

  @Test
  void withoutABrokerNothingHangsAndTheErrorNamesStageAndBroker() throws InterruptedException {
    try (KafkaCluster cluster = KafkaCluster.start(); KafkaClient client = KafkaClient.connect(cluster.bootstrap())) {
      cluster.createTopic("orders", 1);
      String broker = "127.0.0.1:" + cluster.node(1).port();
      try (
          Producer<byte[], Long> producer = client.producer(Serdes.bytes(), Serdes.longs())
              .topic("orders")
              .deliveryTimeout(Duration.ofSeconds(2)).open();
          Consumer<byte[], Long> consumer = client.consumer(Serdes.bytes(), Serdes.longs())
              .offsetReset(OffsetReset.EARLIEST).open()) {
        producer.sendAndWait(null, 1L);
        consumer.assign("orders", 0);
        cluster.node(1).kill();

        assertThatThrownBy(() -> producer.sendAndWait(null, 2L)).isInstanceOf(KafkaTimeoutException.class)
            .hasMessageContaining("orders-0").hasMessageContaining(broker);
        assertThat(consumer.poll(Duration.ofMillis(500), record -> {})).isZero();
        assertThat(producer.flush(Duration.ofSeconds(5))).isTrue();
      }
    }
  }

  @Test
  void aClusterThatCannotBeReachedIsAnErrorThatNamesTheAddress() {
    try (KafkaClient client = KafkaClient.connect("127.0.0.1:1")) {
      assertThatThrownBy(() -> client.producer(Serdes.bytes(), Serdes.longs()).topic("orders")
          .maxBlock(Duration.ofSeconds(1)).open().sendAndWait(null, 2L))
          .isInstanceOf(KafkaException.class).hasMessageContaining("127.0.0.1:1");
    }
  }
}
