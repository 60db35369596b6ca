package dev.decant.fix.store;

import java.time.Instant;
import java.util.concurrent.TimeUnit;

/** Converts times of records to classes of the JDK. */
final class EpochNanos {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private EpochNanos() {}

  static Instant instant(long epochNanos) {
    return Instant.ofEpochSecond(Math.floorDiv(epochNanos, SECOND), Math.floorMod(epochNanos, SECOND));
  }
}
