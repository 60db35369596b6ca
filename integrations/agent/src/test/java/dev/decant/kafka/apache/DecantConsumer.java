package dev.decant.kafka.apache;

import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.serialization.Deserializer;

/** Has the constructors of the real class. */
public final class DecantConsumer<K, V> extends MockConsumer<K, V> {
  /** What a constructor was given. */
  public final Object settings;

  public DecantConsumer(Map<String, Object> settings) {
    this((Object) settings);
  }

  public DecantConsumer(Properties settings) {
    this((Object) settings);
  }

  public DecantConsumer(Map<String, Object> settings, Deserializer<K> keys, Deserializer<V> values) {
    this((Object) settings);
  }

  public DecantConsumer(Properties settings, Deserializer<K> keys, Deserializer<V> values) {
    this((Object) settings);
  }

  Map<String, Object> tracedFields() {
    return Map.of("cluster", (Supplier<Cluster>) Cluster::empty);
  }

  private DecantConsumer(Object settings) {
    super("earliest");
    this.settings = Objects.requireNonNull(settings, "settings");
  }
}
