package dev.decant.faults;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Waits for conditions, with a deadline that is only there to end a hopeless test. */
final class Waits {
  private static final Duration DEADLINE = Duration.ofSeconds(90);
  private static final long LOOK_AGAIN_NANOS = 100_000_000;
  private static final Object CHANGE = new Object();

  private Waits() {}

  /** Something that somebody may wait for has changed, and can be seen by any thread. */
  static void changed() {
    synchronized (CHANGE) {
      CHANGE.notifyAll();
    }
  }

  static void until(String what, BooleanSupplier condition) throws InterruptedException {
    if (!isTrueWithin(DEADLINE, condition)) {
      throw new AssertionError(what + ": not within " + DEADLINE);
    }
  }

  static boolean isTrueWithin(Duration time, BooleanSupplier condition) throws InterruptedException {
    long deadline = System.nanoTime() + time.toNanos();
    synchronized (CHANGE) {
      while (!condition.getAsBoolean()) {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
          return false;
        }
        TimeUnit.NANOSECONDS.timedWait(CHANGE, Math.min(left, LOOK_AGAIN_NANOS)); // not all changes are told
      }
    }
    return true;
  }
}
