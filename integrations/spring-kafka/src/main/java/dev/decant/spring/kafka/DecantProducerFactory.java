package dev.decant.spring.kafka;

import dev.decant.kafka.apache.DecantProducer;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.Serializer;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.ProducerFactory;
import org.springframework.kafka.core.ProducerPostProcessor;

/**
 * Spring Kafka's producer factory with Decant's producers. Constructors, settings and the life of producers are those
 * of {@link DefaultKafkaProducerFactory}: one shared producer, or a cache of transactional ones.
 *
 * @param <K> type of keys
 * @param <V> type of values
 */
public class DecantProducerFactory<K, V> extends DefaultKafkaProducerFactory<K, V> {
  /** The application's; null before there is one. Written as the bean is made. */
  private @Nullable ClassLoader applicationLoader;

  /**
   * Makes a factory whose settings name the serializers.
   *
   * @param configs of the producers; a {@code transactional.id} becomes the prefix of theirs
   */
  public DecantProducerFactory(Map<String, Object> configs) {
    super(configs);
  }

  /**
   * Makes a factory with serializers that all producers share. The factory configures them.
   *
   * @param configs of the producers
   * @param keySerializer of keys; null to make the one that the settings name
   * @param valueSerializer of values; null to make the one that the settings name
   */
  public DecantProducerFactory(Map<String, Object> configs, @Nullable Serializer<K> keySerializer,
      @Nullable Serializer<V> valueSerializer) {
    super(configs, keySerializer, valueSerializer);
  }

  /**
   * Makes a factory with serializers that all producers share.
   *
   * @param configs of the producers
   * @param keySerializer of keys; null to make the one that the settings name
   * @param valueSerializer of values; null to make the one that the settings name
   * @param configureSerializers false if their owner has configured them
   */
  public DecantProducerFactory(Map<String, Object> configs, @Nullable Serializer<K> keySerializer,
      @Nullable Serializer<V> valueSerializer, boolean configureSerializers) {
    super(configs, keySerializer, valueSerializer, configureSerializers);
  }

  /**
   * Makes a factory with serializers for each producer. The factory configures them.
   *
   * @param configs of the producers
   * @param keySerializerSupplier makes those of keys; null to make the one that the settings name
   * @param valueSerializerSupplier makes those of values; null to make the one that the settings name
   */
  public DecantProducerFactory(Map<String, Object> configs,
      @Nullable Supplier<@Nullable Serializer<K>> keySerializerSupplier,
      @Nullable Supplier<@Nullable Serializer<V>> valueSerializerSupplier) {
    super(configs, keySerializerSupplier, valueSerializerSupplier);
  }

  /**
   * Makes a factory with serializers for each producer.
   *
   * @param configs of the producers
   * @param keySerializerSupplier makes those of keys; null to make the one that the settings name
   * @param valueSerializerSupplier makes those of values; null to make the one that the settings name
   * @param configureSerializers false if the suppliers configure them
   */
  public DecantProducerFactory(Map<String, Object> configs,
      @Nullable Supplier<@Nullable Serializer<K>> keySerializerSupplier,
      @Nullable Supplier<@Nullable Serializer<V>> valueSerializerSupplier, boolean configureSerializers) {
    super(configs, keySerializerSupplier, valueSerializerSupplier, configureSerializers);
  }

  @Override
  public void setApplicationContext(ApplicationContext applicationContext) {
    super.setApplicationContext(applicationContext);
    applicationLoader = applicationContext.getClassLoader();
  }

  /** Classes that the settings name are looked for where the application's are, as in Spring's factory. */
  @Override
  protected Producer<K, V> createRawProducer(Map<String, Object> rawConfigs) {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    ClassLoader own = applicationLoader;
    thread.setContextClassLoader(own == null ? getClass().getClassLoader() : own);
    try {
      Producer<K, V> producer = new DecantProducer<>(rawConfigs, getKeySerializer(), getValueSerializer());
      for (ProducerPostProcessor<K, V> processor : getPostProcessors()) {
        producer = processor.apply(producer);
      }
      return producer;
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  /**
   * Makes a factory of the same kind with other settings, as templates with settings of their own do.
   *
   * @param overrideProperties settings in place of those here, and in addition; null for none
   * @return with this factory's serializers, post-processors and listeners
   */
  @Override
  public ProducerFactory<K, V> copyWithConfigurationOverride(@Nullable Map<String, Object> overrideProperties) {
    Map<String, Object> configs = new HashMap<>(getConfigurationProperties());
    String prefix = getTransactionIdPrefix();
    if (prefix != null && !prefix.isBlank()) {
      configs.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, prefix);
    }
    if (overrideProperties != null) {
      configs.putAll(overrideProperties);
    }
    DecantProducerFactory<K, V> copy = new DecantProducerFactory<>(configs, getKeySerializerSupplier(),
        getValueSerializerSupplier(), isConfigureSerializers());
    copy.setPhysicalCloseTimeout((int) getPhysicalCloseTimeout().toSeconds());
    copy.setProducerPerThread(isProducerPerThread());
    copy.applicationLoader = applicationLoader;
    getPostProcessors().forEach(copy::addPostProcessor);
    getListeners().forEach(copy::addListener);
    return copy;
  }
}
