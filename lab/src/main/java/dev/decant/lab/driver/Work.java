package dev.decant.lab.driver;

import org.HdrHistogram.Histogram;

/** One client at work on one scenario. One thread, but for {@link #progress}. */
interface Work extends AutoCloseable {
  /**
   * Works until enough records are done and the broker has confirmed them.
   *
   * @param records how many at least
   * @param deadlineNanos monotonic time at which to end instead
   * @return how many were done
   * @throws Exception when the client fails
   */
  long run(long records, long deadlineNanos) throws Exception;

  /**
   * How far it is, for the plot over time. Any thread.
   *
   * @return records since the start
   */
  long progress();

  /**
   * Sum over what was touched of every value since the start: length, first and last byte.
   *
   * @return equal for two clients that consumed the same
   */
  long checksum();

  /**
   * Producers: from send to acknowledgement, sampled. Consumers: one call of poll that returned records.
   *
   * @return nanoseconds; to be reset when the warm-up is over
   */
  Histogram latency();

  @Override
  void close();
}
