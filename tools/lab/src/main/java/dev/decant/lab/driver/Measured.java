package dev.decant.lab.driver;

import dev.decant.lab.probe.RuntimeSnapshot;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/**
 * The measurement of one sample in one client's JVM.
 *
 * @param records number of records that were done
 * @param checksum sum over the bytes that were read, warm-up included
 * @param seconds wall time until the broker had confirmed everything
 * @param cpuSeconds processor time of the whole JVM
 * @param jitCpuSeconds the JIT compiler's part of it; negative if the system does not report it
 * @param allocatedBytes bytes on all threads
 * @param collections number of collections that stopped the application
 * @param pauseMillis total length of these pauses
 * @param latencyMicros see {@link Work#latency}, at the percentiles of {@link #PERCENTILES}
 * @param recordsPerSecond rate over time, in steps of 100 ms
 * @param switches voluntary context switches of threads that lived throughout; negative if the system does not report
 *     them
 * @param figures figures that only this work has, see {@link Work#figures}
 */
public record Measured(long records, long checksum, double seconds, double cpuSeconds, double jitCpuSeconds,
    long allocatedBytes, long collections, long pauseMillis, List<Double> latencyMicros, List<Long> recordsPerSecond,
    long switches, Map<String, Double> figures) {

  /** The name of the figure for the number of records in a transaction. */
  public static final String RECORDS_PER_TRANSACTION = "records_per_transaction";
  /** The percentiles of the latency that are kept; the last one is the maximum. */
  public static final List<Double> PERCENTILES = List.of(0.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.5, 99.9,
      99.95, 99.99, 100.0);

  static Measured between(RuntimeSnapshot before, RuntimeSnapshot after, long records, Work work, List<Long> timeline) {
    boolean jitKnown = before.jitCpuNanos() >= 0 && after.jitCpuNanos() >= 0;
    boolean switchesKnown = before.switches() >= 0 && after.switches() >= 0;
    Map<String, Double> figures = new TreeMap<>();
    work.figures(records, figures);
    figures.put("young_collections", (double) (after.youngCollections() - before.youngCollections()));
    figures.put("old_collections", (double) (after.oldCollections() - before.oldCollections()));
    return new Measured(records, work.checksum(), (after.wallNanos() - before.wallNanos()) / 1e9,
        (after.cpuNanos() - before.cpuNanos()) / 1e9,
        jitKnown ? (after.jitCpuNanos() - before.jitCpuNanos()) / 1e9 : -1,
        after.allocatedBytes() - before.allocatedBytes(), after.collections() - before.collections(),
        after.pauseMillis() - before.pauseMillis(), percentiles(work.latency()), timeline,
        switchesKnown ? after.switches() - before.switches() : -1, figures);
  }

  private static List<Double> percentiles(Histogram histogram) {
    List<Double> values = new ArrayList<>();
    for (double percentile : PERCENTILES) {
      values.add(histogram.getValueAtPercentile(percentile) / 1e3);
    }
    return values;
  }

  /**
   * Returns the latency at a percentile.
   *
   * @param percentile one of {@link #PERCENTILES}
   * @return microseconds
   */
  public double latencyMicrosAt(double percentile) {
    return latencyMicros.get(PERCENTILES.indexOf(percentile));
  }

  /**
   * Returns the name of the figure for a percentile of the wait waste, which is in microseconds.
   *
   * @param percentile one of {@link #PERCENTILES}
   * @return for example {@code wait_waste_p99_us}
   */
  public static String wasteAt(double percentile) {
    return "wait_waste_" + (percentile == 100
        ? "max"
        : "p" + BigDecimal.valueOf(percentile).stripTrailingZeros()
            .toPlainString().replace(".", ""))
        + "_us";
  }
}
