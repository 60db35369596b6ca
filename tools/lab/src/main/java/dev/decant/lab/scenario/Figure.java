package dev.decant.lab.scenario;

import java.util.List;

/**
 * A figure of samples, which a bar can limit.
 *
 * @param <S> a sample
 */
public interface Figure<S> {

  /**
   * Returns the name in bars and files.
   *
   * @return in snake case with its unit
   */
  String key();

  /**
   * Returns the value of a sample.
   *
   * @param sample sample of a contender
   * @return NaN if the figure was not measured
   */
  double of(S sample);

  /**
   * Formats a value for people.
   *
   * @param value a value of this figure
   * @return with as many digits as are significant; empty for NaN
   */
  String format(double value);

  /**
   * Returns the median of several samples.
   *
   * @param samples samples of one contender
   * @return NaN if there are none
   */
  default double median(List<S> samples) {
    double[] sorted = sorted(samples);
    int middle = sorted.length / 2;
    if (sorted.length == 0) {
      return Double.NaN;
    }
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /**
   * Returns the drift of samples.
   *
   * @param samples samples of one contender
   * @return ratio of the largest to the smallest; NaN if there are not two samples
   */
  default double drift(List<S> samples) {
    double[] sorted = sorted(samples);
    return sorted.length < 2 ? Double.NaN : sorted[sorted.length - 1] / sorted[0];
  }

  private double[] sorted(List<S> samples) {
    return samples.stream().mapToDouble(this::of).sorted().toArray();
  }
}
