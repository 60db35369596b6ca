package dev.decant.time;

/** Monotonic and epoch time. Implementations are thread-safe. */
public interface Clock {
  /**
   * Time for deadlines and durations; compare by difference, since it may overflow.
   *
   * @return nanoseconds since an arbitrary moment
   */
  long nanoTime();

  /**
   * Time for timestamps; may jump.
   *
   * @return milliseconds since the epoch
   */
  long epochMillis();

  /**
   * The clock of the machine.
   *
   * @return a shared instance
   */
  static Clock system() {
    return SystemClock.INSTANCE;
  }
}
