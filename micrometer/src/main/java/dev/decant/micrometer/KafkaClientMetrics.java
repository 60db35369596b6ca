package dev.decant.micrometer;

import dev.decant.kafka.KafkaClient;
import dev.decant.time.Clock;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.ArrayList;
import java.util.List;

/**
 * The meters of one client, all of them named {@code decant.kafka.*} and tagged with {@code client.id}.
 *
 * <p>Counters and gauges are read from the client when the registry reads them, and cost nothing in between. What only
 * the client's loop knows is asked for once a second at most, however many gauges there are; a loop that does not
 * answer within five seconds leaves its gauges NaN. Latencies are timed by listeners, a batch or a request at a time.
 *
 * <p>To be closed, before or after the client. Any thread.
 */
public final class KafkaClientMetrics implements MeterBinder, AutoCloseable {
  private final KafkaClient client;
  private final Tags tags;
  private final RecentStatus status;
  // Under the monitor of this.
  private final List<Binding> bindings = new ArrayList<>();
  private boolean closed;

  /**
   * Prepares the meters; {@link #bindTo} makes them.
   *
   * @param client to be measured
   * @param clientId value of the tag {@code client.id}, another for each client of a registry
   */
  public KafkaClientMetrics(KafkaClient client, String clientId) {
    this.client = client;
    tags = Tags.of("client.id", clientId);
    status = new RecentStatus(client::status, Clock.system());
  }

  /**
   * Makes the meters.
   *
   * @param registry takes them; more than one may, each once
   * @throws IllegalStateException when this is closed
   */
  @Override
  public synchronized void bindTo(MeterRegistry registry) {
    if (closed) {
      throw new IllegalStateException("these metrics are closed; make new ones for the client");
    }
    bindings.add(new Binding(new Meters(registry, tags), client, status));
  }

  /** Removes the listeners from the client and the meters from their registries. Again: does nothing. */
  @Override
  public synchronized void close() {
    closed = true;
    bindings.forEach(Binding::close);
    bindings.clear();
  }
}
