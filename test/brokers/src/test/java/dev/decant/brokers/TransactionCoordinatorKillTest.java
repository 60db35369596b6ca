package dev.decant.brokers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.TransactionState;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.Transactions;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.testkit.BrokerNode;
import dev.decant.testkit.KafkaCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The coordinator of a transaction dies while it is to be committed; Apache's consumer is the oracle. */
@Tag("full")
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class TransactionCoordinatorKillTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final String ID = "payments";
  private static final int STATE_PARTITIONS = 4;
  /** Three brokers that start soon matter more here than fast ones. */
  private static final List<String> JVM = List.of("-Xms64m", "-Xmx384m", "-XX:+UseSerialGC",
      "-XX:TieredStopAtLevel=1");

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void commitGoesOnAtTheNextCoordinatorAndNothingIsLostOrDoubled(int version) throws Exception {
    List<String> expected = new ArrayList<>();
    try (KafkaCluster cluster = KafkaCluster.builder().brokers(3).jvmArguments(JVM)
        .feature("transaction.version", version).start();
        KafkaClient client = KafkaClient.connect(cluster.bootstrap())) {
      cluster.createTopic("orders", 1);
      try (Transactions tx = client.transactions(ID).open();
          Producer<String, String> producer = client.producer(Serdes.string(), Serdes.string()).topic("orders")
              .transactions(tx).open()) {
        transact(tx, producer, 0, expected);
        BrokerNode coordinator = cluster.leader("__transaction_state",
            Utils.abs(ID.hashCode()) % STATE_PARTITIONS);
        tx.begin();
        send(producer, 1, expected);
        assertThat(producer.flush(TIMEOUT)).isTrue();
        coordinator.suspend(); // it gets the request and does not answer
        CompletableFuture<Void> committed = CompletableFuture.runAsync(() -> commit(tx));
        awaitState(tx, TransactionState.COMMITTING);
        coordinator.kill();
        committed.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        for (int t = 2; t < 7; t++) {
          transact(tx, producer, t, expected);
        }
      }
      assertThat(read(cluster, expected.getLast())).isEqualTo(expected);
    }
  }

  private static void transact(Transactions tx, Producer<String, String> producer, int number, List<String> expected)
      throws InterruptedException {
    tx.begin();
    send(producer, number, expected);
    tx.commit(TIMEOUT);
  }

  private static void send(Producer<String, String> producer, int number, List<String> expected) {
    for (int i = 0; i < 10; i++) {
      producer.send("k", number + "-" + i);
      expected.add(number + "-" + i);
    }
  }

  private static void commit(Transactions tx) {
    try {
      tx.commit(TIMEOUT);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void awaitState(Transactions tx, TransactionState state) {
    while (tx.state() != state) {
      Thread.onSpinWait();
    }
  }

  private static List<String> read(KafkaCluster cluster, String last) {
    List<String> values = new ArrayList<>();
    Map<String, Object> settings = Map.of("bootstrap.servers", cluster.bootstrap(), "auto.offset.reset", "earliest",
        "isolation.level", "read_committed");
    try (var consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
      consumer.assign(List.of(new TopicPartition("orders", 0)));
      while (!values.contains(last)) {
        consumer.poll(Duration.ofMillis(100)).forEach(record -> values.add(record.value()));
      }
    }
    return values;
  }
}
