package dev.decant.lab.driver;

import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** One client at work, opened by its {@link WorkType}. One thread, but for {@link #progress}. */
public interface Work extends AutoCloseable {

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
   * Consumers: sum over what was touched of every value since the start: length, first and last byte.
   *
   * @return equal for two clients that consumed the same
   */
  long checksum();

  /**
   * See {@link WorkKind#latencyOf}.
   *
   * @return nanoseconds
   */
  Histogram latency();

  /**
   * Works until it can be measured.
   *
   * @param amount how much of it, and for how long at most
   * @return how many records were done
   * @throws Exception when the client fails
   */
  default long warmUp(WorkSpec.Amount amount) throws Exception {
    return WarmUp.run(this::run, amount.warmUpRecords(), amount.warmUpMillis());
  }

  /** Forgets what the warm-up has measured. */
  default void begin() {
    latency().reset();
  }

  /**
   * What only this work measures.
   *
   * @param records done since {@link #begin}
   * @param figures to add to, by the names of the lab's metrics
   */
  default void figures(long records, Map<String, Double> figures) {}

  /**
   * Works once more to find where the client allocates; nothing else that is measured then means anything.
   *
   * @param records to do
   * @return the largest sites
   * @throws Exception when the client fails
   */
  default List<AllocationSite> sites(long records) throws Exception {
    throw new UnsupportedOperationException("sites of allocation are looked for in the work there-and-back only");
  }

  @Override
  void close();
}
