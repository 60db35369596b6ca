package dev.decant.lab.carriers;

import dev.decant.lab.load.LoadMeasured;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * The advantage of one setup over another at the same load: the geometric mean over requests per second, p99 and, if
 * there is one, the throughput of the computations. A setup that does fewer computations gains nothing: it responds
 * sooner by doing less. A figure counts only if it exceeds the samples' own drift.
 */
final class Gain {
  /** Medians that are closer together count as equal, since a single sample does not show its drift. */
  private static final double LEAST_EFFECT = 1.1;

  private Gain() {}

  /**
   * Returns a value above 1 if the candidate is better, below 1 if it is worse (0 if computations starve), and 1
   * without a significant difference.
   */
  static double of(CarriersRow candidate, CarriersRow baseline) {
    List<Double> ratios = new ArrayList<>();
    ratios.add(ratio(candidate, baseline, CarriersRow::requestsPerSecond));
    ratios.add(1 / ratio(candidate, baseline, Gain::p99));
    if (candidate.setup().load() == LoadKind.MIXED) {
      double work = ratio(candidate, baseline, CarriersRow::workRequestsPerSecond);
      if (work < 1) {
        return 0;
      }
      ratios.add(work);
    }
    return geometricMean(ratios);
  }

  private static double p99(LoadMeasured sample) {
    return sample.latencyMicrosAt(99);
  }

  /** Returns the ratio of the candidate's figure to the baseline's; 1 if it does not exceed the drift of either. */
  private static double ratio(CarriersRow candidate, CarriersRow baseline, ToDoubleFunction<LoadMeasured> figure) {
    double ratio = candidate.median(figure) / baseline.median(figure);
    double noise = Math.max(LEAST_EFFECT, Math.max(candidate.drift(figure), baseline.drift(figure)));
    return Math.max(ratio, 1 / ratio) <= noise ? 1 : ratio;
  }

  static double geometricMean(List<Double> ratios) {
    return Math.exp(ratios.stream().mapToDouble(Math::log).average().orElse(0));
  }
}
