package dev.decant.lab.scenario;

import dev.decant.lab.driver.WorkSpec;
import dev.decant.lab.stress.Row;
import dev.decant.lab.stress.Sample;
import java.util.ArrayList;
import java.util.List;

/**
 * The measurement of one scenario.
 *
 * @param scenario the scenario
 * @param samples samples in the order in which they were taken
 * @param failure reason of the failure; empty if the scenario was measured
 */
public record Outcome(Scenario scenario, List<Sample> samples, String failure) {

  /** The failure of a scenario that the user has interrupted. */
  public static final String INTERRUPTED = "interrupted";

  private static final List<Metric> LATENCIES = List.of(Metric.P50_US, Metric.P99_US, Metric.P999_US);

  /**
   * Returns true if the scenario was interrupted.
   *
   * @return true without a failure, but perhaps with fewer samples than planned
   */
  public boolean isInterrupted() {
    return failure.equals(INTERRUPTED);
  }

  /**
   * Describes a failure or interruption, for people.
   *
   * @return empty if there was none
   */
  public String ending() {
    return failure.isEmpty() || isInterrupted() ? failure : "failed: " + failure;
  }

  /**
   * Returns the samples of one client.
   *
   * @param label name of the client
   * @return the samples; perhaps none
   */
  public Row row(String label) {
    List<Sample> own = samples.stream().filter(sample -> sample.client().equals(label)).toList();
    return new Row(scenario.name(), own.isEmpty() ? 0 : own.getFirst().recordSize(), label, own);
  }

  /**
   * Returns the median of a figure.
   *
   * @param label name of the client
   * @param metric the figure
   * @return NaN if it was not measured
   */
  public double median(String label, Metric metric) {
    Row row = row(label);
    return row.samples().isEmpty() ? Double.NaN : row.median(metric::of);
  }

  /**
   * Returns the median of a figure that is no metric.
   *
   * @param label name of the client
   * @param name name among {@link dev.decant.lab.driver.Measured#figures}
   * @return NaN if it was not measured
   */
  public double figure(String label, String name) {
    Row row = row(label);
    return row.samples().isEmpty()
        ? Double.NaN
        : row.median(sample -> sample.measured().figures().getOrDefault(name, Double.NaN));
  }

  /**
   * Returns the median of a percentile of the latency.
   *
   * @param label name of the client
   * @param percentile one of those that are kept
   * @return microseconds; NaN if it was not measured
   */
  public double latencyMicros(String label, double percentile) {
    Row row = row(label);
    return row.samples().isEmpty() ? Double.NaN : row.latencyMicros(percentile);
  }

  /**
   * Judges the bars.
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

  /**
   * Returns true if the loop without a client measures the figure in the same way: latency compares only for records
   * that a caller waits for.
   */
  private boolean comparesWithBare(Figure<Sample> metric) {
    return metric == Metric.CPU_US_PER_RECORD || (LATENCIES.contains(metric) && scenario.work().waitsForEachRecord());
  }

  /** Returns the samples of a client for its bars; none if the scenario has failed. */
  private List<Sample> judgedSamples(String label) {
    return failure.isEmpty() ? row(label).samples() : List.of();
  }

  /**
   * Returns the bars that were missed.
   *
   * @return in the order of the file, without informational ones
   */
  public List<Bar.Judged> missedBars() {
    return bars().stream().filter(Bar.Judged::isMissed).toList();
  }

  /**
   * Returns the samples in which other records were delivered than expected.
   *
   * @return none in a sound run
   */
  public List<Sample> wrongDeliveries() {
    return samples.stream().filter(sample -> sample.delivered() != sample.expected()).toList();
  }
}
