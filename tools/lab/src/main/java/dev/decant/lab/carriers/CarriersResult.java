package dev.decant.lab.carriers;

import dev.decant.lab.load.LoadMeasured;
import java.util.List;
import java.util.Locale;

/**
 * What a run has found.
 *
 * @param plan what was to be done
 * @param workSteps of a request that computes
 * @param rows in the order of the plan, without setups that failed
 * @param failures one line for each server that failed, and was left out from then on
 */
public record CarriersResult(CarriersPlan plan, long workSteps, List<CarriersRow> rows, List<String> failures) {

  private static final double MUCH_PERCENT = 10;

  /**
   * What this machine should use.
   *
   * @return one sentence, which says so if the figures were disturbed
   */
  public String advice() {
    String advice = Advice.of(rows, plan.cpus());
    return disturbance().isEmpty() ? advice : "Only until it is measured on a quiet machine: " + advice;
  }

  /**
   * Whether the figures are worth what they seem to be.
   *
   * @return one sentence if other processes were too busy; empty if not
   */
  public String disturbance() {
    double[] others = rows.stream().flatMap(row -> row.samples().stream()).mapToDouble(LoadMeasured::othersPercent)
        .sorted().toArray();
    double median = others.length == 0 ? 0 : others[others.length / 2];
    return median < MUCH_PERCENT
        ? ""
        : String.format(Locale.ROOT,
            "Other processes used %.0f %% of the CPUs: measure again when the machine is quiet.",
            median);
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
