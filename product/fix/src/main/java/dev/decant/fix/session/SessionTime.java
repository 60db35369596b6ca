package dev.decant.fix.session;

/** The time of a session, which its caller sets before each call. Owner of the session only. */
public final class SessionTime {
  private long nowNanos;
  private long epochNanos;

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

  /** Returns nanoseconds of the monotonic clock, for deadlines. */
  public long nowNanos() {
    return nowNanos;
  }

  /** Returns nanoseconds since the epoch, for timestamps. */
  public long epochNanos() {
    return epochNanos;
  }
}
