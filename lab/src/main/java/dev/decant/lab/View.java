package dev.decant.lab;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.decant.lab.report.Chart;
import dev.decant.lab.report.ScenarioTable;
import dev.decant.lab.scenario.Outcome;
import dev.decant.lab.scenario.ScenarioRun;
import java.util.List;

/** What a command makes of the scenarios that it has run. */
interface View {
  /** The head of the page. */
  String title();

  /** Measures more while the cluster is still there. */
  default void after(ScenarioRun run, List<Outcome> outcomes) {}

  /** For the terminal. */
  default String table(List<Outcome> outcomes) {
    return ScenarioTable.of(outcomes);
  }

  /** For the page, above those of each scenario. */
  default List<Chart> charts(List<Outcome> outcomes) {
    return List.of();
  }

  /** Adds to the result file what only this command knows. */
  default void describe(List<Outcome> outcomes, ObjectNode root) {}
}
