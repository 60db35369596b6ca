package dev.decant.lab.fix;

import java.util.concurrent.locks.LockSupport;

/** Waits for a moment, for engines that leave no work to their callers. */
final class Waits {
  private Waits() {}

  static void until(long nanos, Arrivals arrivals) throws InterruptedException {
    long ahead = nanos - System.nanoTime();
    while (ahead > 0) {
      LockSupport.parkNanos(ahead);
      arrivals.check();
      ahead = nanos - System.nanoTime();
    }
  }
}
