package dev.decant.lab.fix;

import dev.decant.lab.scenario.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A promise about a figure of Decant, or about its ratio to another engine's in the same work and mode.
 *
 * @param work in which
 * @param mode in which
 * @param subjects whose figure it is; of several the worst counts
 * @param figure which
 * @param atLeast true if it must not be below the limit, false if not above
 * @param limit of the figure or ratio
 * @param control whose figure it is compared with; empty for the figure itself
 * @param informational true if it is judged and shown, but no run fails for it
 */
public record FixBar(FixWork work, FixMode mode, List<Engine> subjects, FixFigure figure, boolean atLeast, double limit,
    Optional<Engine> control, boolean informational) {

  private static final List<Engine> STORES = List.of(Engine.DECANT_MEMORY, Engine.DECANT_FILE, Engine.DECANT_ASYNC);
  private static final List<Engine> FILES = List.of(Engine.DECANT_FILE, Engine.DECANT_ASYNC);
  private static final List<Engine> MEMORY = List.of(Engine.DECANT_MEMORY);

  /**
   * The bars of a run, as far as what they compare is in it.
   *
   * @param setups of the run
   * @return none if Decant is not in it
   */
  static List<FixBar> of(List<FixSetup> setups) {
    List<FixBar> bars = new ArrayList<>();
    setups.stream().map(setup -> new FixSetup(Engine.DECANT_MEMORY, setup.work(), setup.mode())).distinct()
        .forEach(group -> {
          bars.add(nothing(group, FixFigure.ALLOCATED_BYTES));
          bars.add(nothing(group, FixFigure.COLLECTIONS));
        });
    bars.add(p50(FixMode.ONE_CPU, MEMORY, 1.3, Engine.BARE_SOCKET));
    bars.add(p50(FixMode.ONE_CPU, MEMORY, 1 / 3.0, Engine.QUICKFIXJ_MEMORY));
    bars.add(p50(FixMode.ONE_CPU, MEMORY, 1.15, Engine.PHILADELPHIA));
    bars.add(p50(FixMode.ONE_CPU, FILES, 1.08, Engine.DECANT_MEMORY));
    bars.add(p50(FixMode.TWO_CPUS_SPINNING, MEMORY, 1.35, Engine.BARE_SOCKET));
    bars.add(rate(Engine.PHILADELPHIA));
    bars.add(rate(Engine.QUICKFIXJ_MEMORY));
    bars.add(new FixBar(FixWork.ROUND_TRIPS, FixMode.ONE_CPU, MEMORY, FixFigure.CPU_US_PER_MESSAGE, false, 1.3,
        Optional.of(Engine.BARE_SOCKET), true));
    bars.add(new FixBar(FixWork.ROUND_TRIPS, FixMode.ONE_CPU, List.of(Engine.DECANT_FILE), FixFigure.P50_US, false,
        1 / 3.0, Optional.of(Engine.QUICKFIXJ_FILE), true));
    return bars.stream().flatMap(bar -> bar.within(setups).stream()).toList();
  }

  private static FixBar nothing(FixSetup group, FixFigure figure) {
    return new FixBar(group.work(), group.mode(), STORES, figure, false, 0, Optional.empty(), false);
  }

  private static FixBar p50(FixMode mode, List<Engine> subjects, double limit, Engine control) {
    return new FixBar(FixWork.ROUND_TRIPS, mode, subjects, FixFigure.P50_US, false, limit, Optional.of(control), false);
  }

  private static FixBar rate(Engine control) {
    return new FixBar(FixWork.ONE_WAY, FixMode.TWO_CPUS_BLOCKING, MEMORY, FixFigure.MESSAGES_PER_S, true, 2,
        Optional.of(control), false);
  }

  /** The same bar for those of its subjects that are measured; none if there are none, or the control is not. */
  private Optional<FixBar> within(List<FixSetup> setups) {
    List<Engine> there = setups.stream().filter(setup -> setup.work() == work && setup.mode() == mode)
        .map(FixSetup::engine).toList();
    List<Engine> measured = subjects.stream().filter(there::contains).toList();
    return measured.isEmpty() || control.filter(engine -> !there.contains(engine)).isPresent()
        ? Optional.empty()
        : Optional.of(new FixBar(work, mode, measured, figure, atLeast, limit, control, informational));
  }

  /**
   * Judges what was measured.
   *
   * @param rows of the run
   * @return the verdict with its figures
   */
  Judged judge(List<FixRow> rows) {
    double worst = atLeast ? Double.POSITIVE_INFINITY : Double.NEGATIVE_INFINITY;
    for (Engine subject : subjects) {
      double value = row(rows, subject).map(row -> row.median(figure)).orElse(Double.NaN);
      worst = atLeast ? Math.min(worst, value) : Math.max(worst, value); // not a number wins
    }
    if (control.isEmpty()) {
      return new Judged(this, worst, 1, verdict(worst, 1));
    }
    Optional<FixRow> other = row(rows, control.get());
    double ratio = other.map(row -> row.median(figure)).orElse(Double.NaN);
    ratio = worst / ratio;
    double drift = other.filter(row -> row.samples().size() > 1).map(row -> row.drift(figure)).orElse(Double.NaN);
    return new Judged(this, ratio, drift, verdict(ratio, drift));
  }

  private Optional<FixRow> row(List<FixRow> rows, Engine engine) {
    return rows.stream().filter(row -> row.setup().equals(new FixSetup(engine, work, mode))).findFirst();
  }

  private Verdict verdict(double value, double controlDrift) {
    if (Double.isNaN(value)) {
      return Verdict.NOT_MEASURED;
    }
    if (atLeast ? value >= limit : value <= limit) {
      return Verdict.MET;
    }
    boolean drowned = control.isPresent() && value > 0 && Math.max(value, 1 / value) <= controlDrift;
    return drowned ? Verdict.INCONCLUSIVE : Verdict.NOT_MET;
  }

  @Override
  public String toString() {
    String of = control.map(engine -> String.format(Locale.ROOT, "%.3f of %s", limit, engine.label()))
        .orElseGet(() -> figure.format(limit));
    return (informational ? "informational " : "") + String.join(", ", subjects.stream().map(Engine::label).toList())
        + ": " + figure.key() + (atLeast ? " >= " : " <= ") + of;
  }

  /**
   * A bar as a run has judged it.
   *
   * @param bar the promise
   * @param value the figure, or the ratio to the control's; not a number if not measured
   * @param controlDrift largest to smallest of the control's own samples; 1 without a control, not a number if there
   *     are not two of them
   * @param verdict what follows
   */
  public record Judged(FixBar bar, double value, double controlDrift, Verdict verdict) {

    /**
     * Tells whether the run fails: the promise was broken, or not even measured.
     *
     * @return false if it was kept, or nobody can say, or the bar is informational
     */
    public boolean isMissed() {
      return !bar.informational && (verdict == Verdict.NOT_MET || verdict == Verdict.NOT_MEASURED);
    }

    /**
     * What was measured, for people.
     *
     * @return a figure or ratio
     */
    public String measured() {
      if (Double.isNaN(value)) {
        return "nothing";
      }
      return bar.control.isEmpty() ? bar.figure.format(value) : String.format(Locale.ROOT, "%.3f", value);
    }

    @Override
    public String toString() {
      String drift = "";
      if (bar.control.isPresent()) {
        drift = Double.isNaN(controlDrift)
            ? "  (it has too few samples to tell how they differ)"
            : String.format(Locale.ROOT, "  (its own samples differ %.2f times)", controlDrift);
      }
      return String.format(Locale.ROOT, "%-12s  %-38s %-84s  measured %s%s", verdict.label(),
          bar.work.label() + ", " + bar.mode.title(), bar, measured(), drift);
    }
  }
}
