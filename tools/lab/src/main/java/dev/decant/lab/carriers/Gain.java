package dev.decant.lab.carriers;

import dev.decant.lab.load.LoadMeasured;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * How much better one setup is than another at the same load: the geometric mean over requests per second, p99 and,
 * where there is one, the throughput of the computations. Nothing is gained where fewer computations are done: it is
 * easy to answer sooner by doing less. A figure counts only if it says more than the samples' own drift.
 */
final class Gain {
  /** Two medians that lie closer together than this are one; a single sample does not show its drift. */
  private static final double LEAST_EFFECT = 1.1;

  private Gain() {}

  /** Above 1 if better, below if worse (0 where computations starve), and 1 if nothing can be said. */
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

  /** The candidate's figure to the baseline's; 1 if that is not more than either drifts by itself. */
  private static double ratio(CarriersRow candidate, CarriersRow baseline, ToDoubleFunction<LoadMeasured> figure) {
    double ratio = candidate.median(figure) / baseline.median(figure);
    double noise = Math.max(LEAST_EFFECT, Math.max(candidate.drift(figure), baseline.drift(figure)));
    return Math.max(ratio, 1 / ratio) <= noise ? 1 : ratio;
  }

  static double geometricMean(List<Double> ratios) {
    return Math.exp(ratios.stream().mapToDouble(Math::log).average().orElse(0));
  }
}
