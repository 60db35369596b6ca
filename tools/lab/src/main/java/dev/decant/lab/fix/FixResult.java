package dev.decant.lab.fix;

import java.util.List;

/**
 * The result of a run.
 *
 * @param setups setups of the plan that this machine can measure
 * @param rows measured setups in the order of the plan, without those that failed
 * @param failures one line for each engine and work that failed, and was left out from then on
 * @param leftOut one line for each mode that this machine cannot measure
 * @param interrupted true if the run was ended before its plan was done
 */
public record FixResult(List<FixSetup> setups, List<FixRow> rows, List<String> failures, List<String> leftOut,
    boolean interrupted) {

  /**
   * Judges the bars by the measured rows.
   *
   * @return empty if the run was interrupted
   */
  public List<FixVerdict> bars() {
    return interrupted ? List.of() : FixBars.judge(setups, rows);
  }
}
