package dev.decant.opentelemetry;

import dev.decant.event.Registration;
import dev.decant.kafka.client.KafkaClient;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.metrics.BatchCallback;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.metrics.ObservableMeasurement;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The metrics of one client. Those that OpenTelemetry's semantic conventions know have their names
 * ({@code messaging.client.sent.messages}, {@code messaging.client.consumed.messages},
 * {@code messaging.client.operation.duration}). Lag, assignment and rebalances have the names of OpenTelemetry's
 * instrumentation of Apache's client ({@code kafka.consumer.*}), all others begin with {@code decant.kafka}. Each has
 * the attributes {@code messaging.system} and {@code messaging.client.id}. The page "Observing" of Decant's documents
 * lists them.
 *
 * <p>Counters and gauges are observed: read from the client in one go when metrics are collected, at no cost in
 * between. Unknown values are not recorded. Durations are recorded by listeners, a batch or a request at a time.
 */
public final class KafkaClientMetrics {
  private KafkaClientMetrics() {}

  /**
   * Makes the instruments and has them observed.
   *
   * @param client to be measured
   * @param clientId value of {@code messaging.client.id}, another for each client
   * @param telemetry takes the metrics
   * @return ends it; collects nothing more, whether the client is closed or not
   */
  public static Registration watch(KafkaClient client, String clientId, OpenTelemetry telemetry) {
    Meter meter = telemetry.getMeter("dev.decant.kafka");
    ClientAttributes attributes = new ClientAttributes(clientId);
    StatisticObserver statistics = new StatisticObserver(meter, attributes, client);
    StatusObserver status = new StatusObserver(meter, attributes, client);
    ConsumerObserver consumers = new ConsumerObserver(meter, attributes, client::consumers);
    BatchCallback counted = batch(meter, statistics::observe, statistics.measurements());
    BatchCallback stands = batch(meter, status::observe, status.measurements());
    BatchCallback lags = batch(meter, consumers::observe, consumers.measurements());
    List<Registration> watching = List.of(
        client.events().watchProducers(new SendDuration(meter, attributes)),
        client.events().watchConnections(new ResponseDuration(meter, attributes)),
        client.events().watchErrors(new ErrorCount(meter, attributes)));
    AtomicBoolean ended = new AtomicBoolean();
    return () -> {
      if (ended.compareAndSet(false, true)) { // the SDK logs a warning for a callback that is closed twice
        counted.close();
        stands.close();
        lags.close();
        watching.forEach(Registration::close);
      }
    };
  }

  private static BatchCallback batch(Meter meter, Runnable observe, List<ObservableMeasurement> measurements) {
    return meter.batchCallback(observe, measurements.getFirst(),
        measurements.subList(1, measurements.size()).toArray(ObservableMeasurement[]::new));
  }
}
