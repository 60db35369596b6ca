package dev.decant.micrometer;

import dev.decant.kafka.event.ErrorKind;
import dev.decant.kafka.event.ErrorListener;
import io.micrometer.core.instrument.Counter;
import java.util.EnumMap;
import java.util.Map;

/** Counts errors by their stable codes, from binding on; each code is there from the beginning, so rates begin at 0. */
final class ErrorCounters implements ErrorListener {
  private final Map<ErrorKind, Counter> counters = new EnumMap<>(ErrorKind.class);

  ErrorCounters(Meters meters) {
    for (ErrorKind kind : ErrorKind.values()) {
      Counter counter = meters.make((registry, tags) -> Counter.builder("decant.kafka.errors")
          .description("Errors, also those that the client repaired").tags(tags).tag("kind", kind.code())
          .register(registry));
      if (counter != null) {
        counters.put(kind, counter);
      }
    }
  }

  @Override
  public void onError(ErrorKind kind, String where, Throwable cause) {
    Counter counter = counters.get(kind);
    if (counter != null) {
      counter.increment();
    }
  }
}
