package dev.decant.lab.driver;

import dev.decant.lab.probe.CpuTimes;

/** Runs a client until the JIT compiler rests, so that no client is measured while the compiler works. */
public final class WarmUp {
  private static final long NEVER = 1L << 62;
  private static final int SLICES = 4;
  private static final int MOST_SLICES = 16;
  private static final int QUIET_SLICES = 2;
  /** The compiler rests when it takes less than this share of the processor time. */
  private static final double QUIET_SHARE = 0.02;

  private WarmUp() {}

  /** The work that is repeated. */
  @FunctionalInterface
  public interface Slice {
    /**
     * Works.
     *
     * @param records least number of records
     * @param deadlineNanos monotonic time at which to end instead
     * @return the number of records that were done
     * @throws Exception when the client fails
     */
    long run(long records, long deadlineNanos) throws Exception;
  }

  /**
   * Warms a client up.
   *
   * @param work the work to repeat
   * @param records least number of records
   * @param mostMillis most time, even if the compiler still works; 0 for no bound
   * @return the number of records that were done
   * @throws Exception when the client fails
   */
  public static long run(Slice work, long records, long mostMillis) throws Exception {
    CpuTimes before = CpuTimes.now(); // the first reading loads classes; take it before the clock starts
    long slice = Math.max(1, records / SLICES);
    long deadline = System.nanoTime() + (mostMillis == 0 ? NEVER : mostMillis * 1_000_000);
    long done = 0;
    int quiet = 0;
    for (int i = 0; i < MOST_SLICES && (i < SLICES || quiet < QUIET_SLICES) && isBefore(deadline); i++) {
      done += work.run(slice, deadline);
      CpuTimes after = CpuTimes.now();
      quiet = after.jitShareSince(before) <= QUIET_SHARE ? quiet + 1 : 0;
      before = after;
    }
    return done;
  }

  private static boolean isBefore(long deadlineNanos) {
    return System.nanoTime() - deadlineNanos < 0;
  }
}
