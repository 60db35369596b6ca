package dev.decant.lab;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.decant.lab.report.Chart;
import dev.decant.lab.report.PollCharts;
import dev.decant.lab.report.ScenarioTable;
import dev.decant.lab.scenario.Metric;
import dev.decant.lab.scenario.Outcome;
import dev.decant.lab.scenario.ScenarioRun;
import java.util.List;

/** What a command makes of the scenarios that it has run. */
interface View {
  /** The head of the page. */
  String title();

  /** Measures more while the cluster is still there. */
  default void after(ScenarioRun run, List<Outcome> outcomes) {}

  /** Names of the figures that the live page shows of each sample, the main one first. */
  default List<String> shown() {
    return List.of(Metric.RECORDS_PER_S.key(), Metric.CPU_US_PER_RECORD.key(), Metric.BYTES_PER_RECORD.key(),
        Metric.COLLECTIONS.key(), Metric.P50_US.key(), Metric.P99_US.key());
  }

  /** What follows, a line each. */
  default List<String> verdicts(List<Outcome> outcomes) {
    return outcomes.stream().flatMap(outcome -> outcome.bars().stream().map(bar -> outcome.scenario().name() + ": "
        + bar.toString().replaceAll("\\s+", " "))).toList();
  }

  /** For the terminal. */
  default String table(List<Outcome> outcomes) {
    return ScenarioTable.of(outcomes);
  }

  /** For the page, above those of each scenario; usually what the size of polls costs, where scenarios set it. */
  default List<Chart> charts(List<Outcome> outcomes) {
    return PollCharts.of(outcomes);
  }

  /** Adds to the result file what only this command knows. */
  default void describe(List<Outcome> outcomes, ObjectNode root) {}
}
