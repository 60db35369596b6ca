package dev.decant.lab.driver;

import dev.decant.lab.probe.RuntimeSnapshot;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/**
 * What one client's JVM tells of one sample.
 *
 * @param records done
 * @param checksum of what was touched, warm-up included
 * @param seconds wall time, until the broker had confirmed everything
 * @param cpuSeconds processor time of the whole JVM
 * @param jitCpuSeconds the JIT compiler's part of it; negative where the system does not tell
 * @param allocatedBytes on all threads
 * @param collections that stopped the application
 * @param pauseMillis of those
 * @param latencyMicros see {@link Work#latency}, at the percentiles of {@link #PERCENTILES}
 * @param recordsPerSecond over time, in steps of 100 ms
 * @param switches voluntary context switches of threads that lived throughout; negative where the system does not tell
 * @param figures what only this work measures, see {@link Work#figures}
 */
public record Measured(long records, long checksum, double seconds, double cpuSeconds, double jitCpuSeconds,
    long allocatedBytes, long collections, long pauseMillis, List<Double> latencyMicros, List<Long> recordsPerSecond,
    long switches, Map<String, Double> figures) {

  /** The figure that says how many records a transaction has. */
  public static final String RECORDS_PER_TRANSACTION = "records_per_transaction";
  /** Which percentiles of the latency are kept; the last one is the maximum. */
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
   * Looks a percentile up.
   *
   * @param percentile one of {@link #PERCENTILES}
   * @return microseconds
   */
  public double latencyMicrosAt(double percentile) {
    return latencyMicros.get(PERCENTILES.indexOf(percentile));
  }

  /**
   * The name of a percentile of the wait waste among the figures.
   *
   * @param percentile one of {@link #PERCENTILES}
   * @return of a value in microseconds
   */
  public static String wasteAt(double percentile) {
    return "wait_waste_" + (percentile == 100
        ? "max"
        : "p" + BigDecimal.valueOf(percentile).stripTrailingZeros()
            .toPlainString().replace(".", ""))
        + "_us";
  }
}
