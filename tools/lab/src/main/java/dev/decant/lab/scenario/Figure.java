package dev.decant.lab.scenario;

import java.util.List;

/**
 * What a sample is measured by, and a bar can be about.
 *
 * @param <S> a sample
 */
public interface Figure<S> {

  /**
   * The name in bars and files.
   *
   * @return in snake case with its unit
   */
  String key();

  /**
   * The value.
   *
   * @param sample of a contender
   * @return not a number if it was not measured
   */
  double of(S sample);

  /**
   * Writes a value for people.
   *
   * @param value of this figure
   * @return with as many digits as it is worth; empty if it is not a number
   */
  String format(double value);

  /**
   * The median of several samples.
   *
   * @param samples of one contender
   * @return not a number if there are none
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
   * How far samples lie apart.
   *
   * @param samples of one contender
   * @return largest to smallest; not a number if there are not two of them
   */
  default double drift(List<S> samples) {
    double[] sorted = sorted(samples);
    return sorted.length < 2 ? Double.NaN : sorted[sorted.length - 1] / sorted[0];
  }

  private double[] sorted(List<S> samples) {
    return samples.stream().mapToDouble(this::of).sorted().toArray();
  }
}
