package dev.decant.faults;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits for conditions, with a deadline that is only there to end a hopeless test. */
final class Waits {
  private static final Duration DEADLINE = Duration.ofSeconds(90);
  private static final int LOOK_MILLIS = 5;

  private Waits() {}

  static void until(String what, BooleanSupplier condition) throws InterruptedException {
    long deadline = System.nanoTime() + DEADLINE.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError(what + ": not within " + DEADLINE);
      }
      Thread.sleep(LOOK_MILLIS);
    }
  }
}
