package dev.decant.lab.driver;

/**
 * Makes a client slower by a known amount, to test whether a comparison finds the difference. The flag {@code
 * -Ddecant.lab.delay.us=5} delays each send by 5 µs. Without the flag this costs nothing.
 */
final class Delay {
  private static final long NANOS = 1000 * Long.getLong("decant.lab.delay.us", 0);

  private Delay() {}

  /** Waits on the processor: to park would take ten times as long as the delay. */
  static void pass() {
    if (NANOS > 0) {
      long begin = System.nanoTime();
      while (System.nanoTime() - begin < NANOS) {
        Thread.onSpinWait();
      }
    }
  }
}
