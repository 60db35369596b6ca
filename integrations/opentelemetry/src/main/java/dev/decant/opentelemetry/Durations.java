package dev.decant.opentelemetry;

import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.api.metrics.Meter;
import java.util.List;

/** Histograms of durations, in seconds, with the buckets that the semantic conventions ask for. */
final class Durations {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final List<Double> BUCKETS = List.of(0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5,
      5.0, 7.5, 10.0);

  private Durations() {}

  static DoubleHistogram histogram(Meter meter, String name, String description) {
    return meter.histogramBuilder(name).setUnit("s").setDescription(description)
        .setExplicitBucketBoundariesAdvice(BUCKETS).build();
  }

  static double seconds(long nanos) {
    return nanos / NANOS_PER_SECOND;
  }
}
