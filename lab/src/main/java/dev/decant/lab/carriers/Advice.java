package dev.decant.lab.carriers;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * What follows from the rows for this machine. The setting of the JDK is the control: another one is advised only if,
 * over all loads in which both were measured with the same server, its {@link Gain} is above 1, and the greatest.
 */
final class Advice {
  private final List<CarriersRow> rows;
  private final Setting control;
  private final String machine;

  private Advice(List<CarriersRow> rows, int cpus) {
    this.rows = rows;
    this.control = Setting.ofTheJdk(cpus);
    this.machine = "This machine (" + cpus + (cpus == 1 ? " CPU)" : " CPUs)");
  }

  /** One sentence. */
  static String of(List<CarriersRow> rows, int cpus) {
    return new Advice(rows, cpus).sentence();
  }

  private String sentence() {
    List<CarriersRow> controls = rows.stream().filter(row -> row.setup().setting().equals(control)).toList();
    if (controls.isEmpty()) {
      return machine + ": nothing follows, since no server on virtual threads was measured with the JDK's own setting ("
          + control.label() + ").";
    }
    record Choice(Setting setting, double gain) {}
    Optional<Choice> best = candidates().stream().map(setting -> new Choice(setting, gain(setting, controls)))
        .filter(choice -> choice.gain() > 1).max(Comparator.comparingDouble(Choice::gain));
    if (best.isEmpty()) {
      return machine + " should leave virtual threads at the JDK's own setting (" + control.label()
          + "): no other one that was measured is better beyond the samples' own drift, with "
          + figures(control, controls) + nio(control, controls) + ".";
    }
    Setting chosen = best.get().setting();
    return machine + " should run virtual threads with " + chosen.label() + " (" + how(chosen) + "): it has "
        + figures(chosen, controls) + ", where the JDK's own setting (" + control.label() + ") has "
        + figures(control, controls) + nio(chosen, controls) + ".";
  }

  private Set<Setting> candidates() {
    Set<Setting> settings = new LinkedHashSet<>();
    rows.stream().map(CarriersRow::setup).filter(setup -> setup.server().onVirtualThreads()
        && !setup.setting().equals(control)).forEach(setup -> settings.add(setup.setting()));
    return settings;
  }

  /** 0 if no server was measured with this setting wherever it was with the JDK's. */
  private double gain(Setting setting, List<CarriersRow> controls) {
    List<Double> gains = new ArrayList<>();
    for (var server : controls.stream().map(row -> row.setup().server()).distinct().toList()) {
      List<CarriersRow> own = controls.stream().filter(row -> row.setup().server() == server).toList();
      List<Double> found = own.stream().flatMap(base -> rowOf(base, setting).map(row -> Gain.of(row, base)).stream())
          .toList();
      if (found.size() == own.size()) {
        gains.addAll(found);
      }
    }
    return gains.isEmpty() ? 0 : Gain.geometricMean(gains);
  }

  /** The row of the same server at the same load, with another setting. */
  private Optional<CarriersRow> rowOf(CarriersRow base, Setting setting) {
    Setup wanted = new Setup(base.setup().server(), base.setup().load(), base.setup().connections(), setting);
    return rows.stream().filter(row -> row.setup().equals(wanted)).findFirst();
  }

  private static String how(Setting setting) {
    return String.join(" ", setting.flags())
        + (setting.nice() == 0 ? "" : ", and CarrierPriority.lower(" + setting.nice() + ")");
  }

  /** Of the first server that has all of them. */
  private String figures(Setting setting, List<CarriersRow> controls) {
    var server = controls.getFirst().setup().server();
    for (CarriersRow row : controls) {
      if (rowOf(row, setting).isPresent()) {
        server = row.setup().server();
        break;
      }
    }
    List<String> figures = new ArrayList<>();
    for (CarriersRow base : controls) {
      if (base.setup().server() == server) {
        rowOf(base, setting).ifPresent(row -> figures.add(figure(row)));
      }
    }
    return String.join(" and ", figures);
  }

  private static String figure(CarriersRow row) {
    return String.format(Locale.ROOT, "%,.0f requests/s at p99 %.1f ms (%s, %d connections, %s)",
        row.requestsPerSecond(), row.latencyMicros(99) / 1000, row.setup().load().label(), row.setup().connections(),
        row.setup().server().label());
  }

  /** How the best NIO server compares, at each load. */
  private String nio(Setting chosen, List<CarriersRow> controls) {
    List<String> best = new ArrayList<>();
    Set<String> seen = new LinkedHashSet<>();
    for (CarriersRow base : controls) {
      Setup at = base.setup();
      Optional<CarriersRow> own = rowOf(base, chosen);
      if (own.isPresent() && seen.add(at.load().label() + at.connections())) {
        rows.stream().filter(row -> !row.setup().server().onVirtualThreads() && row.setup().load() == at.load()
            && row.setup().connections() == at.connections())
            .max(Comparator.comparingDouble(row -> Gain.of(row, own.get())))
            .ifPresent(row -> best.add(figure(row) + " with " + row.setup().setting().label() + ", "
                + compared(Gain.of(own.get(), row))));
      }
    }
    return best.isEmpty() ? "" : "; the best NIO servers have " + String.join(" and ", best);
  }

  private static String compared(double gain) {
    return gain > 1
        ? "over which virtual threads win"
        : gain < 1 ? "to which virtual threads lose" : "which is no difference beyond drift";
  }
}
