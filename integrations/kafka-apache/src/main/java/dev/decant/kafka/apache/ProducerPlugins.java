package dev.decant.kafka.apache;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.ClientUtils;
import org.apache.kafka.clients.producer.Partitioner;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.common.serialization.Serializer;
import org.jspecify.annotations.Nullable;

/**
 * The application's classes that a producer calls: serializers, interceptors and a partitioner. Classes that the
 * settings name are instantiated and configured as Apache's producer does.
 */
final class ProducerPlugins<K, V> {
  private final Serializer<K> keys;
  private final Serializer<V> values;
  private final List<ProducerInterceptor<K, V>> list;
  private final ProducerInterceptors<K, V> interceptors;
  private final @Nullable Partitioner partitioner;

  ProducerPlugins(ProducerOptions options, @Nullable Serializer<K> keys, @Nullable Serializer<V> values) {
    ProducerConfig config = options.config();
    Map<String, Object> clientId = Map.of(ProducerConfig.CLIENT_ID_CONFIG, options.clientId());
    List<@Nullable AutoCloseable> made = new ArrayList<>();
    try {
      this.partitioner = config.getConfiguredInstance(ProducerConfig.PARTITIONER_CLASS_CONFIG, Partitioner.class,
          clientId);
      made.add(partitioner);
      this.keys = keys == null
          ? made(config, ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, clientId, true, made)
          : given(config, ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, keys, made);
      this.values = values == null
          ? made(config, ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, clientId, false, made)
          : given(config, ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, values, made);
      this.list = interceptors(config);
    } catch (Throwable t) {
      AtomicReference<@Nullable Throwable> ignored = new AtomicReference<>();
      made.forEach(part -> QuietClose.close(part, "part of a producer that was not opened", ignored));
      throw t;
    }
    this.interceptors = new ProducerInterceptors<>(list);
  }

  @SuppressWarnings("unchecked") // the application says what its class serializes
  private static <T> Serializer<T> made(ProducerConfig config, String name, Map<String, Object> clientId,
      boolean isKey, List<@Nullable AutoCloseable> parts) {
    Serializer<T> serializer = config.getConfiguredInstance(name, Serializer.class);
    parts.add(serializer);
    serializer.configure(config.originals(clientId), isKey);
    return serializer;
  }

  private static <T> Serializer<T> given(ProducerConfig config, String name, Serializer<T> serializer,
      List<@Nullable AutoCloseable> parts) {
    parts.add(serializer);
    config.ignore(name);
    return serializer;
  }

  @SuppressWarnings("unchecked") // as above
  private static <K, V> List<ProducerInterceptor<K, V>> interceptors(ProducerConfig config) {
    return (List<ProducerInterceptor<K, V>>) ClientUtils.configuredInterceptors(config,
        ProducerConfig.INTERCEPTOR_CLASSES_CONFIG, ProducerInterceptor.class);
  }

  Serializer<K> keys() {
    return keys;
  }

  Serializer<V> values() {
    return values;
  }

  ProducerInterceptors<K, V> interceptors() {
    return interceptors;
  }

  /** Returns the partitioner; null for Apache's default. */
  @Nullable
  Partitioner partitioner() {
    return partitioner;
  }

  /** Returns the plug-ins that may listen for the cluster's id. */
  List<List<?>> clusterListeners() {
    return List.of(list, List.of(keys, values));
  }

  /** Closes the plug-ins; the first exception, if any, is stored in the reference. */
  void close(AtomicReference<@Nullable Throwable> failure) {
    interceptors.close();
    QuietClose.close(keys, "key serializer", failure);
    QuietClose.close(values, "value serializer", failure);
    QuietClose.close(partitioner, "partitioner", failure);
  }
}
