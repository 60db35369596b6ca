package dev.decant.spring.boot;

import dev.decant.kafka.apache.DecantConsumer;
import dev.decant.kafka.apache.DecantProducer;
import dev.decant.kafka.client.KafkaClient;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;

/**
 * Decant's clients of the application, for health and the endpoint. It holds them weakly, so a client that was dropped
 * or closed is forgotten. Any thread.
 */
final class OpenClients {
  static final String PRODUCER = "producer";
  static final String CONSUMER = "consumer";
  static final String NATIVE = "native";

  // Under the monitor of this.
  private final Map<KafkaClient, Label> clients = new WeakHashMap<>();

  private record Label(String kind, String id) {}

  /**
   * A client that is open.
   *
   * @param kind producer, consumer or native
   * @param id Kafka's {@code client.id}
   * @param client asked for its status
   */
  record Open(String kind, String id, KafkaClient client) {}

  synchronized void add(String kind, String id, KafkaClient client) {
    clients.put(client, new Label(kind, id));
  }

  /** Notes the producer's client, if it is Decant's, and returns the producer. */
  <K, V> Producer<K, V> producer(Producer<K, V> producer) {
    if (producer instanceof DecantProducer<K, V> own) {
      add(PRODUCER, id(own.metrics()), own.client());
    }
    return producer;
  }

  /** Notes the consumer's client, if it is Decant's, and returns the consumer. */
  <K, V> Consumer<K, V> consumer(Consumer<K, V> consumer) {
    if (consumer instanceof DecantConsumer<K, V> own) {
      add(CONSUMER, id(own.metrics()), own.client());
    }
    return consumer;
  }

  /** With the number that a client makes up for itself where the settings name none. */
  private static String id(Map<MetricName, ? extends Metric> metrics) {
    return metrics.keySet().stream().map(name -> name.tags().getOrDefault("client-id", "")).filter(id -> !id.isEmpty())
        .findFirst().orElse("unknown");
  }

  /** In the order of their ids. */
  List<Open> open() {
    List<Open> open = new ArrayList<>();
    synchronized (this) {
      clients.forEach((client, label) -> open.add(new Open(label.kind(), label.id(), client)));
    }
    open.removeIf(each -> !each.client().status().open());
    open.sort(Comparator.comparing(Open::kind).thenComparing(Open::id));
    return open;
  }
}
