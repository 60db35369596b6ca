package dev.decant.fix.schedule;

/**
 * The times of a schedule around an instant, in nanoseconds since the epoch. {@link Long#MAX_VALUE} stands for "never",
 * {@link Long#MIN_VALUE} for a missing beginning.
 *
 * @param open the opening of the window that the instant is in, or of the next one
 * @param close the end of that window
 * @param sessionStart the start of the trading session that the instant belongs to
 * @param nextReset the next reset at a time of its own; never if there are none
 * @param lastEnd when the last window of the previous trading session ended
 */
public record ScheduleTimes(long open, long close, long sessionStart, long nextReset, long lastEnd) {
  /**
   * Returns true if the window is open.
   *
   * @param epochNanos the time, in nanoseconds since the epoch
   * @return true within the window that this knows
   */
  public boolean isOpen(long epochNanos) {
    return open <= epochNanos && epochNanos < close;
  }

  /**
   * Returns the next instant at which these times are no longer right.
   *
   * @param epochNanos the time, in nanoseconds since the epoch
   * @return the next opening, closing or reset
   */
  public long nextChange(long epochNanos) {
    return Math.min(epochNanos < open ? open : close, nextReset);
  }
}
