package dev.decant.micronaut;

import dev.decant.kafka.apache.DecantProducer;
import io.micronaut.configuration.kafka.DefaultProducerFactory;
import io.micronaut.configuration.kafka.ProducerFactory;
import io.micronaut.context.annotation.Replaces;
import io.micronaut.context.annotation.Requires;
import io.micronaut.context.annotation.Secondary;
import jakarta.inject.Singleton;
import java.util.Properties;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.Serializer;
import org.jspecify.annotations.Nullable;

/**
 * Micronaut Kafka's producer factory with Decant's producers. All producers come from it: those of
 * {@code @KafkaClient}, injected ones, and those that send what listeners return. A {@link ProducerFactory} of the
 * application goes before it. Any thread.
 */
@Singleton
@Secondary
@Replaces(DefaultProducerFactory.class)
@Requires(property = Refusal.ENABLED, notEquals = "false")
public class DecantProducerFactory implements ProducerFactory {

  /** Makes the factory. Micronaut does; so may a factory of the application that asks this one for its producers. */
  public DecantProducerFactory() {}

  /**
   * Opens a producer. The caller closes it.
   *
   * @param config Apache's settings
   * @param ks of keys; null to make the one that the settings name
   * @param vs of values; null to make the one that the settings name
   * @return a producer of Decant's
   * @throws io.micronaut.context.exceptions.ConfigurationException for a setting that Decant does not serve
   */
  @Override
  public <K, V> Producer<K, V> createProducer(Properties config, @Nullable Serializer<K> ks,
      @Nullable Serializer<V> vs) {
    try {
      return new DecantProducer<>(config, ks, vs);
    } catch (KafkaException e) {
      throw Refusal.of("producer", config, e);
    }
  }
}
