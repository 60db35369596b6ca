package dev.decant.lab.fix;

import java.util.List;

/**
 * What a run has found.
 *
 * @param setups that were to be measured, and can be on this machine
 * @param rows in the order of the plan, without setups that failed
 * @param failures one line for each engine and work that failed, and was left out from then on
 * @param leftOut one line for each mode that this machine cannot measure
 * @param interrupted whether somebody ended it before its plan was done
 */
public record FixResult(List<FixSetup> setups, List<FixRow> rows, List<String> failures, List<String> leftOut,
    boolean interrupted) {

  /**
   * The bars with what was measured.
   *
   * @return none if the run was interrupted
   */
  public List<FixVerdict> bars() {
    return interrupted ? List.of() : FixBars.judge(setups, rows);
  }
}
