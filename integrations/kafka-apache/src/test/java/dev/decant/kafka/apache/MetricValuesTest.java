package dev.decant.kafka.apache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.testkit.TestCertificate;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The values of metrics whose names {@link ApacheMetricsTest} compares. */
class MetricValuesTest extends ReadsFromFake {
  private DecantProducer<String, String> producer(String clientId, String compression) {
    return new DecantProducer<>(Map.of("bootstrap.servers", bootstrap(), "client.id", clientId,
        "compression.type", compression), new StringSerializer(), new StringSerializer());
  }

  /** Returns the values of a group by name, of the metrics with these tags beside the client's. */
  private static Map<String, Object> values(Map<MetricName, ? extends Metric> metrics, String group,
      Map<String, String> tags) {
    Map<String, Object> values = new HashMap<>();
    metrics.forEach((name, metric) -> {
      if (name.group().equals(group) && name.tags().size() == tags.size() + 1
          && name.tags().entrySet().containsAll(tags.entrySet())) {
        values.put(name.name(), metric.metricValue());
      }
    });
    return values;
  }

  private static double number(Map<String, Object> values, String name) {
    assertThat(values).containsKey(name);
    return ((Number) Objects.requireNonNull(values.get(name))).doubleValue();
  }

  @Test
  void producerTellsSizesTimesAndCompressionOfItsBatches() throws Exception {
    String topic = topic(1);
    try (DecantProducer<String, String> producer = producer(fresh("values"), "gzip")) {
      producer.send(new ProducerRecord<>(topic, "k", "v".repeat(10_000))).get(30, TimeUnit.SECONDS);
      Map<String, Object> all = values(producer.metrics(), "producer-metrics", Map.of());
      assertThat(number(all, "compression-rate-avg")).isBetween(0.001, 0.1);
      assertThat(number(all, "record-size-max")).isBetween(10_000.0, 10_200.0);
      assertThat(number(all, "record-size-avg")).isEqualTo(number(all, "record-size-max"));
      assertThat(number(all, "records-per-request-avg")).isBetween(0.1, 1.0); // lower if the batch was sent again
      assertThat(number(all, "record-queue-time-max")).isNotNegative();
      assertThat(number(all, "produce-throttle-time-max")).isZero();
      assertThat(number(all, "request-size-max")).isBetween(number(all, "request-size-avg"), 1_000.0);
      assertThat(number(all, "outgoing-byte-total")).isGreaterThan(number(all, "batch-size-max"));
      assertThat(number(all, "select-total")).isPositive();
      assertThat(number(all, "io-wait-time-ns-total") + number(all, "io-time-ns-total")).isPositive();
      assertThat(number(all, "waiting-threads")).isZero();
      assertThat(number(values(producer.metrics(), "producer-topic-metrics", Map.of("topic", topic)),
          "compression-rate")).isEqualTo(number(all, "compression-rate-avg"));
    }
  }

  @Test
  void batchThatIsNotCompressedHasTheRateOfOne() throws Exception {
    try (DecantProducer<String, String> producer = producer(fresh("values"), "none")) {
      producer.send(new ProducerRecord<>(topic(1), "k", "v")).get(30, TimeUnit.SECONDS);
      assertThat(number(values(producer.metrics(), "producer-metrics", Map.of()), "compression-rate-avg"))
          .isEqualTo(1.0);
    }
  }

  @Test
  void brokerHasFiguresOfItsOwnUnderItsId() throws Exception {
    try (DecantProducer<String, String> producer = producer(fresh("values"), "none")) {
      producer.send(new ProducerRecord<>(topic(1), "k", "v")).get(30, TimeUnit.SECONDS);
      soon(() -> requireSumsOfNodes(producer));
    }
  }

  private static void requireSumsOfNodes(DecantProducer<String, String> producer) {
    Map<String, Object> all = values(producer.metrics(), "producer-metrics", Map.of());
    Map<String, Object> bootstrap = values(producer.metrics(), "producer-node-metrics", Map.of("node-id", "node--1"));
    Map<String, Object> node = new HashMap<>();
    producer.metrics().forEach((name, metric) -> {
      if (name.group().equals("producer-node-metrics") && !"node--1".equals(name.tags().get("node-id"))) {
        node.put(name.name(), metric.metricValue());
      }
    });
    assertThat(number(node, "request-latency-max")).isEqualTo(number(all, "request-latency-max"));
    for (String name : List.of("request-total", "response-total", "outgoing-byte-total", "incoming-byte-total")) {
      assertThat(number(node, name) + number(bootstrap, name)).as(name).isEqualTo(number(all, name));
    }
    assertThat(number(bootstrap, "request-latency-max")).as("of neither Produce nor Fetch").isNaN();
    assertThat(number(all, "network-io-total"))
        .isEqualTo(number(all, "request-total") + number(all, "response-total"));
  }

  /** The client may have sent another request between two reads. */
  private static void soon(Runnable assertion) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (true) {
      try {
        assertion.run();
        return;
      } catch (AssertionError e) {
        if (deadline - System.nanoTime() < 0) {
          throw e;
        }
        Thread.onSpinWait();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void consumerTellsItsGroupItsFetchesAndItsPositions(String protocol) {
    String topic = topic(1);
    send(topic, 0, "abc", "def", "ghi");
    try (DecantConsumer<String, String> consumer = consumer(protocol, fresh("group"), "max.poll.records", 2)) {
      consumer.subscribe(List.of(topic));
      read(consumer, 3);
      pollUntil(consumer, new ArrayList<>(), () -> number(
          values(consumer.metrics(), "consumer-coordinator-metrics", Map.of()), "rebalance-total") > 0);
      Map<String, Object> group = values(consumer.metrics(), "consumer-coordinator-metrics", Map.of());
      assertThat(number(group, "rebalance-rate-per-hour")).as("events of an hour").isPositive()
          .isLessThanOrEqualTo(number(group, "rebalance-total"));
      assertThat(number(group, "last-rebalance-seconds-ago")).isNotNegative();
      if (protocol.equals("classic")) {
        assertThat(number(group, "join-total")).isPositive();
        assertThat(number(group, "sync-total")).isPositive();
      } else {
        assertThat(number(group, "heartbeat-total")).isPositive();
        assertThat(number(group, "last-heartbeat-seconds-ago")).isNotNegative();
        assertThat(group).doesNotContainKeys("join-total", "sync-total");
      }
      Map<String, Object> fetches = values(consumer.metrics(), "consumer-fetch-manager-metrics", Map.of());
      assertThat(number(fetches, "records-lag-max")).isNotNegative();
      assertThat(number(fetches, "records-lead-min")).isBetween(1.0, 2.0);
      assertThat(number(fetches, "fetch-throttle-time-max")).isZero();
      Map<String, Object> partition = values(consumer.metrics(), "consumer-fetch-manager-metrics",
          Map.of("topic", topic, "partition", "0"));
      assertThat(number(partition, "records-lag")).isZero();
      assertThat(number(partition, "records-lead")).isEqualTo(3.0);
      assertThat(number(partition, "records-lead-min")).isEqualTo(number(fetches, "records-lead-min"));
      assertThat(partition).containsEntry("preferred-read-replica", -1);
    }
  }

  /** The sizes of all responses equal the records that polls have handed out of them. */
  @Test
  void fetchThatIsUsedUpHasTheSizeOfItsRecords() {
    String topic = topic(1);
    send(topic, 0, "abc", "def", "ghi");
    try (DecantConsumer<String, String> consumer = consumer("classic", fresh("group"))) {
      consumer.assign(List.of(new TopicPartition(topic, 0)));
      read(consumer, 3);
      pollUntil(consumer, new ArrayList<>(), () -> !Double.isNaN(number(
          values(consumer.metrics(), "consumer-fetch-manager-metrics", Map.of()), "fetch-size-max")));
      Map<String, Object> all = values(consumer.metrics(), "consumer-fetch-manager-metrics", Map.of());
      Map<String, Object> ofTopic = values(consumer.metrics(), "consumer-fetch-manager-metrics",
          Map.of("topic", topic));
      assertThat(number(all, "fetch-size-max")).isBetween(3.0, 9.0); // the broker may send the records one by one
      assertThat(number(all, "records-per-request-avg")).isEqualTo(number(all, "fetch-size-avg") / 3);
      assertThat(ofTopic).containsEntry("fetch-size-max", number(all, "fetch-size-max"));
    }
  }

  /** Settings of a client whose connections are encrypted, and end when they are idle. */
  private Map<String, Object> encrypted(String id) {
    TestCertificate certificate = PlainCluster.AUTHORITY.client(id);
    Map<String, Object> settings = settings("classic", fresh("group"));
    settings.putAll(Map.of("bootstrap.servers", PlainCluster.encrypted(), "client.id", id,
        "security.protocol", "SSL", "ssl.truststore.type", "PEM", "ssl.truststore.certificates",
        PlainCluster.AUTHORITY.pem(), "ssl.keystore.type", "PEM", "ssl.keystore.certificate.chain",
        certificate.chainPem(), "ssl.keystore.key", certificate.keyPem()));
    return settings;
  }

  /** Returns the connections by cipher and protocol: class and range of the value by the tags. */
  private static Map<Map<String, String>, String> ciphers(Map<MetricName, ? extends Metric> metrics) {
    Map<Map<String, String>, String> ciphers = new HashMap<>();
    metrics.forEach((name, metric) -> {
      if (name.name().equals("connections")) {
        ciphers.put(name.tags(), name.group() + ": " + name.description() + " "
            + (metric.metricValue() instanceof Integer count && count > 0 ? "some" : metric.metricValue()));
      }
    });
    return ciphers;
  }

  /** An alert for weak ciphers could not fire: no connection had a cipher. */
  @Test
  void encryptedConnectionsAreCountedByTheirCipher() throws Exception {
    String topic = topic(1);
    Map<String, Object> settings = encrypted(fresh("values"));
    ProducerRecord<String, String> record = new ProducerRecord<>(topic, "k", "v");
    try (KafkaProducer<String, String> apaches = new KafkaProducer<>(settings, new StringSerializer(),
        new StringSerializer())) {
      apaches.send(record).get(30, TimeUnit.SECONDS);
      try (DecantProducer<String, String> producer = new DecantProducer<>(settings, new StringSerializer(),
          new StringSerializer())) {
        producer.send(record).get(30, TimeUnit.SECONDS);
        assertThat(ciphers(producer.metrics())).hasSize(1).isEqualTo(ciphers(apaches.metrics()));
      }
    }
    try (KafkaConsumer<String, String> apaches = new KafkaConsumer<>(settings);
        DecantConsumer<String, String> consumer = new DecantConsumer<>(settings)) {
      apaches.assign(List.of(new TopicPartition(topic, 0)));
      read(apaches, 2);
      consumer.assign(List.of(new TopicPartition(topic, 0)));
      read(consumer, 2);
      assertThat(ciphers(consumer.metrics())).hasSize(1).isEqualTo(ciphers(apaches.metrics()));
    }
  }

  @Test
  void cipherOfConnectionsThatHaveEndedIsNoMetricAnyMore() throws Exception {
    Map<String, Object> settings = encrypted(fresh("values"));
    settings.put("connections.max.idle.ms", 300);
    try (DecantProducer<String, String> producer = new DecantProducer<>(settings, new StringSerializer(),
        new StringSerializer())) {
      producer.send(new ProducerRecord<>(topic(1), "k", "v")).get(30, TimeUnit.SECONDS);
      soon(() -> assertThat(number(values(producer.metrics(), "producer-metrics", Map.of()),
          "connection-close-total")).isPositive());
      soon(() -> assertThat(ciphers(producer.metrics())).isEmpty());
    }
  }

  /** Micrometer and JMX showed an unknown version of Kafka. */
  @Test
  void releaseOfKafkaClientsIsTold() throws Exception {
    String id = fresh("values");
    MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
    ObjectName bean = new ObjectName("kafka.producer:type=app-info,id=" + id);
    try (DecantProducer<String, String> producer = producer(id, "none")) {
      Map<String, Object> info = values(producer.metrics(), "app-info", Map.of());
      assertThat(String.valueOf(info.get("version"))).matches("[0-9]+\\.[0-9]+\\..*");
      assertThat(String.valueOf(info.get("commit-id"))).hasSizeGreaterThan(5);
      assertThat(number(info, "start-time-ms")).isPositive();
      assertThat(beans.getAttribute(bean, "Version")).isEqualTo(info.get("version"));
      assertThat(beans.getAttribute(new ObjectName("kafka.producer:type=producer-metrics,client-id=" + id),
          "io-ratio")).isInstanceOf(Double.class);
    }
    assertThat(beans.isRegistered(bean)).isFalse();
    assertThat(beans.queryNames(new ObjectName("kafka.producer:client-id=" + id + ",*"), null)).isEmpty();
  }
}
