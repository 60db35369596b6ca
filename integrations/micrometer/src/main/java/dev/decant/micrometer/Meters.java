package dev.decant.micrometer;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** What was made in one registry, to be removed from it again. Any thread. */
final class Meters {
  private final MeterRegistry registry;
  private final Tags tags;
  private final boolean buckets;
  // Under the monitor of this.
  private final Set<Meter> made = new LinkedHashSet<>();
  private boolean closed;

  /**
   * Prepares meters.
   *
   * @param registry takes them
   * @param tags of each
   * @param buckets whether timers publish the buckets of a histogram
   */
  Meters(MeterRegistry registry, Tags tags, boolean buckets) {
    this.registry = registry;
    this.tags = tags;
    this.buckets = buckets;
  }

  /** Null once this is closed: a listener that was removed may be told a last time, and must leave nothing behind. */
  synchronized <M extends Meter> @Nullable M make(BiFunction<MeterRegistry, Tags, M> register) {
    if (closed) {
      return null;
    }
    M meter = register.apply(registry, tags);
    made.add(meter);
    return meter;
  }

  /** Makes a timer, with more tags; null once this is closed. */
  @Nullable
  Timer timer(String name, String description, String... more) {
    return make((to, common) -> Timer.builder(name).description(description).tags(common).tags(more)
        .publishPercentileHistogram(buckets).register(to));
  }

  /** Makes several; none once this is closed. */
  @SafeVarargs
  final List<Meter> makeAll(BiFunction<MeterRegistry, Tags, Meter>... registers) {
    List<Meter> all = new ArrayList<>();
    for (BiFunction<MeterRegistry, Tags, Meter> register : registers) {
      Meter meter = make(register);
      if (meter != null) {
        all.add(meter);
      }
    }
    return all;
  }

  synchronized void remove(Meter meter) {
    made.remove(meter);
    registry.remove(meter);
  }

  synchronized void close() {
    closed = true;
    made.forEach(registry::remove);
    made.clear();
  }
}
