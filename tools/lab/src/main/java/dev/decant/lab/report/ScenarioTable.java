package dev.decant.lab.report;

import dev.decant.lab.jvm.JavaRuntime;
import dev.decant.lab.scenario.Bar;
import dev.decant.lab.scenario.Contender;
import dev.decant.lab.scenario.Metric;
import dev.decant.lab.scenario.Outcome;
import dev.decant.lab.stress.Row;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * The result of scenarios for a terminal: a table for each, a line for each metric, a column for each client, then the
 * bars.
 */
public final class ScenarioTable {
  private static final double SMALL = 0.001;
  private static final String EXPLANATION = """
      Medians of the samples. Ratios are those of the first client to the others. A bar is inconclusive when the
      samples of the client that it compares with differ by more than the two clients do. It is below bare when it
      asks for less than 1.1 times what bare-socket, a loop without a client, costs here. No run fails for these, nor
      for an informational bar.
      """;

  private ScenarioTable() {}

  /**
   * Draws the tables.
   *
   * @param outcomes outcomes of a run
   * @return many lines
   */
  public static String of(List<Outcome> outcomes) {
    StringBuilder text = new StringBuilder();
    outcomes.forEach(outcome -> append(text, outcome));
    text.append(EXPLANATION);
    return text.toString();
  }

  private static void append(StringBuilder text, Outcome outcome) {
    List<Contender> contenders = outcome.scenario().contenders();
    text.append(outcome.scenario().name()).append(": ").append(outcome.scenario().title()).append('\n');
    if (outcome.samples().isEmpty()) {
      text.append("  ").append(outcome.ending()).append("\n\n");
      return;
    }
    text.append(
        String.format(Locale.ROOT, "  %-24s", "median of " + outcome.row(contenders.getFirst().label()).samples()
            .size()));
    contenders.forEach(contender -> text.append(String.format(Locale.ROOT, " %22s", contender.label())));
    text.append(contenders.size() > 1 ? "  ratio\n" : "\n");
    appendJava(text, contenders);
    for (Metric metric : Metric.values()) {
      appendMetric(text, outcome, metric);
    }
    text.append(String.format(Locale.ROOT, "  %-24s", "delivered"));
    contenders.forEach(
        contender -> text.append(String.format(Locale.ROOT, " %22s", delivered(outcome.row(contender.label())))));
    text.append("\n  Latency: ").append(outcome.scenario().work().latencyOf()).append(".\n");
    if (!outcome.failure().isEmpty()) {
      text.append("  ").append(outcome.ending()).append('\n');
    }
    for (Bar.Judged bar : outcome.bars()) {
      text.append("  ").append(bar).append('\n');
    }
    text.append('\n');
  }

  /** Names each client's JVM if one client runs on another JVM than the lab. */
  private static void appendJava(StringBuilder text, List<Contender> contenders) {
    if (contenders.stream().anyMatch(contender -> contender.java() != null)) {
      text.append(String.format(Locale.ROOT, "  %-24s", "java"));
      contenders.forEach(contender -> text.append(String.format(Locale.ROOT, " %22s",
          Objects.requireNonNullElseGet(contender.java(), JavaRuntime::own).version())));
      text.append('\n');
    }
  }

  private static void appendMetric(StringBuilder text, Outcome outcome, Metric metric) {
    double[] values = outcome.scenario().contenders().stream()
        .mapToDouble(contender -> outcome.median(contender.label(), metric))
        .toArray();
    StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "  %-24s", metric.key()));
    StringBuilder ratios = new StringBuilder();
    boolean measured = false;
    for (int i = 0; i < values.length; i++) {
      measured |= !Double.isNaN(values[i]);
      line.append(String.format(Locale.ROOT, " %22s", metric.format(values[i])));
      if (i > 0 && Double.isFinite(values[0] / values[i])) {
        ratios.append("  ").append(ratio(metric, values[0], values[i]));
      }
    }
    if (measured) {
      text.append(line).append(ratios).append('\n');
    }
  }

  /** Formats a ratio; empty for one that would be shown as 0.000. */
  private static String ratio(Metric metric, double own, double other) {
    return own / other < SMALL
        ? "none against " + metric.format(other)
        : String.format(Locale.ROOT, "%.3f", own / other);
  }

  private static String delivered(Row row) {
    return row.delivered() == row.expected()
        ? "all " + row.delivered()
        : row.delivered() + " of " + row.expected();
  }
}
