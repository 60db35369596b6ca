package dev.decant.time;

/** Monotonic and epoch time. Implementations are thread-safe. */
public interface Clock {
  /**
   * Returns the time for deadlines and durations. Compare two times by their difference, because the value may
   * overflow.
   *
   * @return nanoseconds since an arbitrary moment
   */
  long nanoTime();

  /**
   * Returns the time for timestamps. It may jump forwards and backwards.
   *
   * @return milliseconds since the epoch
   */
  long epochMillis();

  /**
   * Returns the clock of the machine.
   *
   * @return a shared instance
   */
  static Clock system() {
    return SystemClock.INSTANCE;
  }
}
