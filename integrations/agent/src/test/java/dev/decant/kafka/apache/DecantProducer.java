package dev.decant.kafka.apache;

import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Has the constructors of the real class. */
public final class DecantProducer<K, V> extends MockProducer<K, V> {
  /** What a constructor was given. */
  public final Object settings;

  public DecantProducer(Map<String, Object> settings) {
    this((Object) settings);
  }

  public DecantProducer(Properties settings) {
    this((Object) settings);
  }

  public DecantProducer(Map<String, Object> settings, Serializer<K> keys, Serializer<V> values) {
    this((Object) settings);
  }

  public DecantProducer(Properties settings, Serializer<K> keys, Serializer<V> values) {
    this((Object) settings);
  }

  Map<String, Object> tracedFields() {
    return Map.of("clientId", "orders", "cluster", (Supplier<Cluster>) Cluster::empty);
  }

  @SuppressWarnings("unchecked")
  private DecantProducer(Object settings) {
    super(true, null, (Serializer<K>) new StringSerializer(), (Serializer<V>) new StringSerializer());
    if (settings instanceof Map<?, ?> map && map.containsKey("stand.in.lacks.class")) {
      throw new NoClassDefFoundError("dev/decant/kafka/client/KafkaClient");
    }
    this.settings = Objects.requireNonNull(settings, "settings");
  }
}
