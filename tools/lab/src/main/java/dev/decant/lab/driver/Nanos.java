package dev.decant.lab.driver;

/** Durations that fit into a histogram. */
final class Nanos {
  /** Five minutes: no measurement waits longer. */
  static final long MOST = 300_000_000_000L;

  private Nanos() {}

  static long since(long startNanos) {
    return between(startNanos, System.nanoTime());
  }

  static long between(long startNanos, long endNanos) {
    return Math.clamp(endNanos - startNanos, 0, MOST);
  }
}
