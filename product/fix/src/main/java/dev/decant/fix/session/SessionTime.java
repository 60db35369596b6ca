package dev.decant.fix.session;

/**
 * The time that a session goes by: set from outside before each call. Owner of the session only.
 */
public final class SessionTime {
  private long nowNanos;
  private long epochNanos;

  /** Makes a time of zero. */
  public SessionTime() {}

  /**
   * Sets the time.
   *
   * @param monotonicNanos nanoseconds of the monotonic clock, for deadlines
   * @param nanosSinceEpoch nanoseconds since the epoch, for timestamps
   */
  public void set(long monotonicNanos, long nanosSinceEpoch) {
    nowNanos = monotonicNanos;
    epochNanos = nanosSinceEpoch;
  }

  /**
   * Time for deadlines.
   *
   * @return nanoseconds of the monotonic clock
   */
  public long nowNanos() {
    return nowNanos;
  }

  /**
   * Time for timestamps.
   *
   * @return nanoseconds since the epoch
   */
  public long epochNanos() {
    return epochNanos;
  }
}
