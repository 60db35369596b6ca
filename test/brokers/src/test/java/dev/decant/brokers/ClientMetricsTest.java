package dev.decant.brokers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.testkit.KafkaCluster;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.shaded.io.opentelemetry.proto.common.v1.KeyValue;
import org.apache.kafka.shaded.io.opentelemetry.proto.metrics.v1.Metric;
import org.apache.kafka.shaded.io.opentelemetry.proto.metrics.v1.MetricsData;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a real broker gets of a subscription to clients' metrics (KIP-714), from ours and from Apache's clients. */
@Tag("full")
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ClientMetricsTest {
  private static final String TOPIC = "orders";
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(40);

  @TempDir
  static Path home;

  private static KafkaCluster cluster;
  private static Path pushes;

  /** A push as the broker's reporter has written it down. */
  private record Pushed(String clientId, String instanceId, boolean terminating, MetricsData data) {
    static Pushed read(Path file) {
      String[] name = file.getFileName().toString().split(",", -1);
      try {
        return new Pushed(name[1], name[2], Boolean.parseBoolean(name[3]), MetricsData.parseFrom(Files.readAllBytes(
            file)));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    Stream<Metric> metrics() {
      return data.getResourceMetricsList().stream().flatMap(r -> r.getScopeMetricsList().stream())
          .flatMap(s -> s.getMetricsList().stream());
    }

    double sum(String name) {
      return metrics().filter(m -> m.getName().equals(name)).findFirst().orElseThrow().getSum().getDataPoints(0)
          .getAsDouble();
    }
  }

  @BeforeAll
  static void start() throws IOException, ExecutionException, InterruptedException {
    pushes = Files.createDirectory(home.resolve("pushes"));
    cluster = KafkaCluster.builder().setting("metric.reporters", MetricsFiles.class.getName())
        .jvmArguments(List.of("-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-javaagent:" + reporterJar(),
            "-D" + MetricsFiles.DIRECTORY + "=" + pushes))
        .start();
    cluster.createTopic(TOPIC, 1);
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()))) {
      ConfigResource all = new ConfigResource(ConfigResource.Type.CLIENT_METRICS, "all");
      admin.incrementalAlterConfigs(Map.of(all, List.of(set("metrics", "org.apache.kafka."), set("interval.ms",
          "1000")))).all().get();
    }
    awaitSubscription();
  }

  private static AlterConfigOp set(String name, String value) {
    return new AlterConfigOp(new ConfigEntry(name, value), AlterConfigOp.OpType.SET);
  }

  private static Path reporterJar() throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().putValue("Premain-Class", MetricsFiles.class.getName());
    Path jar = home.resolve("reporter.jar");
    String entry = MetricsFiles.class.getName().replace('.', '/') + ".class";
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file, manifest);
        InputStream bytes = MetricsFiles.class.getClassLoader().getResourceAsStream(entry)) {
      assertThat(bytes).as(entry).isNotNull();
      out.putNextEntry(new JarEntry(entry));
      bytes.transferTo(out);
      out.closeEntry();
    }
    return jar;
  }

  /** A client that asks before the broker knows of the subscription is told to come again in five minutes. */
  private static void awaitSubscription() throws InterruptedException, IOException {
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    while (pushes("probe").isEmpty() && deadline - System.nanoTime() > 0) {
      try (KafkaClient client = KafkaClient.builder(cluster.bootstrap()).clientId("probe").build();
          Producer<String, String> producer = producer(client)) {
        producer.sendAndWait(null, "probe");
        client.clientInstanceId(Duration.ofSeconds(20));
      }
    }
    assertThat(pushes("probe")).as("the broker asks for metrics").isNotEmpty();
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static Producer<String, String> producer(KafkaClient client) throws InterruptedException {
    return client.producer(Serdes.string(), Serdes.string()).topic(TOPIC).open();
  }

  private static List<Pushed> pushes(String clientId) throws IOException {
    try (Stream<Path> files = Files.list(pushes)) {
      return files.filter(f -> !f.getFileName().toString().startsWith(".")).sorted().map(Pushed::read)
          .filter(p -> p.clientId().equals(clientId)).toList();
    }
  }

  private static Set<String> names(List<Pushed> from) {
    return from.stream().flatMap(Pushed::metrics).map(Metric::getName).collect(Collectors.toSet());
  }

  @Test
  void brokerGetsWhatItsSubscriptionNamesUnderApachesNames() throws InterruptedException, IOException {
    String id;
    try (KafkaClient client = KafkaClient.builder(cluster.bootstrap()).clientId("ours").build();
        Producer<String, String> producer = producer(client);
        Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string()).group("billing")
            .offsetReset(OffsetReset.EARLIEST).subscribe(TOPIC).open()) {
      id = client.clientInstanceId(Duration.ofSeconds(20)).toString();
      long deadline = System.nanoTime() + PATIENCE_NANOS;
      while (pushes("ours").size() < 3 && deadline - System.nanoTime() > 0) {
        producer.sendAndWait("k", "v");
        consumer.poll(Duration.ofMillis(100), record -> {});
      }
    }
    List<Pushed> ours = pushes("ours");
    assertThat(ours).hasSizeGreaterThanOrEqualTo(4).extracting(Pushed::instanceId).containsOnly(id);
    assertThat(ours.subList(0, ours.size() - 1)).extracting(Pushed::terminating).containsOnly(false);
    assertThat(ours.getLast().terminating()).isTrue();
    assertThat(ours.getLast().metrics().map(Metric::getName)).contains(
        "org.apache.kafka.consumer.coordinator.assigned.partitions");
    assertThat(ours.getLast().data().getResourceMetricsList().stream().flatMap(r -> r.getResource().getAttributesList()
        .stream()).map(KeyValue::getKey)).contains("group_id", "group_member_id");
    // sums are since the push before, as Apache's brokers ask for
    assertThat(ours.stream().mapToDouble(p -> p.sum("org.apache.kafka.consumer.fetch.manager.records.consumed.total"))
        .sum()).isPositive();
    assertThat(apachesNames()).containsAll(names(ours));
  }

  private static boolean bothHavePushed() throws IOException {
    Set<String> names = names(pushes("apaches"));
    return names.contains("org.apache.kafka.producer.connection.creation.total")
        && names.contains("org.apache.kafka.consumer.connection.creation.total");
  }

  /** Returns the names that Apache's producer and consumer push; both push a last time when they are closed. */
  private static Set<String> apachesNames() throws IOException {
    Properties settings = new Properties();
    settings.put("bootstrap.servers", cluster.bootstrap());
    settings.put("client.id", "apaches");
    settings.put("group.id", "shipping");
    settings.put("auto.offset.reset", "earliest");
    try (KafkaProducer<String, String> producer = new KafkaProducer<>(settings, new StringSerializer(),
        new StringSerializer());
        KafkaConsumer<String, String> consumer = new KafkaConsumer<>(settings, new StringDeserializer(),
            new StringDeserializer())) {
      consumer.subscribe(List.of(TOPIC));
      Future<RecordMetadata> sent = producer.send(new ProducerRecord<>(TOPIC, "k", "v"));
      producer.flush();
      assertThat(sent).isDone();
      long deadline = System.nanoTime() + PATIENCE_NANOS;
      int records = 0;
      while ((records == 0 || !bothHavePushed()) && deadline - System.nanoTime() > 0) {
        records += consumer.poll(Duration.ofMillis(200)).count();
      }
      consumer.commitSync();
    }
    return names(pushes("apaches"));
  }
}
