package dev.decant.opentelemetry;

import dev.decant.event.Registration;
import dev.decant.fix.FixEngine;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.metrics.BatchCallback;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.metrics.ObservableMeasurement;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The metrics of the sessions of one FIX engine. All begin with {@code decant.fix} and have the attributes
 * {@code decant.fix.engine} and {@code decant.fix.session}. The page "Operating FIX sessions" of Decant's documents
 * lists them. They are read from the sessions when metrics are collected, at no cost in between. Unknown values are not
 * recorded.
 */
@SuppressWarnings("exports") // a module that uses this class requires dev.decant.fix itself; others need not have it
public final class FixEngineMetrics {
  private FixEngineMetrics() {}

  /**
   * Makes the instruments and has them observed.
   *
   * @param engine to be measured, with the sessions that it has when metrics are collected
   * @param name value of {@code decant.fix.engine}, another for each engine
   * @param telemetry takes the metrics
   * @return ends it; collects nothing more, whether the engine is closed or not
   */
  public static Registration watch(FixEngine engine, String name, OpenTelemetry telemetry) {
    Meter meter = telemetry.getMeter("dev.decant.fix");
    SessionObserver observer = new SessionObserver(meter, engine, name);
    List<ObservableMeasurement> measurements = observer.measurements();
    BatchCallback callback = meter.batchCallback(observer::observe, measurements.getFirst(),
        measurements.subList(1, measurements.size()).toArray(ObservableMeasurement[]::new));
    AtomicBoolean ended = new AtomicBoolean();
    return () -> {
      if (ended.compareAndSet(false, true)) { // the SDK logs a warning for a callback that is closed twice
        callback.close();
      }
    };
  }
}
