package dev.decant.kafka.streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.apache.DecantConsumer;
import dev.decant.kafka.apache.DecantProducer;
import dev.decant.testkit.junit.KafkaClusterExtension;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StoreQueryParameters;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.InvalidStateStoreException;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.kstream.GlobalKTable;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.QueryableStoreTypes;
import org.apache.kafka.streams.state.ReadOnlyKeyValueStore;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * A topology that counts words by category: a global table, a repartition topic and a store with a changelog. Apache's
 * clients write its input and read its output.
 */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
@SuppressWarnings("try") // a resource may serve its block by being open: the block need not name it
class ExactlyOnceTest {
  private static final Duration DEADLINE = Duration.ofSeconds(60);
  private static final Duration A_WHILE = Duration.ofMillis(100);
  private static final int PARTITIONS = 4;
  private static final int CATEGORIES = 10;
  private static final int WORDS = 3000;
  private static final int THIRD = WORDS / 3;

  @RegisterExtension
  static final KafkaClusterExtension KAFKA = KafkaClusterExtension.shared();

  @TempDir
  private Path directory = Path.of("");
  /** How many counts are still to come before a thread fails, once. */
  private final AtomicInteger untilFailure = new AtomicInteger(THIRD / 2);

  @BeforeAll
  static void createTopics() throws Exception {
    KAFKA.createTopic("categories", 2);
    KAFKA.createTopic("words", PARTITIONS);
    KAFKA.createTopic("counts", PARTITIONS);
    send("categories", IntStream.range(0, 5 * CATEGORIES).boxed()
        .map(i -> new ProducerRecord<>("categories", "word-" + i, "category-" + i % CATEGORIES)).toList());
  }

  private static void send(String topic, List<ProducerRecord<String, String>> records) throws Exception {
    try (KafkaProducer<String, String> producer = new KafkaProducer<>(Map.of("bootstrap.servers", KAFKA.bootstrap()),
        new StringSerializer(), new StringSerializer())) {
      List<Future<?>> sent = new ArrayList<>();
      records.forEach(record -> sent.add(producer.send(record)));
      for (Future<?> future : sent) {
        future.get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
      }
    }
    assertThat(records).allSatisfy(record -> assertThat(record.topic()).isEqualTo(topic));
  }

  private Topology topology() {
    StreamsBuilder builder = new StreamsBuilder();
    GlobalKTable<String, String> categories = builder.globalTable("categories");
    builder.<String, String>stream("words")
        .join(categories, (text, word) -> word, (word, category) -> category)
        .groupBy((word, category) -> category, Grouped.with("by-category", Serdes.String(), Serdes.String()))
        .count(Materialized.<String, Long, KeyValueStore<Bytes, byte[]>>as("counted"))
        .toStream()
        .peek((category, count) -> failOnce())
        .to("counts", Produced.with(Serdes.String(), Serdes.Long()));
    return builder.build();
  }

  /** The store and its changelog have the count by now, and must forget it. */
  private void failOnce() {
    if (untilFailure.decrementAndGet() == 0) {
      throw new IllegalStateException("a thread fails in the middle of a transaction");
    }
  }

  private Properties configs(String state) {
    Properties configs = new Properties();
    configs.put(StreamsConfig.APPLICATION_ID_CONFIG, "counting");
    configs.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, KAFKA.bootstrap());
    configs.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
    configs.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, 2);
    configs.put(StreamsConfig.STATE_DIR_CONFIG, directory.resolve(state).toString());
    configs.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 0);
    configs.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
    configs.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
    // members of Kafka Streams do not leave: the group waits for this long
    configs.put(StreamsConfig.consumerPrefix("session.timeout.ms"), 3000);
    configs.put(StreamsConfig.consumerPrefix("heartbeat.interval.ms"), 500);
    return configs;
  }

  private KafkaStreams start(String state) throws InterruptedException {
    KafkaStreams streams = new KafkaStreams(topology(), configs(state), new DecantClientSupplier());
    CountDownLatch running = new CountDownLatch(1);
    streams.setStateListener((now, before) -> {
      if (now == KafkaStreams.State.RUNNING) {
        running.countDown();
      }
    });
    streams.setUncaughtExceptionHandler(failure -> StreamThreadExceptionResponse.REPLACE_THREAD);
    streams.start();
    assertThat(running.await(DEADLINE.toSeconds(), TimeUnit.SECONDS)).as("%s", streams.state()).isTrue();
    return streams;
  }

  /** What committed transactions have written, in the order of each partition. */
  private static final class Counts implements AutoCloseable {
    final List<Map.Entry<String, Long>> all = new ArrayList<>();
    private final KafkaConsumer<String, Long> consumer = new KafkaConsumer<>(
        Map.of("bootstrap.servers", KAFKA.bootstrap(), "isolation.level", "read_committed", "auto.offset.reset",
            "earliest"),
        new StringDeserializer(), new LongDeserializer());
    private final List<TopicPartition> partitions = IntStream.range(0, PARTITIONS)
        .mapToObj(p -> new TopicPartition("counts", p)).toList();

    Counts() {
      consumer.assign(partitions);
    }

    void await(int count) {
      long deadline = System.nanoTime() + DEADLINE.toNanos();
      while (all.size() < count && deadline - System.nanoTime() > 0) {
        poll();
      }
      assertThat(all.size()).as("counts").isGreaterThanOrEqualTo(count);
    }

    /** Nothing is left behind the last one. */
    void awaitEnd() {
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      long deadline = System.nanoTime() + DEADLINE.toNanos();
      while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())
          && deadline - System.nanoTime() > 0) {
        poll();
      }
    }

    void poll() {
      consumer.poll(A_WHILE).forEach(record -> all.add(Map.entry(record.key(), record.value())));
    }

    @Override
    public void close() {
      consumer.close();
    }
  }

  private static List<ProducerRecord<String, String>> words(Random random) {
    return IntStream.range(0, THIRD).mapToObj(i -> new ProducerRecord<>("words", "line-" + random.nextInt(),
        "word-" + random.nextInt(5 * CATEGORIES))).toList();
  }

  private static void countInto(Map<String, Long> expected, List<ProducerRecord<String, String>> words) {
    words.forEach(record -> expected.merge(
        "category-" + Integer.parseInt(record.value().substring("word-".length())) % CATEGORIES, 1L, Long::sum));
  }

  @Test
  void eachWordCountsOnceThoughAThreadFailsAndTheApplicationRestartsTwice() throws Exception {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    Map<String, Long> expected = new TreeMap<>();
    List<List<ProducerRecord<String, String>>> thirds = List.of(words(random), words(random), words(random));
    thirds.forEach(third -> countInto(expected, third));
    try (Counts counts = new Counts()) {
      send("words", thirds.get(0));
      try (KafkaStreams streams = start("first")) {
        counts.await(THIRD / 2);
        send("words", thirds.get(1));
        counts.await(THIRD + 1);
        assertThat(untilFailure.get()).as("a thread has failed").isNegative();
        assertThat(streams.metadataForLocalThreads()).hasSize(2);
      }
      send("words", thirds.get(2));
      try (KafkaStreams unused = start("second")) { // with another directory, so the changelog has all of the state
        counts.await(2 * THIRD + 1);
      }
      try (KafkaStreams streams = start("second")) {
        counts.await(WORDS);
        assertThat(stored(streams, counts)).as("seed %s", seed).isEqualTo(expected);
      }
      counts.awaitEnd();

      Map<String, List<Long>> byCategory = new TreeMap<>();
      counts.all.forEach(count -> byCategory.computeIfAbsent(count.getKey(), key -> new ArrayList<>())
          .add(count.getValue()));
      assertThat(byCategory.keySet()).as("seed %s", seed).isEqualTo(expected.keySet());
      expected.forEach((category, count) -> assertThat(byCategory.get(category)).as("seed %s, %s", seed, category)
          .containsExactlyElementsOf(IntStream.rangeClosed(1, count.intValue()).mapToObj(Long::valueOf).toList()));
    }
  }

  /** Returns the counts of all partitions. It repeats the query while a rebalance holds some of them. */
  private static Map<String, Long> stored(KafkaStreams streams, Counts counts) {
    long deadline = System.nanoTime() + DEADLINE.toNanos();
    while (true) {
      try {
        Map<String, Long> stored = new TreeMap<>();
        ReadOnlyKeyValueStore<String, Long> store = streams.store(
            StoreQueryParameters.fromNameAndType("counted", QueryableStoreTypes.keyValueStore()));
        try (KeyValueIterator<String, Long> all = store.all()) {
          all.forEachRemaining(entry -> stored.put(entry.key, entry.value));
        }
        return stored;
      } catch (InvalidStateStoreException e) {
        assertThat(deadline - System.nanoTime()).as("%s", e).isPositive();
        counts.poll();
      }
    }
  }

  @Test
  void everyClientButTheAdminIsDecants() {
    DecantClientSupplier supplier = new DecantClientSupplier();
    Map<String, Object> nowhere = Map.of("bootstrap.servers", "127.0.0.1:1");
    try (var producer = supplier.getProducer(nowhere);
        var consumer = supplier.getConsumer(Map.of("bootstrap.servers", "127.0.0.1:1", "group.id", "group"));
        var restore = supplier.getRestoreConsumer(nowhere);
        var global = supplier.getGlobalConsumer(nowhere);
        var admin = supplier.getAdmin(nowhere)) {
      assertThat(producer).isInstanceOf(DecantProducer.class);
      assertThat(List.of(consumer, restore, global)).hasOnlyElementsOfType(DecantConsumer.class);
      assertThat(admin.getClass().getName()).startsWith("org.apache.kafka.");
    }
  }
}
