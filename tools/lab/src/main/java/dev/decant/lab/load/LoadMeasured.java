package dev.decant.lab.load;

import dev.decant.lab.probe.ContextSwitches;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * The load generator's measurement of one sample.
 *
 * @param seconds wall time
 * @param requests number of responses on the measured connections
 * @param workRequests number of responses on the computing connections
 * @param latencyMicros from the moment a request is due to the last byte of its response, at {@link #PERCENTILES}
 * @param serverCpuSeconds processor time of the server's JVM
 * @param idlePercent idle time of all processors; negative if the system does not report it
 * @param stolenPercent time of all processors that the hypervisor took; negative if the system does not report it
 * @param othersPercent time of all processors that other processes took; negative if the system does not report it
 * @param switches context switches of the server's threads
 */
public record LoadMeasured(double seconds, long requests, long workRequests, List<Double> latencyMicros,
    double serverCpuSeconds, double idlePercent, double stolenPercent, double othersPercent, ContextSwitches switches) {

  /** The percentiles that are kept; the last one is the maximum. */
  public static final List<Double> PERCENTILES = List.of(0.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.5, 99.9,
      100.0);

  static List<Double> percentiles(Histogram nanos) {
    return PERCENTILES.stream().map(percentile -> nanos.getValueAtPercentile(percentile) / 1e3).toList();
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
}
