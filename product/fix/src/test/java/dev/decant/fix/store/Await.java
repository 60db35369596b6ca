package dev.decant.fix.store;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for an effect of another thread, with a deadline. */
public final class Await {
  private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(20);
  private static final long PAUSE_NANOS = 100_000;

  private Await() {}

  /** Waits until a condition is fulfilled; fails after 20 seconds. */
  public static void until(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + DEADLINE_NANOS;
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("not in time: " + what);
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }
}
