package dev.decant.micrometer;

import dev.decant.fix.FixEngine;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.ArrayList;
import java.util.List;

/**
 * The meters of the sessions of one FIX engine, tagged with {@code engine} and {@code session}. All begin with
 * {@code decant.fix}. The page "Operating FIX sessions" of Decant's documents lists them. A session that is opened
 * later gets its meters then, and one that the engine forgets loses them.
 *
 * <p>Meters are read from the sessions when the registry reads them, once a second at most, and cost nothing in
 * between. Unknown values are NaN. To be closed, before or after the engine. Any thread.
 */
@SuppressWarnings("exports") // a module that uses this class requires dev.decant.fix itself; others need not have it
public final class FixEngineMetrics implements MeterBinder, AutoCloseable {
  private final FixEngine engine;
  private final Tags tags;
  // Under the monitor of this.
  private final List<SessionMeters> bindings = new ArrayList<>();
  private boolean closed;

  /**
   * Prepares the meters; {@link #bindTo} makes them.
   *
   * @param engine to be measured
   * @param name value of the tag {@code engine}, another for each engine of a registry
   */
  public FixEngineMetrics(FixEngine engine, String name) {
    this.engine = engine;
    tags = Tags.of("engine", name);
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
      throw new IllegalStateException("these metrics are closed; make new ones for the engine");
    }
    bindings.add(new SessionMeters(registry, tags, engine));
  }

  /** Removes the listener from the engine and the meters from their registries. Again: does nothing. */
  @Override
  public synchronized void close() {
    closed = true;
    bindings.forEach(SessionMeters::close);
    bindings.clear();
  }
}
