package dev.decant.kafka.apache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.fake.FakeCluster;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Decant's producer behaves like Apache's: a real broker stores the records, Apache's consumer reads them. */
@ExtendWith(RealCluster.class)
@Timeout(value = 60, unit = TimeUnit.SECONDS)
@SuppressWarnings("FutureReturnValueIgnored") // the test checks the callback
class DecantProducerTest {
  private static final int PARTITIONS = 3;

  private final String bootstrap = RealCluster.current().bootstrap();
  private final String topic = RealCluster.current().createTopic(PARTITIONS);

  private Map<String, Object> settings(Object... more) {
    Map<String, Object> settings = new HashMap<>(Map.of("bootstrap.servers", bootstrap, "linger.ms", 0));
    for (int i = 0; i < more.length; i += 2) {
      settings.put((String) more[i], more[i + 1]);
    }
    return settings;
  }

  private DecantProducer<String, String> open(Object... settings) {
    return new DecantProducer<>(settings(settings), new StringSerializer(), new StringSerializer());
  }

  private static Throwable failure(Future<?> future) {
    try {
      future.get(30, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      return Objects.requireNonNull(e.getCause());
    } catch (InterruptedException | java.util.concurrent.TimeoutException e) {
      throw new AssertionError(e);
    }
    throw new AssertionError("it was stored");
  }

  private ProducerRecord<String, String> record(@Nullable String key, @Nullable String value) {
    return new ProducerRecord<>(topic, key, value);
  }

  @Test
  void recordArrivesAsItWasSent() throws Exception {
    long timestamp = System.currentTimeMillis() - 3_600_123; // the broker deletes records that are more than a week old
    ProducerRecord<String, String> full = new ProducerRecord<>(topic, 2, timestamp, "key", "value");
    full.headers().add("trace", "0af7".getBytes(StandardCharsets.UTF_8)).add("größe", null);
    try (DecantProducer<String, String> producer = open()) {
      RecordMetadata stored = producer.send(full).get();
      assertThat(stored.topic()).isEqualTo(topic);
      assertThat(stored.partition()).isEqualTo(2);
      assertThat(stored.offset()).isZero();
      assertThat(stored.timestamp()).isEqualTo(timestamp);
      assertThat(stored.serializedKeySize()).isEqualTo(3);
      assertThat(stored.serializedValueSize()).isEqualTo(5);
      assertThat(producer.send(new ProducerRecord<>(topic, 2, null, null)).get().serializedKeySize()).isEqualTo(-1);
    }
    assertThatThrownBy(() -> full.headers().add("late", null)).isInstanceOf(IllegalStateException.class);
    List<ConsumerRecord<String, String>> read = ApacheReader.read(bootstrap, topic, PARTITIONS, 2);
    assertThat(read).hasSize(2);
    ConsumerRecord<String, String> first = read.getFirst();
    assertThat(first.key()).isEqualTo("key");
    assertThat(first.value()).isEqualTo("value");
    assertThat(first.timestamp()).isEqualTo(timestamp);
    assertThat(first.headers().lastHeader("trace").value()).asString(StandardCharsets.UTF_8).isEqualTo("0af7");
    assertThat(first.headers().lastHeader("größe").value()).isNull();
    assertThat(read.getLast().key()).isNull();
    assertThat(read.getLast().value()).isNull();
  }

  @Test
  void settingsNameSerializersAsApachesDo() throws Exception {
    Properties properties = new Properties();
    properties.putAll(settings("key.serializer", "org.apache.kafka.common.serialization.IntegerSerializer",
        "value.serializer", StringSerializer.class));
    try (Producer<Integer, String> producer = new DecantProducer<>(properties)) {
      assertThat(producer.send(new ProducerRecord<>(topic, 7, "v")).get().serializedKeySize()).isEqualTo(4);
    }
    try (Producer<byte[], byte[]> producer = new DecantProducer<>(properties, new ByteArraySerializer(),
        new ByteArraySerializer())) {
      assertThat(producer.send(new ProducerRecord<>(topic, new byte[9], new byte[1])).get().serializedKeySize())
          .isEqualTo(9);
    }
    assertThatThrownBy(() -> new DecantProducer<>(settings())).isInstanceOf(ConfigException.class);
    assertThatThrownBy(() -> open("acks", "many")).isInstanceOf(ConfigException.class);
    assertThatThrownBy(() -> open("interceptor.classes", "no.such.Interceptor")).isInstanceOf(KafkaException.class)
        .hasMessage("Failed to construct kafka producer");
    assertThatThrownBy(() -> open("delivery.timeout.ms", 10, "request.timeout.ms", 20))
        .isInstanceOf(ConfigException.class).hasMessageContaining("delivery.timeout.ms");
  }

  @Test
  void keysDecideThePartitionAsApachesDo() throws Exception {
    try (DecantProducer<String, String> producer = open();
        DecantProducer<String, String> ignoring = open("partitioner.ignore.keys", true)) {
      int first = producer.send(record("a", "1")).get().partition();
      for (int i = 0; i < 20; i++) {
        String key = "key-" + i;
        int expected = org.apache.kafka.common.utils.Utils.toPositive(
            org.apache.kafka.common.utils.Utils.murmur2(key.getBytes(StandardCharsets.UTF_8))) % PARTITIONS;
        assertThat(producer.send(record(key, "v")).get().partition()).as(key).isEqualTo(expected);
      }
      assertThat(producer.send(record("a", "2")).get().partition()).isEqualTo(first);
      List<Integer> chosen = new ArrayList<>();
      for (int i = 0; i < 2 * PARTITIONS; i++) {
        chosen.add(ignoring.send(record("a", "3")).get().partition());
      }
      assertThat(chosen).as("each batch goes to another one").contains(0, 1, 2);
    }
  }

  @ClientsFrom(value = "4.1", because = "headers for interceptors")
  @Test
  void callbackAndInterceptorsLearnOfTheOutcomeBeforeTheFutureEnds() throws Exception {
    RecordingInterceptor.EVENTS.clear();
    List<Future<RecordMetadata>> future = new CopyOnWriteArrayList<>();
    CompletableFuture<Boolean> doneInCallback = new CompletableFuture<>();
    DecantProducer<String, String> producer = open("interceptor.classes", RecordingInterceptor.class.getName(),
        "test.mark", "!", "client.id", "intercepted", "linger.ms", 50);
    future.add(producer.send(new ProducerRecord<>(topic, 0, "k", "v"), (metadata, failure) -> {
      RecordingInterceptor.EVENTS.add("callback " + metadata.offset());
      doneInCallback.complete(future.getFirst().isDone());
    }));
    assertThat(future.getFirst().cancel(true)).isFalse();
    assertThat(future.getFirst().get(30, TimeUnit.SECONDS).serializedValueSize()).isEqualTo(2);
    assertThat(doneInCallback).isCompletedWithValue(false);
    assertThat(producer.send(record("k", "refuse")).get().serializedValueSize()).isEqualTo("refuse".length());
    producer.close();
    assertThat(RecordingInterceptor.EVENTS).containsSubsequence("configured intercepted", "send v",
        "acknowledged in 0 at 0", "callback 0", "send refuse", "closed").contains("cluster known");
    assertThat(ApacheReader.read(bootstrap, topic, PARTITIONS, 2)).extracting(ConsumerRecord::value)
        .containsExactlyInAnyOrder("v!", "refuse");
  }

  @Test
  void partitionerOfTheApplicationGetsTheCluster() throws Exception {
    ClusterPartitioner.CALLS.clear();
    try (DecantProducer<String, String> producer = open("partitioner.class", ClusterPartitioner.class)) {
      assertThat(producer.send(record("k", "v")).get().partition()).isEqualTo(PARTITIONS - 1);
      assertThatThrownBy(() -> producer.send(record("k", "negative"))).isInstanceOf(IllegalArgumentException.class);
    }
    assertThat(ClusterPartitioner.CALLS).first().asString().startsWith(topic + " k [107] v leader ")
        .endsWith("replicas 1 in sync 1 available 3");
    assertThat(ClusterPartitioner.CALLS).last().isEqualTo("closed");
  }

  @Test
  void missingTopicIsMadeByTheBroker() throws Exception {
    try (FakeCluster generous = FakeCluster.builder().setting("auto.create.topics.enable", "true").start();
        DecantProducer<String, String> producer = open("bootstrap.servers", generous.bootstrap())) {
      assertThat(producer.send(new ProducerRecord<>("missing", "k", "v")).get().topic()).isEqualTo("missing");
      assertThat(producer.partitionsFor("missing")).hasSize(1)
          .allSatisfy(info -> assertThat(info.leader().isEmpty()).isFalse());
    }
  }

  @Test
  void partitionsOfATopicHaveLeaders() {
    try (DecantProducer<String, String> producer = open()) {
      assertThat(producer.partitionsFor(topic)).hasSize(PARTITIONS)
          .allSatisfy(info -> assertThat(info.leader().isEmpty()).isFalse());
    }
  }

  @Test
  void partitionThatDoesNotExistIsWaitedFor() {
    List<String> told = new CopyOnWriteArrayList<>();
    try (DecantProducer<String, String> producer = open("max.block.ms", 300)) {
      Throwable failure = failure(producer.send(new ProducerRecord<>(topic, PARTITIONS, "k", "v"),
          (metadata, error) -> told.add(metadata.partition() + " at " + metadata.offset() + " " + error.getClass())));
      assertThat(failure).isExactlyInstanceOf(TimeoutException.class).hasMessage("Partition 3 of topic " + topic
          + " with partition count 3 is not present in metadata after 300 ms.");
      assertThat(told).containsExactly("3 at -1 " + TimeoutException.class);
    }
  }

  @Test
  void illegalTopicAndLargeRecordFailTheFuture() {
    try (DecantProducer<String, String> producer = open("max.request.size", 2_000)) {
      assertThat(failure(producer.send(new ProducerRecord<>("a b", "v")))).isInstanceOf(InvalidTopicException.class);
      int most = 2_000 - 61 - 21 - 1 - 1 - 2;
      assertThat(producer.send(record(null, "v".repeat(most)))).succeedsWithin(Duration.ofSeconds(30));
      assertThat(failure(producer.send(record(null, "v".repeat(most + 1)))))
          .isInstanceOf(RecordTooLargeException.class).hasMessageContaining("2001");
    }
  }

  @Test
  void serializerThatFailsThrows() {
    try (DecantProducer<Object, Object> producer = new DecantProducer<>(settings("key.serializer",
        StringSerializer.class, "value.serializer", StringSerializer.class))) {
      assertThatThrownBy(() -> producer.send(new ProducerRecord<>(topic, "k", 5)))
          .isInstanceOf(SerializationException.class).hasMessageContaining("java.lang.Integer")
          .hasCauseInstanceOf(ClassCastException.class);
    }
  }

  @Test
  void withAcksZeroNoOffsetIsKnown() throws Exception {
    try (DecantProducer<String, String> producer = open("acks", "0", "retries", 0)) {
      RecordMetadata sent = producer.send(record("k", "v")).get();
      assertThat(sent.hasOffset()).isFalse();
      assertThat(sent.offset()).isEqualTo(-1);
    }
    assertThat(ApacheReader.read(bootstrap, topic, PARTITIONS, 1)).hasSize(1);
  }

  @Test
  void closedProducerRefusesRecords() {
    DecantProducer<String, String> producer = open("linger.ms", 60_000);
    Future<RecordMetadata> waiting = producer.send(record("k", "v"));
    assertThatThrownBy(() -> producer.close(Duration.ofMillis(-1))).isInstanceOf(IllegalArgumentException.class);
    producer.close();
    assertThat(waiting).as("close sends what is there").isDone();
    assertThatThrownBy(() -> producer.send(record("k", "v"))).isInstanceOf(IllegalStateException.class);
    producer.close();
  }

  @Test
  void producerThatCannotBeOpenedClosesWhatItWasGiven() {
    List<String> closed = new ArrayList<>();
    Serializer<String> keys = new StringSerializer() {
      @Override
      public void close() {
        closed.add("keys");
      }
    };
    assertThatThrownBy(() -> new DecantProducer<>(settings("interceptor.classes", "no.such.Interceptor"), keys,
        new StringSerializer() {
          @Override
          public void close() {
            closed.add("values");
          }
        })).isInstanceOf(KafkaException.class).rootCause().hasMessageContaining("no.such.Interceptor");
    assertThat(closed).containsExactlyInAnyOrder("keys", "values");
  }

  @Test
  void closeWithoutPatienceFailsWhatWaits() {
    DecantProducer<String, String> producer = open("linger.ms", 60_000, "delivery.timeout.ms", 120_000);
    Future<RecordMetadata> waiting = producer.send(record("k", "v"));
    producer.close(Duration.ZERO);
    assertThat(failure(waiting)).isExactlyInstanceOf(KafkaException.class);
  }

  @Test
  void callbackMayNeitherFlushNorWaitForItselfAndMaySendAndClose() throws Exception {
    CompletableFuture<Throwable> flushed = new CompletableFuture<>();
    CompletableFuture<Future<RecordMetadata>> sent = new CompletableFuture<>();
    CompletableFuture<Throwable> waited = new CompletableFuture<>();
    DecantProducer<String, String> producer = open();
    producer.send(record("k", "v"), (metadata, failure) -> {
      flushed.complete(thrown(producer::flush));
      Future<RecordMetadata> second = producer.send(record("k", "w"));
      waited.complete(thrown(second::get));
      sent.complete(second);
    }).get(30, TimeUnit.SECONDS);
    assertThat(flushed.get(30, TimeUnit.SECONDS)).isExactlyInstanceOf(KafkaException.class);
    assertThat(waited.get(30, TimeUnit.SECONDS)).isInstanceOf(IllegalStateException.class);
    assertThat(sent.get(30, TimeUnit.SECONDS).get(30, TimeUnit.SECONDS).offset()).isEqualTo(1);
    CompletableFuture<Boolean> closed = new CompletableFuture<>();
    producer.send(record("k", "x"), (metadata, failure) -> {
      producer.close();
      closed.complete(true);
    });
    assertThat(closed.get(30, TimeUnit.SECONDS)).isTrue();
    assertThatThrownBy(() -> producer.send(record("k", "v"))).isInstanceOf(IllegalStateException.class);
  }

  private interface Call {
    void run() throws Exception;
  }

  private static @Nullable Throwable thrown(Call call) {
    try {
      call.run();
      return null;
    } catch (Exception e) {
      return e;
    }
  }

  @Test
  void interruptedThreadLearnsOfItAsWithApaches() {
    try (DecantProducer<String, String> producer = open("max.block.ms", 60_000, "linger.ms", 60_000)) {
      Future<RecordMetadata> waiting = producer.send(record("k", "v"));
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> producer.send(new ProducerRecord<>(topic, PARTITIONS, "k", "v")))
          .isInstanceOf(InterruptException.class);
      assertThat(Thread.interrupted()).as("is marked again").isTrue();
      Thread.currentThread().interrupt();
      assertThatThrownBy(producer::flush).isInstanceOf(InterruptException.class);
      assertThat(Thread.interrupted()).isTrue();
      assertThat(waiting.isDone()).isFalse();
    }
  }

  @Test
  void futureCanBeWaitedForByManyThreadsAndForATime() throws Exception {
    try (DecantProducer<String, String> producer = open("linger.ms", 500)) {
      Future<RecordMetadata> future = producer.send(record("k", "v"));
      assertThatThrownBy(() -> future.get(1, TimeUnit.MILLISECONDS))
          .isInstanceOf(java.util.concurrent.TimeoutException.class);
      List<CompletableFuture<Long>> offsets = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        CompletableFuture<Long> offset = new CompletableFuture<>();
        offsets.add(offset);
        Thread.Builder thread = i % 2 == 0 ? Thread.ofVirtual() : Thread.ofPlatform().daemon();
        thread.start(() -> {
          try {
            offset.complete(future.get().offset());
          } catch (Exception e) {
            offset.completeExceptionally(e);
          }
        });
      }
      for (CompletableFuture<Long> offset : offsets) {
        assertThat(offset.get(30, TimeUnit.SECONDS)).isZero();
      }
    }
  }

  @Test
  void metricsHaveApachesNames() throws Exception {
    try (DecantProducer<String, String> producer = open("client.id", "measured")) {
      for (int i = 0; i < 10; i++) {
        assertThat(producer.send(record("k", "v")).get().hasOffset()).isTrue();
      }
      // A broker that does not lead the new topic yet refuses a batch, and the count includes the repetition.
      assertThat(metric(producer, "record-send-total")).isEqualTo(10 + metric(producer, "record-retry-total"));
      assertThat(metric(producer, "record-send-rate")).isPositive();
      assertThat(metric(producer, "record-error-total")).isZero();
      assertThat(metric(producer, "batch-size-avg")).isGreaterThan(60);
      assertThat(metric(producer, "request-latency-max")).isPositive();
      assertThat(metric(producer, "connection-count")).isPositive();
      assertThat(metric(producer, "outgoing-byte-total")).isGreaterThan(600);
      assertThat(metric(producer, "buffer-total-bytes")).isEqualTo(32 << 20);
      assertThat(producer.metrics().keySet()).filteredOn(name -> name.group().equals("producer-topic-metrics"))
          .allSatisfy(name -> assertThat(name.tags()).containsEntry("topic", topic)
              .containsEntry("client-id", "measured"))
          .isNotEmpty();
    }
  }

  private static double metric(Producer<?, ?> producer, String name) {
    for (Metric metric : producer.metrics().values()) {
      if (metric.metricName().name().equals(name) && metric.metricName().group().equals("producer-metrics")) {
        return (double) metric.metricValue();
      }
    }
    throw new AssertionError("there is no " + name);
  }

  @Test
  void topicThatTheBrokerDoesNotMakeIsNamedWithItsError() {
    String missing = "missing-beside-" + topic;
    try (DecantProducer<String, String> producer = open("max.block.ms", 400L)) {
      assertThat(failure(producer.send(new ProducerRecord<>(missing, "v"))))
          .isExactlyInstanceOf(TimeoutException.class)
          .hasMessage("Topic " + missing + " not present in metadata after 400 ms.")
          .hasCauseInstanceOf(UnknownTopicOrPartitionException.class);
      assertThatThrownBy(() -> producer.partitionsFor(missing)).isInstanceOf(TimeoutException.class);
      RealCluster.current().createTopic(missing, 1);
      assertThat(producer.send(new ProducerRecord<>(missing, "v"))).succeedsWithin(Duration.ofSeconds(30));
    }
  }
}
