package dev.decant.opentelemetry;

import dev.decant.kafka.event.ErrorKind;
import dev.decant.kafka.event.ErrorListener;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.LongCounter;
import io.opentelemetry.api.metrics.Meter;
import java.util.EnumMap;
import java.util.Map;

/** Counts errors by their stable codes, from watching on. */
final class ErrorCount implements ErrorListener {
  private final LongCounter counter;
  /** Not changed any more. */
  private final Map<ErrorKind, Attributes> byKind = new EnumMap<>(ErrorKind.class);

  ErrorCount(Meter meter, ClientAttributes attributes) {
    counter = meter.counterBuilder("decant.kafka.errors").setUnit("{error}")
        .setDescription("Errors, also those that the client repaired").build();
    for (ErrorKind kind : ErrorKind.values()) {
      byKind.put(kind, attributes.with(ClientAttributes.ERROR_TYPE, kind.code()));
    }
  }

  @Override
  public void onError(ErrorKind kind, String where, Throwable cause) {
    Attributes attributes = byKind.get(kind);
    if (attributes != null) {
      counter.add(1, attributes);
    }
  }
}
