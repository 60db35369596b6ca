package dev.decant.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.apache.DecantConsumer;
import dev.decant.kafka.apache.DecantProducer;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.testkit.junit.KafkaClusterExtension;
import io.micrometer.core.instrument.binder.kafka.KafkaClientMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The text that Prometheus scrapes from three clients that have done the same job: Apache's and those of kafka-apache,
 * both with Micrometer's binder, and the native client with decant-micrometer. A name has its unit in it, and an alert
 * on a name that is missing never fires.
 */
@Tag("full")
@Timeout(value = 240, unit = TimeUnit.SECONDS)
class PrometheusTest {
  private static final int RECORDS = 40;
  private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final Duration A_WHILE = Duration.ofMillis(100);
  private static final Map<String, Scrape> SCRAPES = new TreeMap<>();

  @RegisterExtension
  static final KafkaClusterExtension KAFKA = KafkaClusterExtension.shared();

  @BeforeAll
  static void scrapeEachAfterTheSameJob() throws Exception {
    for (String topic : List.of("apache", "swapped", "native")) {
      KAFKA.createTopic(topic, 2);
    }
    SCRAPES.put("apache", scrape("apache", KafkaProducer::new, KafkaConsumer::new));
    SCRAPES.put("swapped", scrape("swapped", DecantProducer::new, DecantConsumer::new));
    SCRAPES.put("native", scrapeNative("native"));
  }

  @AfterAll
  static void forget() {
    SCRAPES.clear();
  }

  private static Map<String, Object> producing() {
    return Map.of("bootstrap.servers", KAFKA.bootstrap(), "client.id", "orders", "key.serializer",
        StringSerializer.class, "value.serializer", StringSerializer.class);
  }

  private static Map<String, Object> consuming(String group) {
    return Map.of("bootstrap.servers", KAFKA.bootstrap(), "client.id", "orders", "group.id", group,
        "auto.offset.reset", "earliest", "key.deserializer", StringDeserializer.class, "value.deserializer",
        StringDeserializer.class);
  }

  private static Scrape scrape(String topic,
      Function<Map<String, Object>, Producer<String, String>> producers,
      Function<Map<String, Object>, Consumer<String, String>> consumers) throws Exception {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    try (Producer<String, String> producer = producers.apply(producing());
        Consumer<String, String> consumer = consumers.apply(consuming(topic));
        KafkaClientMetrics ofProducer = new KafkaClientMetrics(producer);
        KafkaClientMetrics ofConsumer = new KafkaClientMetrics(consumer)) {
      for (int i = 0; i < RECORDS; i++) {
        producer.send(new ProducerRecord<>(topic, "key-" + i, "value")).get(60, TimeUnit.SECONDS);
      }
      consumer.subscribe(Set.of(topic));
      int read = 0;
      long deadline = System.nanoTime() + DEADLINE_NANOS;
      while (read < RECORDS) {
        assertThat(deadline - System.nanoTime()).as("time left").isPositive();
        read += consumer.poll(A_WHILE).count();
      }
      consumer.commitSync();
      ofProducer.bindTo(registry);
      ofConsumer.bindTo(registry);
      return Scrape.of(registry.scrape());
    } finally {
      registry.close();
    }
  }

  private static Scrape scrapeNative(String topic) throws Exception {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    try (KafkaClient client = KafkaClient.connect(KAFKA.bootstrap());
        dev.decant.micrometer.KafkaClientMetrics metrics = new dev.decant.micrometer.KafkaClientMetrics(client,
            "orders").percentileHistograms();
        var producer = client.producer(Serdes.string(), Serdes.string()).topic(topic).open();
        var consumer = client.consumer(Serdes.string(), Serdes.string()).group(topic).subscribe(topic)
            .offsetReset(OffsetReset.EARLIEST).open()) {
      metrics.bindTo(registry);
      for (int i = 0; i < RECORDS; i++) {
        producer.sendAndWait("key-" + i, "value");
      }
      int read = 0;
      long deadline = System.nanoTime() + DEADLINE_NANOS;
      while (read < RECORDS) {
        assertThat(deadline - System.nanoTime()).as("time left").isPositive();
        read += consumer.poll(A_WHILE, record -> {});
      }
      return Scrape.of(registry.scrape());
    } finally {
      registry.close();
    }
  }

  private static Scrape of(String client) {
    return Objects.requireNonNull(SCRAPES.get(client), client);
  }

  private static Set<String> less(Set<String> names, Set<String> others) {
    Set<String> rest = new TreeSet<>(names);
    rest.removeAll(others);
    return rest;
  }

  /** Two of three names were missing, and totals were gauges, so alerts on them never fired. */
  @Test
  void swappedClientsHaveEveryNameOfApaches() {
    assertThat(less(of("apache").names("kafka_"), of("swapped").names("kafka_"))).isEmpty();
  }

  @Test
  void swappedClientsHaveNoNameThatApachesLack() {
    assertThat(less(of("swapped").names("kafka_"), of("apache").names("kafka_"))).isEmpty();
  }

  @Test
  void namesThatBothHaveAreOfOneType() {
    Map<String, String> apache = of("apache").types();
    assertThat(of("swapped").types()).isNotEmpty()
        .allSatisfy((name, type) -> assertThat(apache.getOrDefault(name, type)).as(name).isEqualTo(type));
    assertThat(of("native").types()).isNotEmpty()
        .allSatisfy((name, type) -> assertThat(apache.getOrDefault(name, type)).as(name).isEqualTo(type));
  }

  @Test
  void nativeClientHasNamesOfItsOwnOrThoseOfTheBinder() {
    Scrape client = of("native");
    assertThat(client.names("kafka_")).contains("kafka_consumer_fetch_manager_records_lag_max",
        "kafka_consumer_fetch_manager_records_lag", "kafka_consumer_coordinator_rebalance_total",
        "kafka_consumer_coordinator_rebalance_latency_total", "kafka_consumer_coordinator_assigned_partitions",
        "kafka_consumer_last_poll_seconds_ago", "kafka_consumer_fetch_manager_records_consumed_total",
        "kafka_producer_topic_record_send_total", "kafka_producer_topic_byte_total");
    assertThat(less(client.names(""), client.names("decant_kafka_"))).isSubsetOf(of("apache").names("kafka_"));
    assertThat(client.labels()).containsKey("decant_kafka_batch_acknowledgement_seconds_bucket");
  }

  /** The binder tags each meter with the version of kafka-clients, and none with a group. */
  @Test
  void nativeClientHasLabelsOfTheBinderAndTheGroup() {
    Map<String, Set<Set<String>>> apache = of("apache").labels();
    of("native").labels().forEach((name, sets) -> {
      if (name.startsWith("kafka_")) {
        assertThat(sets).as(name).allSatisfy(labels -> assertThat(apache.get(name)).as(name)
            .anySatisfy(known -> assertThat(known).containsAll(less(labels, Set.of("group_id")))));
      }
    });
  }
}
