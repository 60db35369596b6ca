package dev.decant.lab.scenario;

import dev.decant.lab.stress.Sample;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A promise: a figure of a contender, or its ratio or difference to another contender's, stays below or above a limit.
 * All commands of the lab judge their bars by this class.
 *
 * @param text the bar as it was written
 * @param informational true if it is judged and shown, but no run fails for it
 * @param subjects contenders that make the promise; of several the worst counts, and an empty name is the first
 *     contender
 * @param metric the figure
 * @param atLeast true if the figure must not be below the limit, false if not above
 * @param limit limit of the figure, ratio or difference
 * @param control contender whose figure is compared with; empty for the figure itself
 * @param difference true if the limit is of the difference to the control's figure, false if of the ratio
 * @param <S> a sample
 */
public record Bar<S>(String text, boolean informational, List<String> subjects, Figure<S> metric, boolean atLeast,
    double limit, String control, boolean difference) {

  private static final String INFORMATIONAL = "informational";
  private static final int TEXT_WIDTH = 66;
  private static final String NUMBER = "(\\d+(?:\\.\\d+)?)(?:\\s*/\\s*(\\d+(?:\\.\\d+)?))?";
  /** Smallest ratio that three decimal places show; below it more digits are needed. */
  private static final double SMALL = 0.001;
  /** A limit below this multiple of a bare loop's figure says nothing about the client. */
  private static final double NEAR_BARE = 1.1;
  private static final String FIGURE = "([\\w.-]+)\\.(\\w+)";
  private static final Pattern FORM = Pattern
      .compile("(?:(\\S+)\\s+)?(?:([\\w.-]+)\\.)?(\\w+)\\s*(<=|>=)\\s*(\\S.*)");
  /** A limit, and perhaps the contender whose figure it multiplies. */
  private static final Pattern LIMIT = Pattern.compile(NUMBER + "(?:\\s+of\\s+(\\S+))?");
  /** A limit of the difference to another contender's figure. */
  private static final Pattern DIFFERENCE = Pattern.compile(NUMBER + "\\s+more than\\s+(\\S+)");
  /** A multiple of another contender's figure, as a product. */
  private static final Pattern PRODUCT = Pattern.compile("(?:" + NUMBER + "\\s*\\*\\s*)?" + FIGURE);

  /**
   * Reads a bar of a scenario.
   *
   * @param text {@code cpu_us_per_record <= 1/5 of kafka-clients}, or the same as {@code decant.cpu_us_per_record <=
   *     0.2 * kafka-clients.cpu_us_per_record}; {@code informational} may stand before it
   * @return the bar
   * @throws IllegalArgumentException if the text is no bar; the message says why
   */
  public static Bar<Sample> parse(String text) {
    return parse(text, Metric::of);
  }

  /**
   * Reads a bar on samples of any kind.
   *
   * @param text a bar in the form that scenarios have
   * @param figures returns the figure of a name; throws an {@link IllegalArgumentException} for an unknown name
   * @param <S> a sample
   * @return the bar
   * @throws IllegalArgumentException if the text is no bar; the message says why
   */
  public static <S> Bar<S> parse(String text, Function<String, Figure<S>> figures) {
    Matcher form = FORM.matcher(text.strip());
    if (!form.matches()) {
      throw noBar(text);
    }
    if (form.group(1) != null && !form.group(1).equals(INFORMATIONAL)) {
      throw new IllegalArgumentException("\"" + form.group(1) + "\" stands before a metric; only " + INFORMATIONAL
          + " may, for a bar that no run fails for");
    }
    boolean informational = form.group(1) != null;
    List<String> subjects = List.of(form.group(2) == null ? "" : form.group(2));
    Figure<S> metric = figures.apply(form.group(3));
    boolean atLeast = form.group(4).equals(">=");
    Matcher difference = DIFFERENCE.matcher(form.group(5));
    if (difference.matches()) {
      return new Bar<>(text, informational, subjects, metric, atLeast, quotient(text, difference), difference.group(3),
          true);
    }
    Matcher limit = LIMIT.matcher(form.group(5));
    if (limit.matches()) {
      String control = limit.group(3) == null ? "" : limit.group(3);
      return new Bar<>(text, informational, subjects, metric, atLeast, quotient(text, limit), control, false);
    }
    Matcher product = PRODUCT.matcher(form.group(5));
    if (!product.matches()) {
      throw noBar(text);
    }
    if (!figures.apply(product.group(4)).equals(metric)) {
      throw new IllegalArgumentException("\"" + text + "\" compares two metrics; both sides must have the same");
    }
    return new Bar<>(text, informational, subjects, metric, atLeast, quotient(text, product), product.group(3), false);
  }

  /** Returns the number in the first two groups: a number, or a quotient of two. */
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
   * Rejects a bar that names an unknown client.
   *
   * @param clients the known clients
   * @throws IllegalArgumentException if the bar names another one; the message lists the known clients
   */
  public void check(List<String> clients) {
    named().filter(name -> !clients.contains(name)).findFirst().ifPresent(name -> {
      throw new IllegalArgumentException("there is no client " + name + "; there are " + String.join(", ", clients));
    });
  }

  /** Returns true if all clients that the bar names are known. */
  boolean isOf(List<String> clients) {
    return named().allMatch(clients::contains);
  }

  private Stream<String> named() {
    return Stream.concat(subjects.stream(), Stream.of(control)).filter(name -> !name.isEmpty());
  }

  /**
   * Judges the bar.
   *
   * @param samples returns the samples of a contender that the bar names; empty if it was not measured
   * @param bare samples of a loop without a client; empty if no such loop compares
   * @return the verdict with its figures
   */
  public Judged judge(Function<String, List<S>> samples, List<S> bare) {
    double own = subjects.stream().mapToDouble(subject -> metric.median(samples.apply(subject)))
        // NaN wins: the worst subject is one without a figure
        .reduce(atLeast ? Math::min : Math::max).orElse(Double.NaN);
    if (control.isEmpty()) {
      return judged(own, 1, metric.median(bare));
    }
    List<S> others = samples.apply(control);
    double other = metric.median(others);
    return difference
        ? judged(own - other, 1, Double.NaN)
        : judged(own / other, metric.drift(others), metric.median(bare) / other);
  }

  private Judged judged(double value, double controlDrift, double floor) {
    return new Judged(this, value, controlDrift, floor, verdict(value, controlDrift, floor));
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
   * A bar and its verdict.
   *
   * @param bar the promise
   * @param value the figure, or its ratio to the control's; NaN if not measured
   * @param controlDrift ratio of the control's largest sample to its smallest; 1 without a control, NaN without two
   *     samples
   * @param bare the figure of a loop without a client, or its ratio to the control's; NaN if there is none
   * @param verdict the verdict
   */
  public record Judged(Bar<?> bar, double value, double controlDrift, double bare, Verdict verdict) {

    /**
     * Returns true if the run fails by this bar: it was broken, or not measured.
     *
     * @return false if the bar was kept, is undecided or informational
     */
    public boolean isMissed() {
      return !bar.informational && (verdict == Verdict.NOT_MET || verdict == Verdict.NOT_MEASURED);
    }

    /**
     * Returns true if the bar is neither passed nor missed.
     *
     * @return false if the bar is informational
     */
    public boolean isUndecided() {
      return !bar.informational && (verdict == Verdict.INCONCLUSIVE || verdict == Verdict.BELOW_BARE);
    }

    @Override
    public String toString() {
      return line(bar.text, TEXT_WIDTH);
    }

    /**
     * Returns the verdict and the figures in one line.
     *
     * @param text text of the bar
     * @param width width of the text's column
     * @return the line for people
     */
    public String line(String text, int width) {
      String drift = "";
      if (!bar.control.isEmpty() && !bar.difference) {
        drift = Double.isNaN(controlDrift)
            ? "  (it has too few samples to tell how they differ)"
            : String.format(Locale.ROOT, "  (its own samples differ %.2f times)", controlDrift);
      }
      String floor = verdict == Verdict.BELOW_BARE ? ", bare-socket itself " + shown(bare) : "";
      return String.format(Locale.ROOT, "%-12s  %-" + width + "s  measured %s%s%s", verdict.label(), text, shown(value),
          floor, drift);
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
