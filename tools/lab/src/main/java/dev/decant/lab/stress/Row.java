package dev.decant.lab.stress;

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * All samples of one client in one scenario and size; every figure is the median of its samples.
 *
 * @param scenario {@code produce} or {@code consume}
 * @param recordSize length of a value, in bytes
 * @param client which
 * @param samples at least one
 */
public record Row(String scenario, int recordSize, String client, List<Sample> samples) {

  /**
   * The median of a figure.
   *
   * @param figure of one sample
   * @return over all samples
   */
  public double median(ToDoubleFunction<Sample> figure) {
    double[] sorted = samples.stream().mapToDouble(figure).sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /**
   * The median of a percentile of the latency.
   *
   * @param percentile one of those that are kept
   * @return microseconds
   */
  public double latencyMicros(double percentile) {
    return median(sample -> sample.measured().latencyMicrosAt(percentile));
  }

  /**
   * How far the samples lie apart.
   *
   * @param figure of one sample
   * @return largest to smallest; 1 for a single sample
   */
  public double drift(ToDoubleFunction<Sample> figure) {
    double[] values = samples.stream().mapToDouble(figure).sorted().toArray();
    return values[values.length - 1] / values[0];
  }

  /**
   * Delivered, in all samples together.
   *
   * @return records
   */
  public long delivered() {
    return samples.stream().mapToLong(Sample::delivered).sum();
  }

  /**
   * Expected, in all samples together.
   *
   * @return records
   */
  public long expected() {
    return samples.stream().mapToLong(Sample::expected).sum();
  }
}
