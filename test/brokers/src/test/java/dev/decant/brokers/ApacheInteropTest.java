package dev.decant.brokers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.producer.Ack;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.SendOptions;
import dev.decant.kafka.serialization.Encoder;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.testkit.KafkaCluster;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** What we write Apache's client reads, and the other way round, through a real broker. */
@ExtendWith(PlainCluster.Shared.class)
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ApacheInteropTest {
  private static final int PARTITIONS = 3;
  private static final Duration DEADLINE = Duration.ofSeconds(30);

  private static KafkaCluster cluster;
  private static KafkaClient client;

  /** One record, in a form in which both sides can be compared. */
  @SuppressWarnings("ArrayRecordComponent") // compared by its text
  private record Sent(byte @Nullable [] key, byte @Nullable [] value, Map<String, byte[]> headers) {
    String text() {
      StringBuilder text = new StringBuilder();
      text.append(show(key)).append(" -> ").append(show(value));
      new TreeMap<>(headers)
          .forEach((name, content) -> text.append(' ').append(name).append('=').append(show(content)));
      return text.toString();
    }

    private static String show(byte @Nullable [] bytes) {
      return bytes == null ? "null" : bytes.length + " bytes, hash " + Arrays.hashCode(bytes);
    }
  }

  @BeforeAll
  static void start() {
    cluster = PlainCluster.current();
    client = KafkaClient.connect(cluster.bootstrap());
  }

  @AfterAll
  static void stop() {
    client.close();
  }

  private static List<Sent> records() {
    byte[] megabyte = new byte[1_000_000];
    new Random(7).nextBytes(megabyte);
    List<Sent> records = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      records.add(new Sent(ascii("key-" + i), ascii("value-" + i), Map.of()));
    }
    records.add(new Sent(ascii("with headers"), ascii("v"), Map.of("trace", ascii("0af7"), "größe", new byte[0])));
    records.add(new Sent(null, ascii("no key"), Map.of()));
    records.add(new Sent(ascii("tombstone"), null, Map.of()));
    records.add(new Sent(null, null, Map.of("only", ascii("header"))));
    records.add(new Sent(ascii("empty value"), new byte[0], Map.of()));
    records.add(new Sent(new byte[0], ascii("empty key"), Map.of()));
    records.add(new Sent(ascii("large"), megabyte, Map.of()));
    return records;
  }

  @Test
  void apacheReadsWhatWeWrite() throws InterruptedException {
    cluster.createTopic("ours", PARTITIONS);
    List<Sent> records = records();
    List<Ack> acks = new ArrayList<>();
    try (Producer<byte[], byte[]> producer = client.producer(Serdes.bytes(), Serdes.bytes()).topic("ours").open()) {
      for (Sent record : records) {
        acks.add(producer.sendAndWait(record.key(), record.value(), optionsOf(record)));
      }
    }

    String[][] read = readWithApache("ours", records.size());

    for (int i = 0; i < records.size(); i++) {
      Ack ack = acks.get(i);
      assertThat(read[ack.partition()][(int) ack.offset()]).isEqualTo(records.get(i).text());
    }
  }

  @Test
  void weReadWhatApacheWrites() throws Exception {
    cluster.createTopic("theirs", PARTITIONS);
    List<Sent> records = records();
    String[][] written = new String[PARTITIONS][records.size()];
    Map<String, Object> settings = Map.of("bootstrap.servers", cluster.bootstrap());
    try (var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
      for (Sent record : records) {
        var message = new ProducerRecord<byte[], byte[]>("theirs", record.key(), record.value());
        record.headers().forEach(message.headers()::add);
        var metadata = producer.send(message).get();
        written[metadata.partition()][(int) metadata.offset()] = record.text();
      }
    }

    assertThat(readWithDecant("theirs", records)).isEqualTo(written);
  }

  @Test
  void aKeyGoesToThePartitionToWhichApacheSendsIt() throws Exception {
    cluster.createTopic("keyed", 7);
    Map<String, Object> settings = Map.of("bootstrap.servers", cluster.bootstrap());
    try (Producer<byte[], byte[]> ours = client.producer(Serdes.bytes(), Serdes.bytes()).topic("keyed").open();
        var theirs = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
      for (int i = 0; i < 100; i++) {
        byte[] key = ascii("customer " + i * 31);
        int partition = theirs.send(new ProducerRecord<>("keyed", key, key)).get().partition();
        assertThat(ours.sendAndWait(key, key).partition()).isEqualTo(partition);
      }
    }
  }

  @Test
  void anEncoderOfTheUsersForByteArraysIsAsked() throws InterruptedException {
    // byte arrays once went into the batch as they were, whatever the encoder
    cluster.createTopic("encoded", 1);
    Encoder<byte[]> twice = (value, out) -> {
      out.writeBytes(value, 0, value.length);
      out.writeBytes(value, 0, value.length);
    };
    try (Producer<byte[], byte[]> producer = client.producer(twice, twice).topic("encoded").open()) {
      producer.sendAndWait(ascii("k"), ascii("v"));
    }
    Map<String, Object> settings = Map.of("bootstrap.servers", cluster.bootstrap(), "auto.offset.reset", "earliest");
    try (var consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
      consumer.assign(List.of(new TopicPartition("encoded", 0)));
      var record = consumer.poll(DEADLINE).iterator().next();
      assertThat(record.key()).isEqualTo("kk");
      assertThat(record.value()).isEqualTo("vv");
    }
  }

  private static @Nullable SendOptions optionsOf(Sent record) {
    if (record.headers().isEmpty()) {
      return null;
    }
    SendOptions options = new SendOptions();
    record.headers().forEach(options.headers()::add);
    return options;
  }

  private static String[][] readWithApache(String topic, int count) {
    String[][] read = new String[PARTITIONS][count];
    Map<String, Object> settings = Map.of("bootstrap.servers", cluster.bootstrap(), "auto.offset.reset", "earliest");
    try (var consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      consumer.assign(partitions(topic));
      for (int seen = 0; seen < count;) {
        for (var record : consumer.poll(Duration.ofMillis(200))) {
          Map<String, byte[]> headers = new TreeMap<>();
          for (Header header : record.headers()) {
            headers.put(header.key(), header.value());
          }
          read[record.partition()][(int) record.offset()] = new Sent(record.key(), record.value(), headers).text();
          seen++;
        }
      }
    }
    return read;
  }

  private static String[][] readWithDecant(String topic, List<Sent> expected) throws InterruptedException {
    String[][] read = new String[PARTITIONS][expected.size()];
    List<String> names = expected.stream().flatMap(record -> record.headers().keySet().stream()).distinct().toList();
    int[] seen = {0};
    long deadline = System.nanoTime() + DEADLINE.toNanos();
    try (Consumer<byte[], byte[]> consumer = client.consumer(Serdes.bytes(), Serdes.bytes())
        .offsetReset(OffsetReset.EARLIEST).open()) {
      consumer.assign(topic, 0, 1, 2);
      while (seen[0] < expected.size() && System.nanoTime() < deadline) {
        consumer.poll(Duration.ofMillis(200), record -> {
          Map<String, byte[]> headers = new TreeMap<>();
          for (String name : names) {
            byte[] content = record.header(name);
            if (content != null) {
              headers.put(name, content);
            }
          }
          assertThat(record.headerCount()).isEqualTo(headers.size());
          read[record.partition()][(int) record.offset()] = new Sent(record.key(), record.value(), headers).text();
          seen[0]++;
        });
      }
    }
    return read;
  }

  private static List<TopicPartition> partitions(String topic) {
    List<TopicPartition> partitions = new ArrayList<>();
    for (int i = 0; i < PARTITIONS; i++) {
      partitions.add(new TopicPartition(topic, i));
    }
    return partitions;
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
