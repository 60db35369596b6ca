package dev.decant.micrometer;

import dev.decant.time.Clock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A value of a client, taken again when it is a second old. A registry reads its gauges one by one, and need not go
 * through all of the client for each. Any thread.
 */
final class Recent<T> {
  private static final long MAX_AGE_NANOS = 1_000_000_000L;

  private final Supplier<T> source;
  private final Clock clock;
  // Under the monitor of this.
  private @Nullable T value;
  private long takenNanos;

  Recent(Supplier<T> source, Clock clock) {
    this.source = source;
    this.clock = clock;
  }

  synchronized T get() {
    T recent = value;
    return recent == null || clock.nanoTime() - takenNanos >= MAX_AGE_NANOS ? refresh() : recent;
  }

  /** Takes it now. */
  synchronized T refresh() {
    T fresh = source.get();
    value = fresh;
    takenNanos = clock.nanoTime(); // after it: a source that took long is not to be asked again at once
    return fresh;
  }
}
