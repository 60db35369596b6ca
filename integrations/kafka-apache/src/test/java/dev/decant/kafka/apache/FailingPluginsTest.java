package dev.decant.kafka.apache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.management.ObjectName;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An application's classes throw errors, as after a redeployment that removed a class. */
@ExtendWith(PlainCluster.class)
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class FailingPluginsTest {
  private static final String WORDS = "com/example/Gone";

  private final String topic = PlainCluster.createTopic(1);

  /** A serializer whose close throws. */
  public static final class Unclosable extends StringSerializer {
    @Override
    public void close() {
      throw new NoClassDefFoundError(WORDS);
    }
  }

  /** A deserializer whose close throws. */
  public static final class UnclosableToo extends StringDeserializer {
    @Override
    public void close() {
      throw new NoClassDefFoundError(WORDS);
    }
  }

  /** An interceptor whose callback and close throw. */
  public static final class Deaf implements ProducerInterceptor<String, String>, ConsumerInterceptor<String, String> {
    @Override
    public ProducerRecord<String, String> onSend(ProducerRecord<String, String> record) {
      return record;
    }

    @Override
    public void onAcknowledgement(@Nullable RecordMetadata metadata, @Nullable Exception failure) {
      throw new NoClassDefFoundError(WORDS);
    }

    @Override
    public ConsumerRecords<String, String> onConsume(ConsumerRecords<String, String> records) {
      return records;
    }

    @Override
    public void onCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {
      throw new NoClassDefFoundError(WORDS);
    }

    @Override
    public void close() {
      throw new NoClassDefFoundError(WORDS);
    }

    @Override
    public void configure(Map<String, ?> configs) {}
  }

  private static Map<String, Object> settings(Object... more) {
    Map<String, Object> settings = new HashMap<>(Map.of("bootstrap.servers", PlainCluster.bootstrap()));
    for (int i = 0; i < more.length; i += 2) {
      settings.put((String) more[i], more[i + 1]);
    }
    return settings;
  }

  private static Set<ObjectName> beans(String clientId) throws Exception {
    return ManagementFactory.getPlatformMBeanServer().queryNames(new ObjectName("kafka.*:*,client-id=" + clientId),
        null);
  }

  /** The names stayed in JMX for ever, and with them the client. */
  @ParameterizedTest
  @ValueSource(strings = {"key.serializer", "interceptor.classes"})
  void aProducerIsClosedAlthoughAPartOfItCannotBe(String part) throws Exception {
    Map<String, Object> settings = settings("client.id", "failing-producer-" + part, "key.serializer",
        StringSerializer.class, "value.serializer", StringSerializer.class);
    settings.put(part, part.equals("key.serializer") ? Unclosable.class : List.of(Deaf.class));
    DecantProducer<String, String> producer = new DecantProducer<>(settings);
    assertThat(beans("failing-producer-" + part)).isNotEmpty();

    assertThatCode(producer::close).satisfiesAnyOf(failure -> assertThat(failure).isNull(),
        failure -> assertThat(failure).isInstanceOf(KafkaException.class).hasStackTraceContaining(WORDS));

    assertThat(beans("failing-producer-" + part)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"key.deserializer", "interceptor.classes"})
  void aConsumerIsClosedAlthoughAPartOfItCannotBe(String part) throws Exception {
    Map<String, Object> settings = settings("client.id", "failing-consumer-" + part, "key.deserializer",
        StringDeserializer.class, "value.deserializer", StringDeserializer.class);
    settings.put(part, part.equals("key.deserializer") ? UnclosableToo.class : List.of(Deaf.class));
    DecantConsumer<String, String> consumer = new DecantConsumer<>(settings);
    assertThat(beans("failing-consumer-" + part)).isNotEmpty();

    assertThatCode(consumer::close).satisfiesAnyOf(failure -> assertThat(failure).isNull(),
        failure -> assertThat(failure).isInstanceOf(KafkaException.class).hasStackTraceContaining(WORDS));

    assertThat(beans("failing-consumer-" + part)).isEmpty();
  }

  @Test
  void aCallbackHearsOfItsRecordAlthoughAnInterceptorCannot() throws Exception {
    CompletableFuture<RecordMetadata> heard = new CompletableFuture<>();
    try (DecantProducer<String, String> producer = new DecantProducer<>(settings("key.serializer",
        StringSerializer.class, "value.serializer", StringSerializer.class, "interceptor.classes",
        List.of(Deaf.class)))) {
      producer.send(new ProducerRecord<>(topic, "k", "v"), (metadata, failure) -> heard.complete(metadata))
          .get(30, TimeUnit.SECONDS);
      assertThat(heard.get(30, TimeUnit.SECONDS).offset()).isZero();
    }
  }

  @Test
  void aCallbackHearsOfItsCommitAlthoughAnInterceptorCannot() {
    CompletableFuture<Object> heard = new CompletableFuture<>();
    Map<TopicPartition, OffsetAndMetadata> offsets = Map.of(new TopicPartition(topic, 0), new OffsetAndMetadata(0));
    DecantConsumer<String, String> consumer = new DecantConsumer<>(settings("group.id", topic, "enable.auto.commit",
        "false", "key.deserializer", StringDeserializer.class, "value.deserializer", StringDeserializer.class,
        "interceptor.classes", List.of(Deaf.class)));
    consumer.assign(offsets.keySet());
    consumer.commitAsync(offsets, (told, failure) -> heard.complete(failure == null ? told : failure));

    assertThatCode(consumer::close).satisfiesAnyOf(failure -> assertThat(failure).isNull(),
        failure -> assertThat(failure).isInstanceOf(KafkaException.class).hasStackTraceContaining(WORDS));

    assertThat(heard).isCompletedWithValue(offsets);
  }

  /** Publishing programs may read metrics a last time when the client is closed. */
  @Test
  void metricsCanBeReadAfterTheEnd() {
    DecantProducer<String, String> producer = new DecantProducer<>(settings(), new StringSerializer(),
        new StringSerializer());
    DecantConsumer<String, String> consumer = new DecantConsumer<>(settings("group.id", topic),
        new StringDeserializer(),
        new StringDeserializer());
    List<Metric> metrics = new ArrayList<>(producer.metrics().values());
    metrics.addAll(consumer.metrics().values());
    producer.close();
    consumer.close();

    assertThat(metrics).hasSizeGreaterThan(100)
        .allSatisfy(metric -> assertThatCode(metric::metricValue).doesNotThrowAnyException());
  }
}
