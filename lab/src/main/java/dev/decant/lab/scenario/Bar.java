package dev.decant.lab.scenario;

import dev.decant.lab.stress.Row;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A promise of a scenario: a figure of one client, or that figure's ratio to another client's, stays below or above a
 * limit.
 *
 * @param text as it was written
 * @param informational true if it is judged and shown, but no run fails for it
 * @param subject whose figure it is; empty for the first client's
 * @param metric which figure
 * @param atLeast true if it must not be below the limit, false if not above
 * @param limit of the figure or ratio
 * @param control whose figure it is compared with; empty for the figure itself
 * @param difference true if the limit is of the difference to the control's figure, false if of the ratio
 */
public record Bar(String text, boolean informational, String subject, Metric metric, boolean atLeast, double limit,
    String control, boolean difference) {

  private static final String INFORMATIONAL = "informational";
  private static final String NUMBER = "(\\d+(?:\\.\\d+)?)(?:\\s*/\\s*(\\d+(?:\\.\\d+)?))?";
  /** A ratio below this would be 0.000 otherwise. */
  private static final double SMALL = 0.001;
  /** A bar that asks a client for less than this times what a bare loop costs says nothing of the client. */
  private static final double NEAR_BARE = 1.1;
  private static final String FIGURE = "([\\w.-]+)\\.(\\w+)";
  private static final Pattern FORM = Pattern
      .compile("(?:(\\S+)\\s+)?(?:([\\w.-]+)\\.)?(\\w+)\\s*(<=|>=)\\s*(\\S.*)");
  /** A limit, and perhaps whose figure it is a multiple of. */
  private static final Pattern LIMIT = Pattern.compile(NUMBER + "(?:\\s+of\\s+(\\S+))?");
  /** A limit of what is above another client's figure. */
  private static final Pattern DIFFERENCE = Pattern.compile(NUMBER + "\\s+more than\\s+(\\S+)");
  /** The same, as one writes it in arithmetic. */
  private static final Pattern PRODUCT = Pattern.compile("(?:" + NUMBER + "\\s*\\*\\s*)?" + FIGURE);

  /**
   * Reads a bar.
   *
   * @param text {@code cpu_us_per_record <= 1/5 of kafka-clients}, or the same as
   *     {@code decant.cpu_us_per_record <= 0.2 * kafka-clients.cpu_us_per_record}; {@code informational} may stand
   *     before it
   * @return the bar
   * @throws IllegalArgumentException if it is none; the message says why
   */
  public static Bar parse(String text) {
    Matcher form = FORM.matcher(text.strip());
    if (!form.matches()) {
      throw noBar(text);
    }
    if (form.group(1) != null && !form.group(1).equals(INFORMATIONAL)) {
      throw new IllegalArgumentException("\"" + form.group(1) + "\" stands before a metric; only " + INFORMATIONAL
          + " may, for a bar that no run fails for");
    }
    boolean informational = form.group(1) != null;
    String subject = form.group(2) == null ? "" : form.group(2);
    Metric metric = Metric.of(form.group(3));
    boolean atLeast = form.group(4).equals(">=");
    Matcher difference = DIFFERENCE.matcher(form.group(5));
    if (difference.matches()) {
      return new Bar(text, informational, subject, metric, atLeast, quotient(text, difference), difference.group(3),
          true);
    }
    Matcher limit = LIMIT.matcher(form.group(5));
    if (limit.matches()) {
      String control = limit.group(3) == null ? "" : limit.group(3);
      return new Bar(text, informational, subject, metric, atLeast, quotient(text, limit), control, false);
    }
    Matcher product = PRODUCT.matcher(form.group(5));
    if (!product.matches()) {
      throw noBar(text);
    }
    if (Metric.of(product.group(4)) != metric) {
      throw new IllegalArgumentException("\"" + text + "\" compares two metrics; both sides must have the same");
    }
    return new Bar(text, informational, subject, metric, atLeast, quotient(text, product), product.group(3), false);
  }

  /** The first two groups: a number, and perhaps what it is divided by. */
  private static double quotient(String text, Matcher matcher) {
    double divisor = matcher.group(2) == null ? 1 : Double.parseDouble(matcher.group(2));
    if (divisor == 0) {
      throw new IllegalArgumentException("\"" + text + "\" divides by 0");
    }
    return matcher.group(1) == null ? 1 : Double.parseDouble(matcher.group(1)) / divisor;
  }

  private static IllegalArgumentException noBar(String text) {
    return new IllegalArgumentException(
        "\"" + text + "\" is no bar; write METRIC <= LIMIT or METRIC >= LIMIT, and then,"
            + " for a ratio, of CLIENT, or for a difference,"
            + " more than CLIENT; or CLIENT.METRIC <= LIMIT * CLIENT.METRIC");
  }

  /**
   * Refuses a bar that names a client which is not there.
   *
   * @param clients that there are
   * @throws IllegalArgumentException if so; the message lists them
   */
  public void check(List<String> clients) {
    for (String named : List.of(subject, control)) {
      if (!named.isEmpty() && !clients.contains(named)) {
        throw new IllegalArgumentException("there is no client " + named + "; there are " + String.join(", ", clients));
      }
    }
  }

  /** Whether all clients that it names are there. */
  boolean isOf(List<String> clients) {
    return Stream.of(subject, control).allMatch(named -> named.isEmpty() || clients.contains(named));
  }

  /**
   * Judges what was measured.
   *
   * @param own samples of the subject; none if it was not measured
   * @param other samples of the control; of no matter without a control
   * @param bare samples of a loop without a client; none if there is none whose figure compares
   * @return the verdict with its figures
   */
  public Judged judge(Row own, Row other, Row bare) {
    if (difference) {
      double above = own.samples().isEmpty() || other.samples().isEmpty()
          ? Double.NaN
          : own.median(metric::of) - other.median(metric::of);
      return new Judged(this, above, 1, Double.NaN, verdict(above, 1, Double.NaN));
    }
    double value = own.samples().isEmpty() ? Double.NaN : own.median(metric::of);
    double drift = 1;
    double floor = bare.samples().isEmpty() ? Double.NaN : bare.median(metric::of);
    if (!control.isEmpty() && !Double.isNaN(value)) {
      value = other.samples().isEmpty() ? Double.NaN : value / other.median(metric::of);
      drift = other.samples().size() < 2 ? Double.NaN : other.drift(metric::of);
      floor = other.samples().isEmpty() ? Double.NaN : floor / other.median(metric::of);
    }
    return new Judged(this, value, drift, floor, verdict(value, drift, floor));
  }

  private Verdict verdict(double value, double controlDrift, double floor) {
    if (Double.isNaN(value)) {
      return Verdict.NOT_MEASURED;
    }
    if (!control.isEmpty() && !difference && value > 0 && Math.max(value, 1 / value) <= controlDrift) {
      return Verdict.INCONCLUSIVE;
    }
    if (atLeast ? value >= limit : value <= limit) {
      return Verdict.MET;
    }
    return !atLeast && limit < NEAR_BARE * floor ? Verdict.BELOW_BARE : Verdict.NOT_MET;
  }

  /**
   * A bar as a run has judged it.
   *
   * @param bar the promise
   * @param value the figure, or the ratio to the control's; not a number if not measured
   * @param controlDrift largest to smallest of the control's own samples; 1 without a control, not a number if there
   *     are not two of them
   * @param bare the figure of a loop without a client, or its ratio to the control's; not a number if there is none
   * @param verdict what follows
   */
  public record Judged(Bar bar, double value, double controlDrift, double bare, Verdict verdict) {

    /**
     * Tells whether the run fails: the promise was broken, or not even measured.
     *
     * @return false if it was kept, or nobody can say, or the bar is informational
     */
    public boolean isMissed() {
      return !bar.informational && (verdict == Verdict.NOT_MET || verdict == Verdict.NOT_MEASURED);
    }

    /**
     * Tells whether nobody can say if the promise was kept: it is neither passed nor missed.
     *
     * @return false if the bar is informational
     */
    public boolean isUndecided() {
      return !bar.informational && (verdict == Verdict.INCONCLUSIVE || verdict == Verdict.BELOW_BARE);
    }

    @Override
    public String toString() {
      String drift = "";
      if (!bar.control.isEmpty() && !bar.difference) {
        drift = Double.isNaN(controlDrift)
            ? "  (it has too few samples to tell how they differ)"
            : String.format(Locale.ROOT, "  (its own samples differ %.2f times)", controlDrift);
      }
      String floor = verdict == Verdict.BELOW_BARE ? ", bare-socket itself " + shown(bare) : "";
      return String.format(Locale.ROOT, "%-12s  %-66s  measured %s%s%s", verdict.label(), bar.text, shown(value), floor,
          drift);
    }

    private String shown(double figure) {
      if (Double.isNaN(figure)) {
        return "nothing";
      }
      if (bar.control.isEmpty() || bar.difference) {
        return bar.metric.format(figure);
      }
      return String.format(Locale.ROOT, figure < SMALL ? "%.2e" : "%.3f", figure);
    }
  }
}
