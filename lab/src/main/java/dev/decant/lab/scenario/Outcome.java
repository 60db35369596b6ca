package dev.decant.lab.scenario;

import dev.decant.lab.stress.Row;
import dev.decant.lab.stress.Sample;
import java.util.ArrayList;
import java.util.List;

/**
 * What a run has measured of one scenario.
 *
 * @param scenario which
 * @param samples in the order in which they were taken
 * @param failure why it could not be measured; empty if it could
 */
public record Outcome(Scenario scenario, List<Sample> samples, String failure) {

  /**
   * The samples of one client.
   *
   * @param label of the client
   * @return perhaps none
   */
  public Row row(String label) {
    List<Sample> own = samples.stream().filter(sample -> sample.client().equals(label)).toList();
    return new Row(scenario.name(), own.isEmpty() ? 0 : own.getFirst().recordSize(), label, own);
  }

  /**
   * The median of a figure.
   *
   * @param label of the client
   * @param metric which figure
   * @return not a number if it was not measured
   */
  public double median(String label, Metric metric) {
    Row row = row(label);
    return row.samples().isEmpty() ? Double.NaN : row.median(metric::of);
  }

  /**
   * The bars with what was measured.
   *
   * @return in the order of the file
   */
  public List<Bar.Judged> bars() {
    String subject = scenario.parties().getFirst().label();
    List<Bar.Judged> judged = new ArrayList<>();
    for (Bar bar : scenario.bars()) {
      double value = failure.isEmpty() ? median(subject, bar.metric()) : Double.NaN;
      double drift = 1;
      if (!bar.control().isEmpty() && !Double.isNaN(value)) {
        value /= median(bar.control(), bar.metric());
        drift = row(bar.control()).drift(bar.metric()::of);
      }
      judged.add(new Bar.Judged(bar, value, drift, bar.judge(value, drift)));
    }
    return judged;
  }

  /**
   * The bars that this run has not kept, or not measured.
   *
   * @return in the order of the file
   */
  public List<Bar.Judged> missedBars() {
    return bars().stream()
        .filter(bar -> bar.verdict() == Verdict.NOT_MET || bar.verdict() == Verdict.NOT_MEASURED).toList();
  }

  /**
   * Samples in which not exactly what was expected was delivered.
   *
   * @return none in a sound run
   */
  public List<Sample> wrongDeliveries() {
    return samples.stream().filter(sample -> sample.delivered() != sample.expected()).toList();
  }
}
