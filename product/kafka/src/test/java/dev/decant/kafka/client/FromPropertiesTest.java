package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.decant.kafka.consumer.ConsumerBuilder;
import dev.decant.kafka.consumer.GroupProtocol;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.producer.ProducerBuilder;
import dev.decant.kafka.serialization.Serdes;
import java.io.IOException;
import java.io.StringReader;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;

/** Tests one properties file of Kafka's clients for a client, its producers and its consumers. */
class FromPropertiesTest {
  private static final String TEAM = """
      bootstrap.servers=kafka-1:9092,kafka-2:9092
      client.id=order-service
      security.protocol=SASL_SSL
      sasl.mechanism=SCRAM-SHA-512
      sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required \\
        username="u" password="hunter2";
      ssl.truststore.location=/etc/kafka/truststore.jks
      ssl.truststore.password=hunter2
      ssl.endpoint.identification.algorithm=https
      request.timeout.ms=30000
      retry.backoff.ms=200
      reconnect.backoff.ms=100
      reconnect.backoff.max.ms=5000
      connections.max.idle.ms=540000
      metadata.max.age.ms=60000
      send.buffer.bytes=131072
      receive.buffer.bytes=65536
      client.dns.lookup=use_all_dns_ips
      metric.reporters=com.example.PrometheusReporter
      metrics.recording.level=INFO
      key.serializer=org.apache.kafka.common.serialization.StringSerializer
      value.serializer=org.apache.kafka.common.serialization.ByteArraySerializer
      acks=all
      enable.idempotence=true
      retries=2147483647
      max.in.flight.requests.per.connection=5
      delivery.timeout.ms=120000
      linger.ms=20
      batch.size=65536
      buffer.memory=67108864
      compression.type=lz4
      max.block.ms=60000
      max.request.size=1048576
      transactional.id=orders-1
      key.deserializer=org.apache.kafka.common.serialization.StringDeserializer
      value.deserializer=org.apache.kafka.common.serialization.ByteArrayDeserializer
      group.id=order-service
      auto.offset.reset=earliest
      enable.auto.commit=false
      max.poll.records=250
      max.poll.interval.ms=300000
      session.timeout.ms=30000
      isolation.level=read_commited
      fetch.min.byte=1024
      interceptor.classes=com.example.TracingInterceptor
      """;

  private static ProducerBuilder<String, String> producer(KafkaClient client) {
    return client.producer(Serdes.string(), Serdes.string());
  }

  private static ConsumerBuilder<String, String> consumer(KafkaClient client) {
    return client.consumer(Serdes.string(), Serdes.string());
  }

  private static Properties file(String text) throws IOException {
    Properties properties = new Properties();
    properties.load(new StringReader(text));
    return properties;
  }

  private static void refused(Map<String, ?> settings, String... lines) {
    Map<String, Object> all = new HashMap<>(settings);
    all.putIfAbsent("bootstrap.servers", "localhost:1");
    String expected = lines.length == 1
        ? lines[0]
        : lines.length + " problems with the settings:\n  " + String.join("\n  ", lines);
    assertThatIllegalArgumentException().isThrownBy(() -> KafkaClient.fromProperties(all)).withMessage(expected);
  }

  @Test
  void everySettingReachesTheClientItsProducersOrItsConsumers() throws IOException {
    Properties properties = file("""
        bootstrap.servers = 127.0.0.1:1, 127.0.0.1:2
        client.id = billing
        request.timeout.ms = 20000
        socket.connection.setup.timeout.ms = 5000
        connections.max.idle.ms = 60000
        metadata.max.age.ms = 90000
        metadata.cluster.check.enable = false
        metadata.max.idle.ms = 70000
        buffer.memory = 67108864
        security.protocol = PLAINTEXT
        enable.metrics.push = false
        reconnect.backoff.ms = 100
        reconnect.backoff.max.ms = 5000
        send.buffer.bytes = 131072
        retries = 10
        linger.ms = 5
        compression.type = gzip
        retry.backoff.ms = 50
        group.id = invoices
        max.poll.records = 100
        auto.offset.reset = earliest
        client.rack = a
        """);
    assertThat(KafkaClient.builder(ClientProperties.entries(properties)).settings()).hasSize(18)
        .containsEntry("metadata.cluster.check.enable", "false").containsEntry("metadata.max.idle.ms", "70000")
        .containsEntry("security.protocol", "PLAINTEXT").containsEntry("sasl.mechanism", "").containsAllEntriesOf(
            Map.of("bootstrap.servers", "127.0.0.1:1, 127.0.0.1:2", "client.id", "billing", "request.timeout.ms",
                "20000",
                "socket.connection.setup.timeout.ms", "5000", "connections.max.idle.ms", "60000", "metadata.max.age.ms",
                "90000", "buffer.memory", "67108864", "enable.metrics.push", "false", "reconnect.backoff.ms", "100",
                "reconnect.backoff.max.ms", "5000"));
    try (KafkaClient client = KafkaClient.fromProperties(properties)) {
      assertThat(producer(client).settings()).containsEntry("linger.ms", "5").containsEntry("compression.type", "gzip")
          .containsEntry("retry.backoff.ms", "50").as("shared by the client's producers")
          .containsEntry("buffer.memory", "33554432");
      assertThat(consumer(client).settings()).containsEntry("group.id", "invoices")
          .containsEntry("max.poll.records", "100").containsEntry("auto.offset.reset", "earliest")
          .containsEntry("client.rack", "a").as("the client's").containsEntry("metadata.max.age.ms", "90000");
    }
  }

  @Test
  void valuesMayBeObjects() {
    Map<String, Object> settings = new HashMap<>(Map.of("bootstrap.servers", List.of("127.0.0.1:1", "127.0.0.1:2"),
        "linger.ms", 7L, "batch.size", 32_768, "enable.idempotence", false, "acks", (short) 1, "group.protocol",
        GroupProtocol.CLASSIC, "partition.assignment.strategy",
        List.of(org.apache.kafka.clients.consumer.RoundRobinAssignor.class, "range"), "enable.auto.commit",
        false, "auto.offset.reset", OffsetReset.EARLIEST, "compression.type",
        org.apache.kafka.common.record.internal.CompressionType.GZIP.name));
    settings.put("group.instance.id", null);
    assertThat(KafkaClient.builder(settings).settings()).containsEntry("bootstrap.servers", "127.0.0.1:1,127.0.0.1:2");
    try (KafkaClient client = KafkaClient.fromProperties(settings)) {
      assertThat(producer(client).settings()).containsEntry("linger.ms", "7").containsEntry("batch.size", "32768")
          .containsEntry("enable.idempotence", "false").containsEntry("acks", "1");
      assertThat(consumer(client).settings()).containsEntry("group.protocol", "classic")
          .containsEntry("partition.assignment.strategy", "roundrobin,range")
          .containsEntry("enable.auto.commit", "false")
          .containsEntry("auto.offset.reset", "earliest").containsEntry("group.instance.id", "");
    }
  }

  @Test
  void propertiesCountWithTheirDefaultsAndWithObjects() {
    Properties defaults = new Properties();
    defaults.setProperty("bootstrap.servers", "127.0.0.1:1");
    defaults.setProperty("linger.ms", "5");
    Properties properties = new Properties(defaults);
    properties.put("linger.ms", 9);
    properties.put("max.poll.records", 3);
    try (KafkaClient client = KafkaClient.fromProperties(properties)) {
      assertThat(producer(client).settings()).containsEntry("linger.ms", "9");
      assertThat(consumer(client).settings()).containsEntry("max.poll.records", "3");
    }
    properties.put(1, "one");
    assertThatIllegalArgumentException().isThrownBy(() -> KafkaClient.fromProperties(properties))
        .withMessage("properties: the name 1 is no text");
  }

  @Test
  void callsOfABuilderWinOverTheFile() {
    Map<String, String> file = Map.of("bootstrap.servers", "127.0.0.1:1", "client.id", "file", "linger.ms", "5",
        "group.id", "file");
    KafkaClientBuilder builder = KafkaClient.builder(file).clientId("code");
    assertThat(builder.settings()).containsEntry("client.id", "code");
    try (KafkaClient client = builder.build()) {
      assertThat(producer(client).linger(Duration.ofMillis(1)).settings()).containsEntry("linger.ms", "1");
      assertThat(consumer(client).group("code").settings()).containsEntry("group.id", "code");
    }
  }

  @Test
  void metadataAgeIsThatOfClassicGroupsToo() {
    Map<String, String> file = Map.of("bootstrap.servers", "127.0.0.1:1", "metadata.max.age.ms", "90000",
        "group.protocol", "classic", "session.timeout.ms", "9000");
    try (KafkaClient client = KafkaClient.fromProperties(file)) {
      assertThat(consumer(client).settings()).containsEntry("metadata.max.age.ms", "90000")
          .containsEntry("session.timeout.ms", "9000");
    }
  }

  @Test
  void rackOfAProducerCountsIfThePartitionerIsToKnowIt() {
    refused(Map.of("partitioner.rack.aware", "true"),
        "partitioner.rack.aware: needs client.rack, the rack in which this producer runs");
    refused(Map.of("partitioner.rack.aware", "yes"), "partitioner.rack.aware: \"yes\" is no flag: use true or false");
    try (KafkaClient client = KafkaClient.fromProperties(
        Map.of("bootstrap.servers", "127.0.0.1:1", "partitioner.rack.aware", true, "client.rack", "a"))) {
      assertThat(producer(client).settings()).isNotEmpty();
    }
  }

  @Test
  void everyAddressThatIsNoneHasItsLine() {
    refused(Map.of("bootstrap.servers", "http://a:9092, b, c:9092"),
        "bootstrap.servers: 'http://a:9092' is not of the form host:port: it is a URL; leave out what is up to ://",
        "bootstrap.servers: 'b' is not of the form host:port: it has no port");
    refused(Map.of("bootstrap.servers", " "),
        "bootstrap.servers: is missing; name brokers as host:port, separated by commas");
    assertThatIllegalArgumentException().isThrownBy(() -> KafkaClient.fromProperties(Map.of("acks", "all")))
        .withMessageStartingWith("bootstrap.servers: is missing");
  }

  @Test
  void valuesThatAreNoneOrOutOfBoundsAreNamed() {
    refused(Map.of("request.timeout.ms", "soon", "metadata.max.age.ms", 5, "buffer.memory", 10, "linger.ms", -1,
        "max.poll.records", 0, "transaction.timeout.ms", "0", "enable.auto.commit", "yes"),
        "buffer.memory: 10 is less than 2048", "enable.auto.commit: \"yes\" is no flag: use true or false",
        "linger.ms: -1 is less than 0", "max.poll.records: 0 is less than 1", "metadata.max.age.ms: 5 is less than 100",
        "request.timeout.ms: \"soon\" is no number of milliseconds", "transaction.timeout.ms: 0 is less than 1");
  }

  @Test
  void contradictionsAreFoundBeforeAnythingIsOpened() {
    refused(Map.of("acks", "1", "session.timeout.ms", "10000", "heartbeat.interval.ms", "3000"),
        "acks: 1 contradicts enable.idempotence, which is true by default and needs acks=all; set"
            + " enable.idempotence=false or acks=all",
        "session.timeout.ms: the broker decides that where group.protocol is consumer, Decant's default; leave it out,"
            + " or set group.protocol=classic, Kafka's default",
        "heartbeat.interval.ms: the broker decides that where group.protocol is consumer, Decant's default; leave it"
            + " out, or set group.protocol=classic, Kafka's default");
    refused(Map.of("group.protocol", "classic", "session.timeout.ms", "3000", "group.remote.assignor", "uniform"),
        "group.remote.assignor: the broker does not divide partitions where group.protocol is classic; use"
            + " partition.assignment.strategy, now range,cooperative-sticky",
        "heartbeat.interval.ms: 3000 is not less than session.timeout.ms, 3000; a third of it is the default");
    refused(Map.of("retries", "0"),
        "retries: 0 contradicts enable.idempotence, which is true by default; set enable.idempotence=false or leave"
            + " retries out: delivery.timeout.ms bounds them");
  }

  /** Each fetch without records once ended in a timeout, and the connection with it; no message said why. */
  @Test
  void requestTimeoutThatIsNotLongerThanTheWaitOfAFetchIsRefused() {
    refused(Map.of("request.timeout.ms", "500", "fetch.max.wait.ms", "500"),
        "request.timeout.ms: 500 is not more than fetch.max.wait.ms, 500; a fetch without records would end in a"
            + " timeout: raise request.timeout.ms or lower fetch.max.wait.ms");
    refused(Map.of("fetch.max.wait.ms", "20000", "request.timeout.ms", 10_000),
        "request.timeout.ms: 10000 is not more than fetch.max.wait.ms, 20000; a fetch without records would end in a"
            + " timeout: raise request.timeout.ms or lower fetch.max.wait.ms");
    try (KafkaClient producersOnly = KafkaClient
        .fromProperties(Map.of("bootstrap.servers", "127.0.0.1:1", "request.timeout.ms", "400"))) {
      assertThatIllegalArgumentException().isThrownBy(() -> consumer(producersOnly).open())
          .withMessageStartingWith("request.timeout.ms: 400 is not more than fetch.max.wait.ms, 500; ");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> consumer(producersOnly).fetchMaxWait(Duration.ofMillis(400)).group("g").open())
          .withMessageStartingWith("request.timeout.ms: 400 is not more than fetch.max.wait.ms, 400; ");
      consumer(producersOnly).fetchMaxWait(Duration.ofMillis(399)).open().close();
    }
  }

  @Test
  void pauseBeforeConnectingAgainGrowsOnlyIfItsBoundIsNamedOrNeitherIs() {
    assertThat(KafkaClient.builder(Map.of("bootstrap.servers", "a:1", "reconnect.backoff.ms", 5_000)).settings())
        .containsEntry("reconnect.backoff.ms", "5000").containsEntry("reconnect.backoff.max.ms", "5000");
    assertThat(KafkaClient.builder(Map.of("bootstrap.servers", "a:1", "reconnect.backoff.max.ms", 9_000)).settings())
        .containsEntry("reconnect.backoff.ms", "50").containsEntry("reconnect.backoff.max.ms", "9000");
    refused(Map.of("reconnect.backoff.ms", 0), "reconnect.backoff.ms: 0 is less than 1");
  }

  @Test
  void idleConnectionsAreKeptWhereTheFileSaysSo() {
    assertThat(KafkaClient.builder(Map.of("bootstrap.servers", "a:1", "connections.max.idle.ms", -1)).settings()
        .get("connections.max.idle.ms")).satisfies(
            millis -> assertThat(Long.parseLong(millis)).isGreaterThan(Duration.ofDays(10_000).toMillis()));
  }

  /** Apache's clients take 0, and close idle connections; this was once an error. */
  @Test
  void connectionsAreClosedAtOnceWhereTheFileSaysSo() {
    assertThat(KafkaClient.builder(Map.of("bootstrap.servers", "a:1", "connections.max.idle.ms", 0)).settings())
        .containsEntry("connections.max.idle.ms", "1");
  }

  /** Tests 44 settings of a typical team; the passwords among them stay out of the error. */
  @Test
  void fileOfATypicalTeamGivesOneListOfWhatIsToBeChanged() throws IOException {
    Properties properties = file(TEAM);
    assertThat(properties).hasSize(44);
    refused(ClientProperties.entries(properties),
        "fetch.min.byte: unknown; did you mean fetch.min.bytes?",
        "interceptor.classes: wrap the calls of send and poll in your code, or add listeners to KafkaClient.events()",
        "metric.reporters: use KafkaClient.statistics, or the module decant-micrometer or decant-opentelemetry",
        "transactional.id: open transactions with KafkaClient.transactions(id) and give them to each producer with"
            + " transactions(...)",
        "isolation.level: \"read_commited\" is unknown: use read_uncommitted or read_committed",
        "ssl.truststore.location: file /etc/kafka/truststore.jks does not exist",
        "session.timeout.ms: the broker decides that where group.protocol is consumer, Decant's default; leave it out,"
            + " or set group.protocol=classic, Kafka's default");
  }

  @Test
  void producersAndConsumersReportAllProblemsAtOnceToo() {
    try (KafkaClient client = KafkaClient.connect("127.0.0.1:1")) {
      assertThatIllegalArgumentException().isThrownBy(() -> producer(client).properties(
          Map.of("linger.ms", "soon", "client.id", "c", "group.id", "g", "batch.sise", 1)))
          .withMessage("""
              4 problems with the settings:
                batch.sise: unknown; did you mean batch.size?
                client.id: a setting of the client: use KafkaClient.fromProperties or KafkaClient.builder
                group.id: a setting of consumers: use ConsumerBuilder.properties
                linger.ms: "soon" is no number of milliseconds""");
      assertThatIllegalArgumentException().isThrownBy(() -> consumer(client).properties(
          Map.of("max.poll.records", 0, "acks", "all", "check.crcs", true)))
          .withMessage("""
              2 problems with the settings:
                acks: a setting of producers: use ProducerBuilder.properties
                max.poll.records: 0 is less than 1""");
    }
  }
}
