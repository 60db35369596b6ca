package dev.decant.micrometer;

import dev.decant.kafka.ClientStatus;
import dev.decant.time.Clock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A client's status, taken again when it is a second old: a registry reads its gauges one by one, and asking the loop
 * for each would wake it for each, or wait five seconds for each if it does not answer. Any thread.
 */
final class RecentStatus {
  private static final long MAX_AGE_NANOS = 1_000_000_000L;

  private final Supplier<ClientStatus> source;
  private final Clock clock;
  // Under the monitor of this.
  private @Nullable ClientStatus status;
  private long takenNanos;

  RecentStatus(Supplier<ClientStatus> source, Clock clock) {
    this.source = source;
    this.clock = clock;
  }

  synchronized ClientStatus get() {
    ClientStatus recent = status;
    if (recent == null || clock.nanoTime() - takenNanos >= MAX_AGE_NANOS) {
      recent = source.get();
      status = recent;
      takenNanos = clock.nanoTime(); // after it: what took five seconds is not to be repeated at once
    }
    return recent;
  }
}
