package dev.decant.lab.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.decant.lab.compare.Comparison;
import dev.decant.lab.compare.Conclusion;
import dev.decant.lab.scenario.Bar;
import dev.decant.lab.scenario.Outcome;
import java.util.List;
import java.util.Locale;

/** The result of {@code decant compare} for a terminal and for files: a line for each metric. */
public final class CompareTable {
  private CompareTable() {}

  /**
   * Draws the table.
   *
   * @param outcome outcome of the scenario
   * @param comparisons one comparison for each metric
   * @param a name of the first side
   * @param b name of the second side
   * @return many lines
   */
  public static String of(Outcome outcome, List<Comparison> comparisons, String a, String b) {
    StringBuilder text = new StringBuilder(outcome.scenario().title()).append('\n');
    text.append("A: ").append(a).append("\nB: ").append(b).append(", the control\n");
    if (!outcome.failure().isEmpty() && !outcome.isInterrupted()) {
      return text.append(outcome.ending()).append('\n').toString();
    }
    text.append(String.format(Locale.ROOT, "%-24s %14s %14s %8s %17s %8s %8s  %s%n",
        outcome.row(outcome.scenario().clients().getFirst()).samples().size() + " samples each", "A", "B", "A / B",
        "99 %", "A drifts", "B drifts", "A is"));
    for (Comparison each : comparisons) {
      text.append(String.format(Locale.ROOT, "%-24s %14s %14s %8.3f %8.3f-%8.3f %8.3f %8.3f  %s%n", each.metric().key(),
          each.metric().format(each.first()), each.metric().format(each.second()), each.ratio(), each.low(),
          each.high(), each.firstDrift(), each.controlDrift(), each.conclusion().label()));
    }
    comparisons.forEach(each -> text.append(each.sentence(a, b)).append('\n'));
    text.append("verdict: ").append(verdict(comparisons)).append('\n');
    for (Bar.Judged bar : outcome.bars()) {
      text.append(bar).append('\n');
    }
    return text.toString();
  }

  private static String verdict(List<Comparison> comparisons) {
    return Conclusion.of(comparisons.stream().map(Comparison::conclusion).toList()).label();
  }

  /**
   * Adds the comparisons to a result file.
   *
   * @param comparisons one comparison for each metric
   * @param a name of the first side
   * @param b name of the second side
   * @param root content of the result file
   */
  public static void describe(List<Comparison> comparisons, String a, String b, ObjectNode root) {
    root.put("verdict", verdict(comparisons));
    ArrayNode rows = root.putArray("comparisons");
    for (Comparison each : comparisons) {
      ObjectNode row = rows.addObject();
      row.put("a", a);
      row.put("b", b);
      row.put("metric", each.metric().key());
      row.put("conclusion", each.conclusion().label());
      ScenarioResultFile.put(row, "ratio", each.ratio());
      ScenarioResultFile.put(row, "low", each.low());
      ScenarioResultFile.put(row, "high", each.high());
      ScenarioResultFile.put(row, "a_drift", each.firstDrift());
      ScenarioResultFile.put(row, "b_drift", each.controlDrift());
      row.put("sentence", each.sentence(a, b));
    }
  }
}
