package dev.decant.flink;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.Properties;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.java.ClosureCleaner;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.sink.TransactionNamingStrategy;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Builds a {@link DecantKafkaSink}. Its methods are those of Flink's
 * {@link org.apache.flink.connector.kafka.sink.KafkaSinkBuilder}, with the same defaults. Not thread-safe.
 *
 * @param <T> type of the stream's elements
 */
public final class DecantKafkaSinkBuilder<T> {
  private static final Duration TRANSACTION_TIMEOUT = Duration.ofHours(1);
  private static final int MAX_PREFIX_BYTES = 64_000;

  private final Properties producer = new Properties();
  private DeliveryGuarantee guarantee = DeliveryGuarantee.NONE;
  private TransactionNamingStrategy naming = TransactionNamingStrategy.DEFAULT;
  private @Nullable String prefix;
  private @Nullable KafkaRecordSerializationSchema<T> serializer;

  DecantKafkaSinkBuilder() {
    producer.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class.getName());
    producer.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class.getName());
    producer.put(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, Math.toIntExact(TRANSACTION_TIMEOUT.toMillis()));
  }

  /**
   * The guarantee; {@link DeliveryGuarantee#NONE} by default.
   *
   * @param value {@code EXACTLY_ONCE} needs {@link #setTransactionalIdPrefix} and checkpoints
   * @return this
   */
  public DecantKafkaSinkBuilder<T> setDeliveryGuarantee(DeliveryGuarantee value) {
    guarantee = Objects.requireNonNull(value, "guarantee");
    return this;
  }

  /**
   * Settings of the producers.
   *
   * @param values by Kafka's names; added to those that were set before
   * @return this
   */
  public DecantKafkaSinkBuilder<T> setKafkaProducerConfig(Properties values) {
    producer.putAll(Objects.requireNonNull(values, "values"));
    return this;
  }

  /**
   * A setting of the producers.
   *
   * @param name Kafka's
   * @param value its value
   * @return this
   */
  public DecantKafkaSinkBuilder<T> setProperty(String name, String value) {
    producer.setProperty(name, value);
    return this;
  }

  /**
   * How transactional ids are chosen; {@link TransactionNamingStrategy#INCREMENTING} by default. The other one,
   * {@code POOLING}, uses ids again, and so leaves fewer of them to the brokers. A job may go over to it, and not back.
   *
   * @param value the strategy
   * @return this
   */
  public DecantKafkaSinkBuilder<T> setTransactionNamingStrategy(TransactionNamingStrategy value) {
    naming = Objects.requireNonNull(value, "naming");
    return this;
  }

  /**
   * Makes records of elements. It is Flink's interface, and its builder's serializers can be used as they are.
   *
   * @param value travels with the job
   * @return this
   */
  public DecantKafkaSinkBuilder<T> setRecordSerializer(KafkaRecordSerializationSchema<T> value) {
    serializer = Objects.requireNonNull(value, "serializer");
    ClosureCleaner.clean(value, ExecutionConfig.ClosureCleanerLevel.RECURSIVE, true);
    return this;
  }

  /**
   * The begin of all transactional ids, which no other sink on the cluster may have. Keep it over restarts: what an
   * earlier run has left open is found by it.
   *
   * @param value at most 64,000 bytes in UTF-8
   * @return this
   */
  public DecantKafkaSinkBuilder<T> setTransactionalIdPrefix(String value) {
    if (value.isBlank() || value.getBytes(StandardCharsets.UTF_8).length > MAX_PREFIX_BYTES) {
      throw new IllegalArgumentException("the prefix of transactional ids is empty, or has more than "
          + MAX_PREFIX_BYTES + " bytes");
    }
    prefix = value;
    return this;
  }

  /**
   * Kafka's {@code bootstrap.servers}.
   *
   * @param value host:port, separated by commas
   * @return this
   */
  public DecantKafkaSinkBuilder<T> setBootstrapServers(String value) {
    return setProperty(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, value);
  }

  /**
   * The sink. Nothing is connected before the job runs.
   *
   * @return for {@code DataStream.sinkTo}
   * @throws IllegalStateException if the servers, the serializer or the prefix are missing
   */
  public DecantKafkaSink<T> build() {
    KafkaRecordSerializationSchema<T> given = serializer;
    if (given == null) {
      throw new IllegalStateException("the serializer is missing: setRecordSerializer");
    }
    if (producer.getProperty(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG) == null) {
      throw new IllegalStateException("the servers are missing: setBootstrapServers");
    }
    if (guarantee == DeliveryGuarantee.EXACTLY_ONCE && prefix == null) {
      throw new IllegalStateException("EXACTLY_ONCE needs a prefix of transactional ids that no other sink on the"
          + " cluster has: setTransactionalIdPrefix");
    }
    Properties settings = new Properties();
    settings.putAll(producer);
    return new DecantKafkaSink<>(new SinkSettings<>(guarantee, settings, prefix, naming, given));
  }
}
