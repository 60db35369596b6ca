package dev.decant.lab.carriers;

import java.util.List;

/**
 * What a run has found.
 *
 * @param plan what was to be done
 * @param workSteps of a request that computes
 * @param rows in the order of the plan, without setups that failed
 * @param failures one line for each server that failed, and was left out from then on
 */
public record CarriersResult(CarriersPlan plan, long workSteps, List<CarriersRow> rows, List<String> failures) {

  /**
   * What this machine should use.
   *
   * @return one sentence
   */
  public String advice() {
    return Advice.of(rows, plan.cpus());
  }

  /**
   * Whether lowering the carriers' priority helped.
   *
   * @return one sentence
   */
  public String priorityFinding() {
    return PriorityFinding.of(rows);
  }
}
