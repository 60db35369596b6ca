package dev.decant.fix.store;

import java.time.Instant;
import java.util.concurrent.TimeUnit;

/** Times of records, as the classes of the JDK have them. */
final class EpochNanos {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private EpochNanos() {}

  static Instant instant(long epochNanos) {
    return Instant.ofEpochSecond(Math.floorDiv(epochNanos, SECOND), Math.floorMod(epochNanos, SECOND));
  }
}
