package dev.decant.lab.scenario;

import dev.decant.lab.driver.WorkSpec;
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

  /** The failure of a scenario that somebody did not want to wait for. */
  public static final String INTERRUPTED = "interrupted";

  private static final List<Metric> LATENCIES = List.of(Metric.P50_US, Metric.P99_US, Metric.P999_US);

  /**
   * Tells whether it was ended before its time.
   *
   * @return then it has no failure, but perhaps fewer samples than it should
   */
  public boolean isInterrupted() {
    return failure.equals(INTERRUPTED);
  }

  /**
   * How it went, for people.
   *
   * @return empty if well
   */
  public String ending() {
    return failure.isEmpty() || isInterrupted() ? failure : "failed: " + failure;
  }

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
   * The median of a figure that is no metric.
   *
   * @param label of the client
   * @param name among {@link dev.decant.lab.driver.Measured#figures}
   * @return not a number if it was not measured
   */
  public double figure(String label, String name) {
    Row row = row(label);
    return row.samples().isEmpty()
        ? Double.NaN
        : row.median(sample -> sample.measured().figures().getOrDefault(name, Double.NaN));
  }

  /**
   * The median of a percentile of the latency.
   *
   * @param label of the client
   * @param percentile one of those that are kept
   * @return microseconds; not a number if it was not measured
   */
  public double latencyMicros(String label, double percentile) {
    Row row = row(label);
    return row.samples().isEmpty() ? Double.NaN : row.latencyMicros(percentile);
  }

  /**
   * The bars with what was measured.
   *
   * @return in the order of the file
   */
  public List<Bar.Judged> bars() {
    String first = scenario.contenders().getFirst().label();
    List<Bar.Judged> judged = new ArrayList<>();
    for (Bar<Sample> bar : scenario.bars()) {
      judged.add(bar.judge(label -> judgedSamples(label.isEmpty() ? first : label),
          comparesWithBare(bar.metric()) ? judgedSamples(WorkSpec.BARE_SOCKET) : List.of()));
    }
    return judged;
  }

  /** Latencies only where the loop without a client measures the same way: one record that is waited for. */
  private boolean comparesWithBare(Figure<Sample> metric) {
    return metric == Metric.CPU_US_PER_RECORD || (LATENCIES.contains(metric) && scenario.work().waitsForEachRecord());
  }

  /** What a scenario that failed has measured is not judged. */
  private List<Sample> judgedSamples(String label) {
    return failure.isEmpty() ? row(label).samples() : List.of();
  }

  /**
   * The bars that this run has not kept, or not measured, without those that are informational.
   *
   * @return in the order of the file
   */
  public List<Bar.Judged> missedBars() {
    return bars().stream().filter(Bar.Judged::isMissed).toList();
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
