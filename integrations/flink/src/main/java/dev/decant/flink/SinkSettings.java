package dev.decant.flink;

import java.io.Serializable;
import java.util.Properties;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.sink.TransactionNamingStrategy;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.jspecify.annotations.Nullable;

/**
 * What a sink was built with. Travels with the job.
 *
 * @param <T> type of the stream's elements
 * @param guarantee of the delivery
 * @param producer settings of the producers by Kafka's names
 * @param prefix of all transactional ids; null unless exactly once
 * @param naming how transactional ids go on after the prefix and the subtask
 * @param serializer of elements
 */
record SinkSettings<T>(DeliveryGuarantee guarantee, Properties producer, @Nullable String prefix,
    TransactionNamingStrategy naming, KafkaRecordSerializationSchema<T> serializer) implements Serializable {

  boolean isExactlyOnce() {
    return guarantee == DeliveryGuarantee.EXACTLY_ONCE;
  }

  boolean isPooling() {
    return naming == TransactionNamingStrategy.POOLING;
  }

  /** Only if exactly once. */
  String transactionalIdPrefix() {
    if (prefix == null) {
      throw new IllegalStateException("a sink without transactions has no prefix of transactional ids");
    }
    return prefix;
  }

  /** The settings of a producer, with a transactional id or without one. */
  Properties producer(@Nullable String transactionalId) {
    Properties settings = new Properties();
    settings.putAll(producer);
    if (transactionalId != null) {
      settings.setProperty(ProducerConfig.TRANSACTIONAL_ID_CONFIG, transactionalId);
    }
    return settings;
  }

  /** Flink's own sink with the same serializer and servers, of which nothing is run. */
  KafkaSink<T> apaches() {
    Properties named = new Properties();
    named.putAll(producer);
    named.remove(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG); // its builder has the default, and warns of any
    named.remove(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG);
    return KafkaSink.<T>builder().setKafkaProducerConfig(named).setRecordSerializer(serializer).build();
  }
}
