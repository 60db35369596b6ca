package dev.decant.micronaut;

import dev.decant.kafka.apache.DecantConsumer;
import io.micronaut.configuration.kafka.KafkaConsumerFactory;
import io.micronaut.configuration.kafka.config.AbstractKafkaConsumerConfiguration;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Parameter;
import io.micronaut.context.annotation.Prototype;
import io.micronaut.context.annotation.Replaces;
import io.micronaut.context.annotation.Requires;
import io.micronaut.context.annotation.Secondary;
import io.micronaut.context.exceptions.ConfigurationException;
import java.util.Properties;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.Deserializer;
import org.jspecify.annotations.Nullable;

/**
 * Micronaut Kafka's consumer factory with Decant's consumers, those of {@code @KafkaListener}. A factory of the
 * application that replaces Micronaut's goes before it. Any thread.
 */
@Factory
@Requires(property = Refusal.ENABLED, notEquals = "false")
public class DecantConsumerFactory {

  /** Makes the factory. Micronaut does; so may a factory of the application that asks this one for its consumers. */
  public DecantConsumerFactory() {}

  /**
   * Opens a consumer. The caller closes it.
   *
   * @param configuration Apache's settings, and either both deserializers or none: those that the settings name then
   * @param <K> type of keys
   * @param <V> type of values
   * @return a consumer of Decant's
   * @throws ConfigurationException for a setting that Decant does not serve
   */
  @Prototype
  @Secondary
  @Replaces(bean = Consumer.class, factory = KafkaConsumerFactory.class)
  public <K, V> Consumer<K, V> createConsumer(@Parameter AbstractKafkaConsumerConfiguration<K, V> configuration) {
    @Nullable
    Deserializer<K> keys = configuration.getKeyDeserializer().orElse(null);
    @Nullable
    Deserializer<V> values = configuration.getValueDeserializer().orElse(null);
    if ((keys == null) != (values == null)) {
      throw new ConfigurationException("Both the [keyDeserializer] and [valueDeserializer] must be set when setting"
          + " either");
    }
    Properties config = configuration.getConfig();
    try {
      return new DecantConsumer<>(config, keys, values);
    } catch (KafkaException e) {
      throw Refusal.of("consumer", config, e);
    }
  }
}
