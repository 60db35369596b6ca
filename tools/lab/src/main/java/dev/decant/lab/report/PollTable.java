package dev.decant.lab.report;

import dev.decant.lab.scenario.Metric;
import dev.decant.lab.scenario.Outcome;
import java.util.List;
import java.util.Locale;

/** The result of {@code decant poll} for a terminal: a line for each scenario and client. */
public final class PollTable {
  private static final List<Metric> METRICS = List.of(Metric.RECORDS_PER_S, Metric.CPU_US_PER_RECORD,
      Metric.JIT_CPU_US_PER_RECORD, Metric.SWITCHES_PER_RECORD, Metric.SWITCHES_PER_1000_POLLS, Metric.BYTES_PER_RECORD,
      Metric.RECORDS_PER_POLL, Metric.P50_US, Metric.P99_US);

  private PollTable() {}

  /**
   * Draws the table.
   *
   * @param outcomes one outcome for each size and mode
   * @return many lines
   */
  public static String of(List<Outcome> outcomes) {
    StringBuilder text = new StringBuilder();
    text.append(String.format(Locale.ROOT, "%-12s %-24s %10s %8s %8s %9s %11s %9s %8s %8s %9s  %s%n", "polls of",
        "client", "records/s", "CPU us", "JIT us", "switches", "switches", "alloc B", "records", "p50 us", "p99 us",
        "decant's CPU"));
    text.append(String.format(Locale.ROOT, "%-12s %-24s %10s %8s %8s %9s %11s %9s %8s %8s %9s%n", "", "", "", "/record",
        "/record", "/record", "/1000 polls", "/record", "/poll", "a poll", "a poll"));
    for (Outcome outcome : outcomes) {
      for (String client : outcome.scenario().clients()) {
        append(text, outcome, client);
      }
      if (!outcome.failure().isEmpty()) {
        text.append(outcome.scenario().name()).append(" ").append(outcome.ending()).append('\n');
      }
      outcome.bars().forEach(bar -> text.append("  ").append(bar).append('\n'));
    }
    return text
        .append("Medians of the samples. The last column is Decant's processor time per record to the client's.\n")
        .toString();
  }

  private static void append(StringBuilder text, Outcome outcome, String client) {
    text.append(String.format(Locale.ROOT, "%-12s %-24s", outcome.scenario().name(), client));
    int[] widths = {10, 8, 8, 9, 11, 9, 8, 8, 9};
    for (int i = 0; i < widths.length; i++) {
      Metric metric = METRICS.get(i);
      text.append(String.format(Locale.ROOT, " %" + widths[i] + "s", metric.format(outcome.median(client, metric))));
    }
    String first = outcome.scenario().clients().getFirst();
    double ratio = outcome.median(first, Metric.CPU_US_PER_RECORD) / outcome.median(client, Metric.CPU_US_PER_RECORD);
    text.append(client.equals(first) || Double.isNaN(ratio) ? "\n" : String.format(Locale.ROOT, "  %.3f%n", ratio));
  }
}
