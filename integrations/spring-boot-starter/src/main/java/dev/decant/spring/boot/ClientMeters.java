package dev.decant.spring.boot;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.micrometer.KafkaClientMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.List;

/** Binds the meters of native clients, and removes them with the context. Any thread. */
final class ClientMeters implements ClientWatcher, AutoCloseable {
  private final MeterRegistry registry;
  // Under the monitor of this.
  private final List<KafkaClientMetrics> bound = new ArrayList<>();

  ClientMeters(MeterRegistry registry) {
    this.registry = registry;
  }

  @Override
  public synchronized void opened(String name, KafkaClient client) {
    KafkaClientMetrics metrics = new KafkaClientMetrics(client, name);
    metrics.bindTo(registry);
    bound.add(metrics);
  }

  @Override
  public synchronized void close() {
    bound.forEach(KafkaClientMetrics::close);
    bound.clear();
  }
}
