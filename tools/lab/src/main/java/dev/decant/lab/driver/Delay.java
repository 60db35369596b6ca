package dev.decant.lab.driver;

/**
 * A client that is slower by a known amount, to see whether a comparison finds that: the flag
 * {@code -Ddecant.lab.delay.us=5} makes each record that is sent wait so long. Without it this costs nothing.
 */
final class Delay {
  private static final long NANOS = 1000 * Long.getLong("decant.lab.delay.us", 0);

  private Delay() {}

  /** The thread keeps its processor: to park would take ten times as long. */
  static void pass() {
    if (NANOS > 0) {
      long begin = System.nanoTime();
      while (System.nanoTime() - begin < NANOS) {
        Thread.onSpinWait();
      }
    }
  }
}
