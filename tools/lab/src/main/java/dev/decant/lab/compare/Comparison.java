package dev.decant.lab.compare;

import dev.decant.lab.scenario.Metric;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/**
 * Two sides compared by one metric. The sides take turns there and back, A-B-B-A: each sample of one side is taken next
 * to a sample of the other, so slow changes of the machine affect both.
 *
 * <p>The comparison computes the logarithm of A to B for each pair of samples. The ratio is the geometric mean over the
 * pairs. Its interval is that of Student's t distribution at 99 %, with one degree of freedom less than there are
 * pairs. The conclusion is:
 * <ul>
 * <li><b>same</b>: the whole interval is within the margin around 1;
 * <li><b>better</b>, <b>worse</b>: the interval does not contain 1, and the ratio is farther from 1 than the samples of
 * the sides are from each other, which is A's largest to smallest (its <em>drift</em>) times B's;
 * <li><b>inconclusive</b>: all other cases. The interval alone would report a difference in one comparison of equal
 * clients in a hundred, and disturbed samples do not follow one distribution; the second condition covers both.
 * </ul>
 *
 * @param metric the metric
 * @param first median of side A
 * @param second median of side B
 * @param ratio ratio of A to B
 * @param low lower end of the ratio's interval
 * @param high upper end of the ratio's interval
 * @param firstDrift ratio of A's largest sample to its smallest
 * @param controlDrift the same ratio for B, the control
 * @param conclusion conclusion about A
 */
public record Comparison(Metric metric, double first, double second, double ratio, double low, double high,
    double firstDrift, double controlDrift, Conclusion conclusion) {

  /** Half of the interval in standard errors, by degrees of freedom from 1: 99.5 % of the distribution are below. */
  private static final double[] T = {63.657, 9.925, 5.841, 4.604, 4.032, 3.707, 3.499, 3.355, 3.250, 3.169, 3.106,
      3.055, 3.012, 2.977, 2.947, 2.921, 2.898, 2.878, 2.861, 2.845};

  /**
   * Compares samples.
   *
   * @param metric metric of the samples
   * @param a samples of the first side, in the order in which they were taken
   * @param b as many samples of the second side, the control
   * @param margin largest difference of sides that count as the same: 0.05 is 5 %
   * @return inconclusive, without an interval, if there are fewer than two pairs or a value is not above 0
   */
  public static Comparison of(Metric metric, List<Double> a, List<Double> b, double margin) {
    int pairs = Math.min(a.size(), b.size());
    double first = a.isEmpty() ? Double.NaN : median(a);
    double second = b.isEmpty() ? Double.NaN : median(b);
    if (pairs < 2 || !positive(a) || !positive(b)) {
      return new Comparison(metric, first, second, first / second, Double.NaN, Double.NaN, Double.NaN, Double.NaN,
          Conclusion.INCONCLUSIVE);
    }
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < pairs; i++) {
      double logarithm = Math.log(a.get(i) / b.get(i));
      sum += logarithm;
      squares += logarithm * logarithm;
    }
    double mean = sum / pairs;
    double variance = Math.max(0, (squares - pairs * mean * mean) / (pairs - 1));
    double half = T[Math.min(pairs - 1, T.length) - 1] * Math.sqrt(variance / pairs);
    double firstDrift = drift(a);
    double controlDrift = drift(b);
    return new Comparison(metric, first, second, Math.exp(mean), Math.exp(mean - half), Math.exp(mean + half),
        firstDrift, controlDrift,
        conclude(metric, mean, half, Math.log1p(margin), Math.log(firstDrift * controlDrift)));
  }

  /** Returns the conclusion; all values are logarithms. */
  private static Conclusion conclude(Metric metric, double mean, double half, double margin, double drift) {
    if (mean - half >= -margin && mean + half <= margin) {
      return Conclusion.SAME;
    }
    if (Math.abs(mean) <= half || Math.abs(mean) <= drift) {
      return Conclusion.INCONCLUSIVE;
    }
    return mean > 0 == metric.isMoreBetter() ? Conclusion.BETTER : Conclusion.WORSE;
  }

  private static boolean positive(List<Double> values) {
    return values.stream().allMatch(value -> value > 0 && Double.isFinite(value));
  }

  private static double drift(List<Double> values) {
    return Collections.max(values) / Collections.min(values);
  }

  private static double median(List<Double> values) {
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /**
   * Returns the comparison as one sentence.
   *
   * @param a name of the first side
   * @param b name of the second side
   * @return the sentence for people
   */
  public String sentence(String a, String b) {
    return switch (conclusion) {
      case BETTER, WORSE -> String.format(Locale.ROOT, "%s is %s than %s by %s: %.3f times, 99 %% from %.3f to %.3f", a,
          conclusion.label(), b, metric.key(), ratio, low, high);
      case SAME -> String.format(Locale.ROOT, "%s and %s are the same by %s: 99 %% from %.3f to %.3f times", a, b,
          metric.key(), low, high);
      case INCONCLUSIVE -> String.format(Locale.ROOT, "inconclusive by %s: measure on a quieter machine or with more"
          + " --rounds", metric.key());
    };
  }
}
