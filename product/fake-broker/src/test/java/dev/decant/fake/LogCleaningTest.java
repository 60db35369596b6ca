package dev.decant.fake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.message.ProduceRequest;
import dev.decant.kafka.protocol.message.ProduceResponse;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that retention and compaction do what brokers do, and that clients continue to read and write. */
@Timeout(60)
class LogCleaningTest {
  private static final Map<String, String> COMPACT = Map.of("cleanup.policy", "compact", "delete.retention.ms",
      "60000");

  private static void send(KafkaProducer<String, String> producer, String key, @Nullable String value)
      throws Exception {
    producer.send(new ProducerRecord<>("orders", key, value)).get(20, TimeUnit.SECONDS);
  }

  private static void sendAt(FakeCluster cluster, KafkaProducer<String, String> producer, String value)
      throws Exception {
    producer.send(new ProducerRecord<>("orders", 0, cluster.clock().now().toEpochMilli(), "k", value))
        .get(20, TimeUnit.SECONDS);
  }

  private static FakeCluster cluster(Map<String, String> settings) {
    return FakeCluster.builder().topic("orders", 1, settings).start();
  }

  private static List<Long> offsets(FakeCluster cluster) {
    return cluster.log("orders", 0).records().stream().map(StoredRecord::offset).toList();
  }

  @Test
  void recordsThatAreTooOldAreDeletedAndOffsetsGoOn() throws Exception {
    try (FakeCluster cluster = cluster(Map.of("retention.ms", "5000"));
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of());
        KafkaConsumer<String, String> consumer = ApacheClients.consumer(cluster, Map.of())) {
      cluster.clock().stop();
      sendAt(cluster, producer, "old");
      cluster.clock().advance(Duration.ofSeconds(5));
      cluster.applyRetention();
      assertThat(cluster.log("orders", 0).texts()).containsExactly("old");
      cluster.clock().advance(Duration.ofMillis(1));
      cluster.applyRetention();
      assertThat(cluster.log("orders", 0).texts()).isEmpty();
      assertThat(cluster.log("orders", 0).logStart()).isEqualTo(1);
      sendAt(cluster, producer, "new");
      cluster.clock().resume();
      consumer.assign(List.of(new TopicPartition("orders", 0)));
      consumer.seek(new TopicPartition("orders", 0), 0); // deleted: the consumer starts from the beginning
      List<String> read = new ArrayList<>();
      while (read.isEmpty()) {
        consumer.poll(Duration.ofMillis(100)).forEach(r -> read.add(r.offset() + " " + r.value()));
      }
      assertThat(read).containsExactly("1 new");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {5_000, 60_000})
  void segmentsGoAsAWhole(int segmentMillis) throws Exception {
    try (FakeCluster cluster = cluster(
        Map.of("retention.ms", "15000", "segment.ms", String.valueOf(segmentMillis)));
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of())) {
      cluster.clock().stop();
      sendAt(cluster, producer, "old");
      cluster.clock().advance(Duration.ofSeconds(10));
      sendAt(cluster, producer, "young");
      cluster.clock().advance(Duration.ofSeconds(10));
      cluster.applyRetention();
      assertThat(cluster.log("orders", 0).texts())
          .containsExactlyElementsOf(segmentMillis == 5_000 ? List.of("young") : List.of("old", "young"));
    }
  }

  @Test
  void clockAppliesRetentionByItself() throws Exception {
    try (FakeCluster cluster = cluster(Map.of("retention.ms", "1000"));
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of())) {
      cluster.clock().stop();
      sendAt(cluster, producer, "old");
      cluster.clock().advance(Duration.ofMinutes(6));
      assertThat(cluster.log("orders", 0).texts()).isEmpty();
    }
  }

  @Test
  void oldestSegmentsGoIfALogIsTooLarge() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().brokers(2)
        .topic("orders", 1, Map.of("retention.bytes", "700000", "segment.bytes", "1048576")).start();
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of("acks", "1"))) {
      for (int i = 0; i < 3; i++) {
        send(producer, "k", "x".repeat(600_000));
      }
      cluster.holdReplication("orders", 0);
      for (int i = 0; i < 3; i++) {
        send(producer, "k", "x".repeat(600_000));
      }
      cluster.applyRetention();
      assertThat(cluster.log("orders", 0).logStart()).isEqualTo(3); // records that are not replicated stay
      cluster.resumeReplication("orders", 0);
      cluster.applyRetention();
      assertThat(cluster.log("orders", 0).logStart()).isEqualTo(4);
    }
  }

  @Test
  void recordsAreDeletedWhenATestSaysSo() throws Exception {
    try (FakeCluster cluster = cluster(Map.of());
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of())) {
      send(producer, "k", "one");
      send(producer, "k", "two");
      cluster.deleteRecords("orders", 0, 1);
      assertThat(cluster.log("orders", 0).texts()).containsExactly("two");
      assertThatThrownBy(() -> cluster.deleteRecords("orders", 0, 3)).hasMessageContaining("0..2");
    }
  }

  @Test
  void lastRecordOfEachKeyStaysWithItsOffsetAndClientsReadOverTheGaps() throws Exception {
    try (FakeCluster cluster = cluster(COMPACT);
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of("linger.ms", 50));
        KafkaConsumer<String, String> apaches = ApacheClients.consumer(cluster, Map.of());
        KafkaClient client = KafkaClient.connect(cluster.bootstrap());
        Consumer<String, String> decants = client.consumer(Serdes.string(), Serdes.string())
            .offsetReset(OffsetReset.EARLIEST).open()) {
      for (int i = 0; i < 20; i++) { // some of them in the same batch
        var unused = producer.send(new ProducerRecord<>("orders", 0, 1_000L + i, "key-" + i % 3, "value-" + i));
      }
      producer.flush();
      cluster.compact("orders");
      assertThat(offsets(cluster)).containsExactly(17L, 18L, 19L);
      assertThat(cluster.log("orders", 0).records()).extracting(StoredRecord::timestamp)
          .containsExactly(1_017L, 1_018L, 1_019L);
      assertThat(cluster.log("orders", 0).logStart()).isZero();
      send(producer, "key-0", "next");
      List<String> read = new ArrayList<>();
      apaches.assign(List.of(new TopicPartition("orders", 0)));
      while (read.size() < 4) {
        apaches.poll(Duration.ofMillis(100)).forEach(r -> read.add(r.offset() + r.key() + r.value()));
      }
      List<String> readToo = new ArrayList<>();
      decants.assign("orders", 0);
      while (readToo.size() < 4) {
        decants.poll(Duration.ofSeconds(20), r -> readToo.add(r.offset() + r.key() + r.value()));
      }
      assertThat(read).isEqualTo(readToo).containsExactly("17key-2value-17", "18key-0value-18", "19key-1value-19",
          "20key-0next");
    }
  }

  @Test
  void tombstoneStaysForItsTime() throws Exception {
    try (FakeCluster cluster = cluster(COMPACT);
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of())) {
      cluster.clock().stop();
      send(producer, "a", "one");
      send(producer, "a", null);
      send(producer, "b", "two");
      cluster.compact("orders");
      assertThat(cluster.log("orders", 0).texts()).containsExactly("null", "two");
      cluster.clock().advance(Duration.ofMillis(59_999));
      cluster.compact("orders");
      assertThat(offsets(cluster)).containsExactly(1L, 2L);
      cluster.clock().advance(Duration.ofMillis(1));
      cluster.compact("orders");
      assertThat(cluster.log("orders", 0).texts()).containsExactly("two");
      assertThat(offsets(cluster)).containsExactly(2L);
    }
  }

  @Test
  void producerGoesOnAfterAllOfItsRecordsWereReplaced() throws Exception {
    try (FakeCluster cluster = cluster(COMPACT);
        RawClient raw = new RawClient(cluster, 1, "writer");
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of());
        KafkaProducer<String, String> other = ApacheClients.producer(cluster, Map.of())) {
      send(producer, "a", "one");
      ReceivedRequest first = Objects.requireNonNull(cluster.requests(ApiKey.PRODUCE).getFirst());
      send(other, "a", "two");
      cluster.compact("orders");
      assertThat(offsets(cluster)).containsExactly(1L);
      ProduceRequest again = (ProduceRequest) first.body();
      var response = raw.ask(ApiKey.PRODUCE, first.version(), again::write, ProduceResponse::read);
      assertThat(response.responses().getFirst().partitionResponses().getFirst().baseOffset()).isZero();
      send(producer, "a", "three");
      assertThat(offsets(cluster)).containsExactly(1L, 2L);
    }
  }

  @Test
  void abortedRecordsGoAndOpenOnesAreNotTouched() throws Exception {
    try (FakeCluster cluster = cluster(COMPACT);
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of("transactional.id", "t"));
        KafkaConsumer<String, String> consumer = ApacheClients.consumer(cluster,
            Map.of("isolation.level", "read_committed"))) {
      cluster.clock().stop();
      producer.initTransactions();
      transaction(producer, "committed", true); // offsets 0 and 1
      transaction(producer, "aborted", false); // 2 and 3
      producer.beginTransaction();
      send(producer, "a", "open"); // 4
      cluster.compact("orders");
      assertThat(cluster.log("orders", 0).texts()).containsExactly("committed", "open");
      producer.commitTransaction();
      cluster.clock().resume();
      consumer.assign(List.of(new TopicPartition("orders", 0)));
      List<String> read = new ArrayList<>();
      while (read.size() < 2) {
        consumer.poll(Duration.ofMillis(100)).forEach(r -> read.add(r.offset() + r.value()));
      }
      assertThat(read).containsExactly("0committed", "4open");
      cluster.compact("orders");
      assertThat(cluster.log("orders", 0).texts()).containsExactly("open");
      assertThat(cluster.log("orders", 0).lastStable()).isEqualTo(6);
      cluster.clock().advance(Duration.ofMinutes(2));
      cluster.compact("orders");
      cluster.clock().advance(Duration.ofMinutes(2));
      cluster.compact("orders");
      transaction(producer, "after", true);
      assertThat(cluster.log("orders", 0).texts()).containsExactly("open", "after");
    }
  }

  private static void transaction(KafkaProducer<String, String> producer, String value, boolean isCommit)
      throws Exception {
    producer.beginTransaction();
    send(producer, "a", value);
    if (isCommit) {
      producer.commitTransaction();
    } else {
      producer.abortTransaction();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"gzip", "zstd"})
  void compressedBatchesAreCompactedWithTheirCodec(String codec) throws Exception {
    try (FakeCluster cluster = cluster(COMPACT);
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster,
            Map.of("compression.type", codec, "linger.ms", 50));
        KafkaConsumer<String, String> consumer = ApacheClients.consumer(cluster, Map.of())) {
      for (int i = 0; i < 10; i++) {
        var unused = producer.send(new ProducerRecord<>("orders", 0, "key-" + i % 2, "value-" + i));
      }
      producer.flush();
      cluster.compact("orders");
      assertThat(offsets(cluster)).containsExactly(8L, 9L);
      consumer.assign(List.of(new TopicPartition("orders", 0)));
      List<String> read = new ArrayList<>();
      while (read.size() < 2) {
        consumer.poll(Duration.ofMillis(100)).forEach(r -> read.add(r.value()));
      }
      assertThat(read).containsExactly("value-8", "value-9");
    }
  }

  @Test
  void compactionWithoutACodecChangesNothingAndSaysWhatToAdd() throws Exception {
    try (FakeCluster cluster = cluster(COMPACT);
        KafkaProducer<String, String> producer = ApacheClients.producer(cluster, Map.of());
        KafkaProducer<String, String> snappy = ApacheClients.producer(cluster,
            Map.of("compression.type", "snappy"))) {
      send(producer, "a", "one");
      send(producer, "a", "two");
      send(snappy, "a", "x".repeat(1_000));
      assertThatThrownBy(() -> cluster.compact("orders")).isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("dev.decant:decant-kafka-codec-snappy");
      assertThat(cluster.log("orders", 0).texts()).containsExactly("one", "two");
      cluster.createTopic("other", 1);
      assertThatThrownBy(() -> cluster.compact("other")).hasMessageContaining("delete, not compact");
    }
  }
}
