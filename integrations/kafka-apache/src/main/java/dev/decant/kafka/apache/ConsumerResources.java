package dev.decant.kafka.apache;

import dev.decant.kafka.client.KafkaClient;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.common.serialization.Deserializer;
import org.jspecify.annotations.Nullable;

/** The parts that a consumer makes when it is opened. It closes them at its end, or when its opening fails. */
final class ConsumerResources<K, V> {
  private @Nullable ConsumerMetrics metrics;
  private @Nullable ConsumerInterceptors<K, V> interceptors;
  private @Nullable Deserializer<K> keys;
  private @Nullable Deserializer<V> values;
  private List<ConsumerPartitionAssignor> assignors = List.of();
  private @Nullable SecuredClient client;

  KafkaClient make(ConsumerSettings settings, @Nullable Deserializer<K> givenKeys,
      @Nullable Deserializer<V> givenValues) {
    ConsumerMetrics made = new ConsumerMetrics(settings, settings.reporters());
    metrics = made;
    interceptors = new ConsumerInterceptors<>(settings.interceptors());
    keys = settings.deserializer(givenKeys, true);
    values = settings.deserializer(givenValues, false);
    assignors = settings.assignors();
    SecuredClient connected = settings.connect();
    client = connected;
    made.watch(connected.client());
    settings.config().logUnused();
    return connected.client();
  }

  private static <T> T made(@Nullable T part) {
    if (part == null) {
      throw new IllegalStateException("the consumer is not open");
    }
    return part;
  }

  ConsumerMetrics metrics() {
    return made(metrics);
  }

  ConsumerInterceptors<K, V> interceptors() {
    return made(interceptors);
  }

  Deserializer<K> keys() {
    return made(keys);
  }

  Deserializer<V> values() {
    return made(values);
  }

  List<ConsumerPartitionAssignor> assignors() {
    return assignors;
  }

  KafkaClient client() {
    return made(client).client();
  }

  /** Returns the application's objects, which may listen for the cluster's id. */
  List<Object> plugins() {
    List<Object> all = new ArrayList<>(metrics().registry().reporters());
    all.addAll(interceptors().all());
    all.add(keys());
    all.add(values());
    return all;
  }

  void close(FirstFailure first) {
    for (AutoCloseable part : new @Nullable AutoCloseable[] {client, interceptors, metrics, keys, values}) {
      if (part != null) {
        first.attempt(part::close);
      }
    }
  }

  /** Closes all parts after a failed opening. Further failures are added to its cause. */
  void closeAfter(Throwable cause) {
    FirstFailure first = new FirstFailure();
    close(first);
    first.addTo(cause);
  }
}
