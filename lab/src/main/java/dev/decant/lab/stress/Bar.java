package dev.decant.lab.stress;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A promise about a ratio or a figure, and whether this run kept it.
 *
 * @param name which
 * @param value measured
 * @param limit promised
 * @param atLeast true if the value must not be below the limit, false if not above
 */
public record Bar(String name, double value, double limit, boolean atLeast) {

  private static final int SIZE = 100;

  /**
   * The bars of a run, which are set for values of 100 bytes.
   *
   * @param ratios of the run
   * @return none if there was nothing to compare
   */
  static List<Bar> of(List<Ratio> ratios) {
    List<Bar> bars = new ArrayList<>();
    for (Ratio ratio : ratios) {
      if (ratio.decant().recordSize() == SIZE) {
        String scenario = ratio.decant().scenario();
        boolean produce = scenario.equals("produce");
        bars.add(new Bar(scenario + ": CPU per record, to the peer's", ratio.cpu(), produce ? 0.25 : 1 / 3.0, false));
        bars.add(new Bar(scenario + ": records/s, to the peer's", ratio.recordsPerSecond(), produce ? 1.3 : 2, true));
        bars.add(new Bar(scenario + ": bytes allocated per record", ratio.decant().median(Sample::allocatedBytes), 1,
            false));
      }
    }
    return bars;
  }

  /**
   * Tells whether the promise was kept.
   *
   * @return true if so
   */
  public boolean isMet() {
    return atLeast ? value >= limit : value <= limit;
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "%-6s %-40s %6.3f  (%s %.3f)", isMet() ? "met" : "MISSED", name, value,
        atLeast ? "at least" : "at most", limit);
  }
}
