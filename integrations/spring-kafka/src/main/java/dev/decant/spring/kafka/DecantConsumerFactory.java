package dev.decant.spring.kafka;

import dev.decant.kafka.apache.DecantConsumer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.serialization.Deserializer;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.core.ConsumerPostProcessor;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;

/**
 * Spring Kafka's consumer factory with Decant's consumers. Constructors and settings are those of
 * {@link DefaultKafkaConsumerFactory}, and its listeners hear of each consumer.
 *
 * @param <K> type of keys
 * @param <V> type of values
 */
public class DecantConsumerFactory<K, V> extends DefaultKafkaConsumerFactory<K, V> {
  private boolean configures = true;
  private String beanName = "not.managed.by.Spring";

  /**
   * Makes a factory whose settings name the deserializers.
   *
   * @param configs of the consumers
   */
  public DecantConsumerFactory(Map<String, Object> configs) {
    super(configs);
  }

  /**
   * Makes a factory with deserializers that all consumers share. The factory configures them.
   *
   * @param configs of the consumers
   * @param keyDeserializer of keys; null to make the one that the settings name
   * @param valueDeserializer of values; null to make the one that the settings name
   */
  public DecantConsumerFactory(Map<String, Object> configs, @Nullable Deserializer<K> keyDeserializer,
      @Nullable Deserializer<V> valueDeserializer) {
    super(configs, keyDeserializer, valueDeserializer);
  }

  /**
   * Makes a factory with deserializers that all consumers share.
   *
   * @param configs of the consumers
   * @param keyDeserializer of keys; null to make the one that the settings name
   * @param valueDeserializer of values; null to make the one that the settings name
   * @param configureDeserializers false if their owner has configured them
   */
  public DecantConsumerFactory(Map<String, Object> configs, @Nullable Deserializer<K> keyDeserializer,
      @Nullable Deserializer<V> valueDeserializer, boolean configureDeserializers) {
    super(configs, keyDeserializer, valueDeserializer, configureDeserializers);
    configures = configureDeserializers;
  }

  /**
   * Makes a factory with deserializers for each consumer. The factory configures them.
   *
   * @param configs of the consumers
   * @param keyDeserializerSupplier makes those of keys; null to make the one that the settings name
   * @param valueDeserializerSupplier makes those of values; null to make the one that the settings name
   */
  public DecantConsumerFactory(Map<String, Object> configs,
      @Nullable Supplier<@Nullable Deserializer<K>> keyDeserializerSupplier,
      @Nullable Supplier<@Nullable Deserializer<V>> valueDeserializerSupplier) {
    super(configs, orNone(keyDeserializerSupplier), orNone(valueDeserializerSupplier));
  }

  /**
   * Makes a factory with deserializers for each consumer.
   *
   * @param configs of the consumers
   * @param keyDeserializerSupplier makes those of keys; null to make the one that the settings name
   * @param valueDeserializerSupplier makes those of values; null to make the one that the settings name
   * @param configureDeserializers false if the suppliers configure them
   */
  public DecantConsumerFactory(Map<String, Object> configs,
      @Nullable Supplier<@Nullable Deserializer<K>> keyDeserializerSupplier,
      @Nullable Supplier<@Nullable Deserializer<V>> valueDeserializerSupplier, boolean configureDeserializers) {
    super(configs, orNone(keyDeserializerSupplier), orNone(valueDeserializerSupplier), configureDeserializers);
    configures = configureDeserializers;
  }

  /** Spring's factory takes null here, and throws when it is asked for the deserializer. */
  private static <T> Supplier<@Nullable Deserializer<T>> orNone(
      @Nullable Supplier<@Nullable Deserializer<T>> supplier) {
    return supplier == null ? () -> null : supplier;
  }

  @Override
  public void setKeyDeserializerSupplier(@Nullable Supplier<@Nullable Deserializer<K>> keyDeserializerSupplier) {
    super.setKeyDeserializerSupplier(orNone(keyDeserializerSupplier));
  }

  @Override
  public void setValueDeserializerSupplier(@Nullable Supplier<@Nullable Deserializer<V>> valueDeserializerSupplier) {
    super.setValueDeserializerSupplier(orNone(valueDeserializerSupplier));
  }

  @Override
  public void setConfigureDeserializers(boolean configureDeserializers) {
    super.setConfigureDeserializers(configureDeserializers);
    configures = configureDeserializers;
  }

  @Override
  public void setBeanName(String name) {
    super.setBeanName(name);
    beanName = Objects.requireNonNull(name, "name");
  }

  /** As in Spring's factory, but listeners hear of Decant's consumers, where Spring warns that they do not. */
  @Override
  protected Consumer<K, V> createKafkaConsumer(Map<String, Object> configProps) {
    checkBootstrap(configProps);
    Consumer<K, V> consumer = createRawConsumer(configProps);
    for (ConsumerPostProcessor<K, V> processor : getPostProcessors()) {
      consumer = processor.apply(consumer);
    }
    return consumer;
  }

  @Override
  protected Consumer<K, V> createRawConsumer(Map<String, Object> configProps) {
    Deserializer<K> keys = configured(getKeyDeserializer(), configProps, true);
    Deserializer<V> values = configured(getValueDeserializer(), configProps, false);
    List<Listener<K, V>> listeners = getListeners();
    return listeners.isEmpty()
        ? new DecantConsumer<>(configProps, keys, values)
        : ObservedConsumer.open(configProps, keys, values, beanName, listeners);
  }

  private <T> @Nullable Deserializer<T> configured(@Nullable Deserializer<T> deserializer, Map<String, Object> configs,
      boolean isKey) {
    if (deserializer != null && configures) {
      deserializer.configure(configs, isKey);
    }
    return deserializer;
  }
}
