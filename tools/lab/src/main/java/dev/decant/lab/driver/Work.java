package dev.decant.lab.driver;

import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** The work of one client, opened by its {@link WorkType}. One thread at a time, except {@link #progress}. */
public interface Work extends AutoCloseable {

  /**
   * Works until enough records are done and the broker has confirmed them.
   *
   * @param records least number of records
   * @param deadlineNanos monotonic time at which to end instead
   * @return the number of records that were done
   * @throws Exception when the client fails
   */
  long run(long records, long deadlineNanos) throws Exception;

  /**
   * Returns the progress for the plot over time. Any thread.
   *
   * @return records since the start
   */
  long progress();

  /**
   * Returns a sum over every consumed value since the start: length, first and last byte.
   *
   * @return equal for two clients that have consumed the same records
   */
  long checksum();

  /**
   * Returns the latencies, see {@link WorkKind#latencyOf}.
   *
   * @return nanoseconds
   */
  Histogram latency();

  /**
   * Works until the client can be measured.
   *
   * @param amount least number of records and most time
   * @return the number of records that were done
   * @throws Exception when the client fails
   */
  default long warmUp(WorkSpec.Amount amount) throws Exception {
    return WarmUp.run(this::run, amount.warmUpRecords(), amount.warmUpMillis());
  }

  /** Resets the measurement after the warm-up. */
  default void begin() {
    latency().reset();
  }

  /**
   * Adds the figures that only this work has.
   *
   * @param records number of records since {@link #begin}
   * @param figures takes the figures, by the names of the lab's metrics
   */
  default void figures(long records, Map<String, Double> figures) {}

  /**
   * Works once more to find where the client allocates; no other measurement of this run is valid.
   *
   * @param records number of records to do
   * @return the largest sites
   * @throws Exception when the client fails
   */
  default List<AllocationSite> sites(long records) throws Exception {
    throw new UnsupportedOperationException("sites of allocation are looked for in the work there-and-back only");
  }

  @Override
  void close();
}
