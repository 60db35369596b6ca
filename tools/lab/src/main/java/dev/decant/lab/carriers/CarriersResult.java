package dev.decant.lab.carriers;

import dev.decant.lab.load.LoadMeasured;
import java.util.List;
import java.util.Locale;

/**
 * The result of a run.
 *
 * @param plan the plan
 * @param workSteps steps of a request that computes
 * @param rows measured setups in the order of the plan, without those that failed
 * @param failures one line for each server that failed, and was left out from then on
 */
public record CarriersResult(CarriersPlan plan, long workSteps, List<CarriersRow> rows, List<String> failures) {

  private static final double MUCH_PERCENT = 10;

  /**
   * Returns the advice for this machine.
   *
   * @return one sentence, which says so if the measurement was disturbed
   */
  public String advice() {
    String advice = Advice.of(rows, plan.cpus());
    return disturbance().isEmpty() ? advice : "Only until it is measured on a quiet machine: " + advice;
  }

  /**
   * Reports a disturbance of the measurement.
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
   * Reports the effect of a lower priority of the carriers.
   *
   * @return one sentence
   */
  public String priorityFinding() {
    return PriorityFinding.of(rows);
  }
}
