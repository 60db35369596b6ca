package dev.decant.kafka.streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.testkit.junit.KafkaClusterExtension;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KafkaClientSupplier;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.processor.internals.DefaultKafkaClientSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An application goes to Decant's clients and back. Its offsets, stores and changelogs are taken up each time. */
@Tag("full")
@Timeout(value = 180, unit = TimeUnit.SECONDS)
@SuppressWarnings("try") // a resource may serve its block by being open: the block need not name it
class GoingBackTest {
  private static final Duration DEADLINE = Duration.ofSeconds(60);
  private static final int WORDS = 50;

  @RegisterExtension
  static final KafkaClusterExtension KAFKA = KafkaClusterExtension.shared();

  @TempDir
  private Path directory = Path.of("");

  private static Topology topology(String words, String counts) {
    StreamsBuilder builder = new StreamsBuilder();
    builder.<String, String>stream(words).groupByKey().count().toStream()
        .to(counts, Produced.with(Serdes.String(), Serdes.Long()));
    return builder.build();
  }

  private Properties configs(String application, String guarantee, String state) {
    Properties configs = new Properties();
    configs.put(StreamsConfig.APPLICATION_ID_CONFIG, application);
    configs.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, KAFKA.bootstrap());
    configs.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, guarantee);
    configs.put(StreamsConfig.STATE_DIR_CONFIG, directory.resolve(state).toString());
    configs.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 0);
    configs.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
    configs.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
    // members of Kafka Streams do not leave: the group waits for this long
    configs.put(StreamsConfig.consumerPrefix("session.timeout.ms"), 3000);
    configs.put(StreamsConfig.consumerPrefix("heartbeat.interval.ms"), 500);
    return configs;
  }

  private static void send(String topic) throws Exception {
    try (KafkaProducer<String, String> producer = new KafkaProducer<>(Map.of("bootstrap.servers", KAFKA.bootstrap()),
        new StringSerializer(), new StringSerializer())) {
      List<Future<?>> sent = new ArrayList<>();
      for (int i = 0; i < WORDS; i++) {
        sent.add(producer.send(new ProducerRecord<>(topic, "word", "line " + i)));
      }
      for (Future<?> future : sent) {
        future.get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
      }
    }
  }

  private static void awaitCounts(KafkaConsumer<String, Long> consumer, List<Long> counts, int wanted) {
    long deadline = System.nanoTime() + DEADLINE.toNanos();
    while (counts.size() < wanted && deadline - System.nanoTime() > 0) {
      consumer.poll(Duration.ofMillis(100)).forEach(record -> counts.add(record.value()));
    }
    assertThat(counts).hasSizeGreaterThanOrEqualTo(wanted);
  }

  /** Counts go on without a gap and without a repetition: each client begins where the one before has ended. */
  @ParameterizedTest
  @CsvSource({"exactly_once_v2,true", "exactly_once_v2,false", "at_least_once,true"})
  void countsGoOnWithEachClient(String guarantee, boolean keepsState) throws Exception {
    String name = guarantee + "-" + keepsState;
    String words = "words-" + name;
    String counts = "counts-" + name;
    KAFKA.createTopic(words, 1);
    KAFKA.createTopic(counts, 1);
    List<KafkaClientSupplier> suppliers = List.of(new DecantClientSupplier(), new DefaultKafkaClientSupplier(),
        new DecantClientSupplier());
    List<Long> counted = new ArrayList<>();
    try (KafkaConsumer<String, Long> reader = new KafkaConsumer<>(
        Map.of("bootstrap.servers", KAFKA.bootstrap(), "isolation.level", "read_committed", "auto.offset.reset",
            "earliest"),
        new StringDeserializer(), new LongDeserializer())) {
      reader.assign(List.of(new TopicPartition(counts, 0)));
      for (int round = 0; round < suppliers.size(); round++) {
        Properties configs = configs("app-" + name, guarantee, keepsState ? name : name + round);
        send(words);
        try (KafkaStreams streams = new KafkaStreams(topology(words, counts), configs, suppliers.get(round))) {
          streams.start();
          awaitCounts(reader, counted, (round + 1) * WORDS);
        }
      }
    }
    assertThat(counted).containsExactlyElementsOf(LongStream.rangeClosed(1, 3L * WORDS).boxed().toList());
  }
}
