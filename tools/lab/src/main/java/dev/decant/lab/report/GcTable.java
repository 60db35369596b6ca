package dev.decant.lab.report;

import dev.decant.lab.scenario.Bar;
import dev.decant.lab.scenario.Metric;
import dev.decant.lab.scenario.Outcome;
import java.util.List;
import java.util.Locale;

/** The result of {@code decant gc} for a terminal: a line for each configuration, then two of them side by side. */
public final class GcTable {
  private static final List<Metric> METRICS = List.of(Metric.RECORDS_PER_S, Metric.RECORDS_PER_S_VARIATION_PERCENT,
      Metric.CPU_US_PER_RECORD, Metric.YOUNG_COLLECTIONS, Metric.OLD_COLLECTIONS, Metric.PAUSE_MS, Metric.ALLOCATED_MIB,
      Metric.P50_US, Metric.P999_US, Metric.MAX_US);

  private GcTable() {}

  /**
   * Draws the table.
   *
   * @param outcome outcome of the scenario
   * @param from the present configuration
   * @param to the configuration to change to
   * @return many lines
   */
  public static String of(Outcome outcome, String from, String to) {
    StringBuilder text = new StringBuilder(outcome.scenario().title()).append('\n');
    if (!outcome.failure().isEmpty()) {
      text.append(outcome.ending()).append('\n');
    }
    text.append(String.format(Locale.ROOT, "%-24s %11s %9s %8s %6s %5s %8s %13s %9s %9s %10s%n",
        "client, configuration",
        "records/s", "+- %", "CPU us", "young", "old", "pause ms", "allocated MiB", "p50 us", "p99.9 us", "max us"));
    int[] widths = {11, 9, 8, 6, 5, 8, 13, 9, 9, 10};
    for (String label : outcome.scenario().clients()) {
      text.append(String.format(Locale.ROOT, "%-24s", label));
      for (int i = 0; i < widths.length; i++) {
        Metric metric = METRICS.get(i);
        text.append(String.format(Locale.ROOT, " %" + widths[i] + "s", metric.format(outcome.median(label, metric))));
      }
      text.append('\n');
    }
    text.append("Medians of the samples. +-: standard deviation of the throughput of each tenth of a second. Latency: ")
        .append(outcome.scenario().work().latencyOf()).append(".\n\n");
    text.append(String.format(Locale.ROOT, "%-32s %24s %24s  %s%n", "from the first to the second", from, to,
        "improvement"));
    for (Metric metric : METRICS) {
      double before = outcome.median(from, metric);
      double after = outcome.median(to, metric);
      text.append(String.format(Locale.ROOT, "%-32s %24s %24s  %s%n", metric.key(), metric.format(before),
          metric.format(after), improvement(metric, before, after)));
    }
    for (Bar.Judged bar : outcome.bars()) {
      text.append(bar).append('\n');
    }
    return text.toString();
  }

  /**
   * Returns the improvement of a figure.
   *
   * @param metric the figure
   * @param before value in the first configuration
   * @param after value in the second one
   * @return per cent of the first value, negative for a loss; empty if it is 0 or was not measured
   */
  static String improvement(Metric metric, double before, double after) {
    double gain = 100 * (metric.isMoreBetter() ? after - before : before - after) / before;
    return Double.isFinite(gain) ? String.format(Locale.ROOT, "%+.1f %%", gain) : "";
  }
}
