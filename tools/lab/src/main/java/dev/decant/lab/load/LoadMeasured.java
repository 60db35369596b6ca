package dev.decant.lab.load;

import dev.decant.lab.probe.ContextSwitches;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * What the load generator tells of one sample.
 *
 * @param seconds wall time
 * @param requests answered in it, of the connections shown
 * @param workRequests answered in it, of those that compute
 * @param latencyMicros from the moment a request is due to the last byte of its response, at {@link #PERCENTILES}
 * @param serverCpuSeconds processor time of the server's JVM
 * @param idlePercent of all processors; negative where the system does not tell
 * @param stolenPercent of all processors, by the hypervisor; negative where the system does not tell
 * @param othersPercent of all processors, by processes that do not belong to the measurement; negative where the system
 *     does not tell
 * @param switches of the server's threads
 */
public record LoadMeasured(double seconds, long requests, long workRequests, List<Double> latencyMicros,
    double serverCpuSeconds, double idlePercent, double stolenPercent, double othersPercent, ContextSwitches switches) {

  /** Which percentiles are kept; the last one is the maximum. */
  public static final List<Double> PERCENTILES = List.of(0.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.5, 99.9,
      100.0);

  static List<Double> percentiles(Histogram nanos) {
    return PERCENTILES.stream().map(percentile -> nanos.getValueAtPercentile(percentile) / 1e3).toList();
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
}
