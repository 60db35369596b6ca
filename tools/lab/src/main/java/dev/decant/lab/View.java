package dev.decant.lab;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.decant.lab.report.Chart;
import dev.decant.lab.report.PollCharts;
import dev.decant.lab.report.ScenarioTable;
import dev.decant.lab.scenario.Metric;
import dev.decant.lab.scenario.Outcome;
import dev.decant.lab.scenario.ScenarioRun;
import java.util.List;

/** The output of a command for the scenarios that it has run. */
interface View {
  /** Returns the title of the page. */
  String title();

  /** Measures more while the cluster is still running. */
  default void after(ScenarioRun run, List<Outcome> outcomes) {}

  /** Returns the names of the figures that the live page shows for each sample, the main one first. */
  default List<String> shown() {
    return List.of(Metric.RECORDS_PER_S.key(), Metric.CPU_US_PER_RECORD.key(), Metric.BYTES_PER_RECORD.key(),
        Metric.COLLECTIONS.key(), Metric.P50_US.key(), Metric.P99_US.key());
  }

  /** Returns the lines behind the table. */
  default List<String> verdicts(List<Outcome> outcomes) {
    return outcomes.stream().flatMap(outcome -> outcome.bars().stream().map(bar -> outcome.scenario().name() + ": "
        + bar.toString().replaceAll("\\s+", " "))).toList();
  }

  /** Returns the table for the terminal. */
  default String table(List<Outcome> outcomes) {
    return ScenarioTable.of(outcomes);
  }

  /**
   * Returns the charts for the page above those of each scenario; by default those of poll sizes, if scenarios set
   * them.
   */
  default List<Chart> charts(List<Outcome> outcomes) {
    return PollCharts.of(outcomes);
  }

  /** Adds what only this command knows to the result file. */
  default void describe(List<Outcome> outcomes, ObjectNode root) {}
}
