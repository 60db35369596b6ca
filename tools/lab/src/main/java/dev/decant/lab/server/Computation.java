package dev.decant.lab.server;

/** Work for a processor that touches no memory: so many steps take as long in one JVM as in another. Any thread. */
public final class Computation {
  private static final int WARM_UP = 200;
  private static final int PROBES = 400;
  private static final long PROBE_STEPS = 20_000;

  /** Written by every computation, read by nobody: or the JIT compiler would drop the work. */
  static volatile long sink;

  private Computation() {}

  /**
   * Computes.
   *
   * @param steps how much
   */
  public static void run(long steps) {
    long value = steps;
    for (long i = 0; i < steps; i++) {
      value = (value ^ value << 13) * 0x9E3779B97F4A7C15L + i;
    }
    sink = value;
  }

  /**
   * Finds how many steps a processor of this machine does in a time, when nobody disturbs it.
   *
   * @param nanos how long they shall take
   * @return steps
   */
  public static long stepsIn(long nanos) {
    long best = Long.MAX_VALUE;
    for (int i = 0; i < WARM_UP + PROBES; i++) {
      long begin = System.nanoTime();
      run(PROBE_STEPS);
      long took = System.nanoTime() - begin;
      best = i < WARM_UP ? best : Math.min(best, took);
    }
    return Math.max(1, nanos * PROBE_STEPS / Math.max(1, best));
  }
}
