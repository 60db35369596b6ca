package dev.decant.compression;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.event.Registration;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.event.ProducerListener;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.record.CompressionType;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.testkit.KafkaCluster;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Through a real broker, which checks each batch that it is sent: what we compress Apache's client reads, and back. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
@SuppressWarnings("try") // a resource may serve its block by being open: the block need not name it
class BrokerInteropTest {
  private static final int RECORDS = 5_000;
  private static final Duration DEADLINE = Duration.ofSeconds(60);

  private static KafkaCluster cluster;
  private static KafkaClient client;

  @BeforeAll
  static void start() {
    cluster = KafkaCluster.start();
    client = KafkaClient.connect(cluster.bootstrap());
  }

  @AfterAll
  static void stop() {
    client.close();
    cluster.close();
  }

  private static List<String> values() {
    Random random = new Random(RECORDS);
    List<String> values = new ArrayList<>();
    for (int i = 0; i < RECORDS; i++) {
      values.add(new String(Codecs.json(random, 20 + random.nextInt(200)), StandardCharsets.US_ASCII));
    }
    values.set(RECORDS / 2, new String(Codecs.json(random, 300_000), StandardCharsets.US_ASCII));
    return values;
  }

  private static String topic(String who, CompressionType type) {
    String topic = who + "-" + type.name().toLowerCase(Locale.ROOT);
    cluster.createTopic(topic, 1);
    return topic;
  }

  @ParameterizedTest
  @MethodSource("dev.decant.compression.Codecs#types")
  void apacheReadsWhatWeCompress(CompressionType type) throws Exception {
    String topic = topic("ours", type);
    List<String> values = values();
    AtomicLong sentBytes = new AtomicLong();
    ProducerListener listener = new ProducerListener() {
      @Override
      public void onBatchAcknowledged(String of, int partition, long baseOffset, int records, int bytes, long nanos) {
        sentBytes.addAndGet(bytes);
      }
    };
    try (Registration unused = client.events().watchProducers(listener);
        Producer<String, String> producer = client.producer(Serdes.string(), Serdes.string()).topic(topic)
            .compression(type).open()) {
      for (String value : values) {
        producer.send("k", value);
      }
      assertThat(producer.flush(DEADLINE)).isTrue();
    }
    assertThat(sentBytes.get()).isPositive().isLessThan(values.stream().mapToLong(String::length).sum() / 2);

    List<String> read = new ArrayList<>();
    Map<String, Object> settings = Map.of("bootstrap.servers", cluster.bootstrap(), "auto.offset.reset", "earliest");
    try (var consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
      consumer.assign(List.of(new TopicPartition(topic, 0)));
      long deadline = System.nanoTime() + DEADLINE.toNanos();
      while (read.size() < values.size() && System.nanoTime() < deadline) {
        consumer.poll(Duration.ofMillis(200)).forEach(record -> read.add(record.value()));
      }
    }
    assertThat(read).isEqualTo(values);
  }

  @ParameterizedTest
  @MethodSource("dev.decant.compression.Codecs#types")
  void weReadWhatApacheCompresses(CompressionType type) throws Exception {
    String topic = topic("theirs", type);
    List<String> values = values();
    Map<String, Object> settings = Map.of("bootstrap.servers", cluster.bootstrap(), "compression.type",
        type.name().toLowerCase(Locale.ROOT));
    try (var producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
      List<Future<?>> sent = new ArrayList<>();
      for (String value : values) {
        sent.add(producer.send(new ProducerRecord<>(topic, "k", value)));
      }
      for (Future<?> one : sent) {
        one.get();
      }
    }

    List<String> read = new ArrayList<>();
    long deadline = System.nanoTime() + DEADLINE.toNanos();
    try (Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string())
        .offsetReset(OffsetReset.EARLIEST).open()) {
      consumer.assign(topic, 0);
      while (read.size() < values.size() && System.nanoTime() < deadline) {
        consumer.poll(Duration.ofMillis(200), record -> read.add(String.valueOf(record.value())));
      }
    }
    assertThat(read).isEqualTo(values);
  }
}
