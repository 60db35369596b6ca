package dev.decant.lab.scenario;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A promise of a scenario: a figure of its first client, or that figure's ratio to another client's, stays below or
 * above a limit.
 *
 * @param text as in the file
 * @param metric which figure
 * @param atLeast true if it must not be below the limit, false if not above
 * @param limit of the figure or ratio
 * @param control whose figure it is compared with; empty for the figure itself
 */
public record Bar(String text, Metric metric, boolean atLeast, double limit, String control) {

  private static final Pattern FORM = Pattern
      .compile("(\\w+)\\s*(<=|>=)\\s*(\\d+(?:\\.\\d+)?)(?:\\s*/\\s*(\\d+(?:\\.\\d+)?))?(?:\\s+of\\s+(\\S+))?");

  /**
   * Reads a bar.
   *
   * @param text such as {@code cpu_us_per_record <= 1/5 of kafka-clients}
   * @return the bar
   * @throws IllegalArgumentException if it is none; the message says why
   */
  static Bar parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("\"" + text
          + "\" is no bar; write METRIC <= LIMIT or METRIC >= LIMIT, and then, for a ratio, of CLIENT");
    }
    double divisor = matcher.group(4) == null ? 1 : Double.parseDouble(matcher.group(4));
    if (divisor == 0) {
      throw new IllegalArgumentException("\"" + text + "\" divides by 0");
    }
    return new Bar(text, Metric.of(matcher.group(1)), matcher.group(2).equals(">="),
        Double.parseDouble(matcher.group(3)) / divisor, matcher.group(5) == null ? "" : matcher.group(5));
  }

  /**
   * Judges a value.
   *
   * @param value the figure, or the ratio to the control's
   * @param controlDrift largest to smallest of the control's own samples; 1 without a control
   * @return the verdict
   */
  Verdict judge(double value, double controlDrift) {
    if (Double.isNaN(value)) {
      return Verdict.NOT_MEASURED;
    }
    if (!control.isEmpty() && value > 0 && Math.max(value, 1 / value) <= controlDrift) {
      return Verdict.INCONCLUSIVE;
    }
    return (atLeast ? value >= limit : value <= limit) ? Verdict.MET : Verdict.NOT_MET;
  }

  /**
   * A bar as a run has judged it.
   *
   * @param bar the promise
   * @param value the figure, or the ratio to the control's; not a number if not measured
   * @param controlDrift largest to smallest of the control's own samples; 1 without a control
   * @param verdict what follows
   */
  public record Judged(Bar bar, double value, double controlDrift, Verdict verdict) {
    @Override
    public String toString() {
      String drift = bar.control.isEmpty()
          ? ""
          : String.format(Locale.ROOT, "  (its own samples differ %.2f times)", controlDrift);
      return String.format(Locale.ROOT, "%-12s  %-60s  measured %s%s", verdict.label(), bar.text, measured(), drift);
    }

    private String measured() {
      if (Double.isNaN(value)) {
        return "nothing";
      }
      return bar.control.isEmpty() ? bar.metric.format(value) : String.format(Locale.ROOT, "%.3f", value);
    }
  }
}
