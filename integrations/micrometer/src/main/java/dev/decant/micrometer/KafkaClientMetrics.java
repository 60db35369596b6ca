package dev.decant.micrometer;

import dev.decant.kafka.client.ClientStatus;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.time.Clock;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.ArrayList;
import java.util.List;

/**
 * The meters of one client, tagged with {@code client.id}. Lag, assignment, rebalances and the counters of a topic have
 * the names of Micrometer's binder for Apache's client ({@code kafka.consumer.*}, {@code kafka.producer.topic.*}), and
 * no base unit, as there. All others begin with {@code decant.kafka}. The page "Observing" of Decant's documents lists
 * them.
 *
 * <p>Gauges of a partition are tagged with {@code group.id} ({@code none} without a group), {@code topic} and
 * {@code partition}. They are there while a consumer reads the partition.
 *
 * <p>Counters and gauges are read from the client when the registry reads them, gauges once a second at most, and cost
 * nothing in between. Unknown values are NaN. Latencies are timed by listeners, a batch or a request at a time.
 *
 * <p>To be closed, before or after the client. Any thread.
 */
public final class KafkaClientMetrics implements MeterBinder, AutoCloseable {
  private final KafkaClient client;
  private final Tags tags;
  private final Recent<ClientStatus> status;
  private final Recent<ConsumerLags> lags;
  // Under the monitor of this.
  private final List<Binding> bindings = new ArrayList<>();
  private boolean buckets;
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
    status = new Recent<>(client::status, Clock.system());
    lags = new Recent<>(() -> ConsumerLags.of(client.consumers()), Clock.system());
  }

  /**
   * Lets timers of later {@link #bindTo} calls publish the buckets of a histogram, from which Prometheus and the like
   * compute percentiles. Off by default: a timer has about 70 buckets. A {@code MeterFilter} of the registry may choose
   * others.
   *
   * @return this
   */
  public synchronized KafkaClientMetrics percentileHistograms() {
    buckets = true;
    return this;
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
    bindings.add(new Binding(new Meters(registry, tags, buckets), client, status, lags));
  }

  /** Removes the listeners from the client and the meters from their registries. Again: does nothing. */
  @Override
  public synchronized void close() {
    closed = true;
    bindings.forEach(Binding::close);
    bindings.clear();
  }
}
