package dev.decant.lab.stress;

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * All samples of one client in one scenario and size. Every figure is the median of its samples.
 *
 * @param scenario {@code produce} or {@code consume}
 * @param recordSize length of a value, in bytes
 * @param client name of the client
 * @param samples at least one sample
 */
public record Row(String scenario, int recordSize, String client, List<Sample> samples) {

  /**
   * Returns the median of a figure over all samples.
   *
   * @param figure returns the figure of a sample
   * @return the median
   */
  public double median(ToDoubleFunction<Sample> figure) {
    double[] sorted = samples.stream().mapToDouble(figure).sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /**
   * Returns the median of a percentile of the latency.
   *
   * @param percentile one of those that are kept
   * @return microseconds
   */
  public double latencyMicros(double percentile) {
    return median(sample -> sample.measured().latencyMicrosAt(percentile));
  }

  /**
   * Returns the drift of the samples.
   *
   * @param figure returns the figure of a sample
   * @return ratio of the largest to the smallest; 1 for a single sample
   */
  public double drift(ToDoubleFunction<Sample> figure) {
    double[] values = samples.stream().mapToDouble(figure).sorted().toArray();
    return values[values.length - 1] / values[0];
  }

  /**
   * Returns the number of delivered records in all samples.
   *
   * @return records
   */
  public long delivered() {
    return samples.stream().mapToLong(Sample::delivered).sum();
  }

  /**
   * Returns the number of expected records in all samples.
   *
   * @return records
   */
  public long expected() {
    return samples.stream().mapToLong(Sample::expected).sum();
  }
}
