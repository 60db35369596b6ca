package dev.decant.lab.server;

/** Work for a processor that touches no memory: a number of steps takes the same time in every JVM. Any thread. */
public final class Computation {
  private static final int WARM_UP = 200;
  private static final int PROBES = 400;
  private static final long PROBE_STEPS = 20_000;

  /**
   * Takes the result of every computation. It is never read; without it the JIT compiler would remove the computation.
   */
  static volatile long sink;

  private Computation() {}

  /**
   * Computes.
   *
   * @param steps number of steps
   */
  public static void run(long steps) {
    long value = steps;
    for (long i = 0; i < steps; i++) {
      value = (value ^ value << 13) * 0x9E3779B97F4A7C15L + i;
    }
    sink = value;
  }

  /**
   * Returns the number of steps that an idle processor of this machine does in a time.
   *
   * @param nanos duration of the steps
   * @return number of steps
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
