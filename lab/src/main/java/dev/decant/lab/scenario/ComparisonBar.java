package dev.decant.lab.scenario;

/**
 * A bar of the comparison without scenarios, as a run has judged it.
 *
 * @param where work and size
 * @param bar with its verdict
 */
public record ComparisonBar(String where, Bar.Judged bar) {
  @Override
  public String toString() {
    return where + ": " + bar;
  }
}
