package dev.decant.lab.carriers;

import dev.decant.lab.server.ServerKind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * The advice for this machine. The JDK's setting is the control. Another setting is advised only if its {@link Gain},
 * over all loads in which both were measured with the same server, is above 1, and the greatest.
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

  /** Returns the advice as one sentence. */
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
    Setting chosen = best.map(Choice::setting).orElse(control);
    List<CarriersRow> shown = rowsOfOneServer(chosen, controls);
    String server = shown.getFirst().setup().server().label();
    if (best.isEmpty()) {
      return machine + " should leave virtual threads at the JDK's own setting (" + control.label()
          + "), since no other one measured is better beyond the samples' own drift: " + server + " has "
          + String.join(", ", shown.stream().map(row -> figures(row) + where(row)).toList()) + nio(shown) + ".";
    }
    return machine + " should run virtual threads with " + chosen.label() + " (" + how(chosen)
        + ") instead of the JDK's own setting (" + control.label() + "): " + server + " then has "
        + String.join(", ", shown.stream().map(this::improvement).toList()) + nio(shown) + ".";
  }

  private String improvement(CarriersRow row) {
    return figures(row) + rowOf(row, control).map(base -> " instead of " + figures(base)).orElse("") + where(row);
  }

  private Set<Setting> candidates() {
    Set<Setting> settings = new LinkedHashSet<>();
    rows.stream().map(CarriersRow::setup).filter(setup -> setup.server().onVirtualThreads()
        && !setup.setting().equals(control)).forEach(setup -> settings.add(setup.setting()));
    return settings;
  }

  /** Returns the gain of a setting; 0 if no server was measured with it at all loads of the JDK's setting. */
  private double gain(Setting setting, List<CarriersRow> controls) {
    List<Double> gains = comparable(setting, controls).stream()
        .flatMap(base -> rowOf(base, setting).map(row -> Gain.of(row, base)).stream()).toList();
    return gains.isEmpty() ? 0 : Gain.geometricMean(gains);
  }

  /** Returns the controls of the servers that were measured with this setting at all loads of the JDK's. */
  private List<CarriersRow> comparable(Setting setting, List<CarriersRow> controls) {
    Set<ServerKind> partly = EnumSet.noneOf(ServerKind.class);
    controls.stream().filter(base -> rowOf(base, setting).isEmpty()).forEach(base -> partly.add(base.setup().server()));
    return controls.stream().filter(base -> !partly.contains(base.setup().server())).toList();
  }

  /** Returns the row of the same server at the same load, with another setting. */
  private Optional<CarriersRow> rowOf(CarriersRow base, Setting setting) {
    Setup wanted = new Setup(base.setup().server(), base.setup().load(), base.setup().connections(), setting);
    return rows.stream().filter(row -> row.setup().equals(wanted)).findFirst();
  }

  private static String how(Setting setting) {
    return String.join(" ", setting.flags())
        + (setting.nice() == 0 ? "" : ", and CarrierPriority.lower(" + setting.nice() + ")");
  }

  /** Returns the setting's rows, of the first server whose rows compare. */
  private List<CarriersRow> rowsOfOneServer(Setting setting, List<CarriersRow> controls) {
    List<CarriersRow> bases = comparable(setting, controls);
    return bases.stream().filter(base -> base.setup().server() == bases.getFirst().setup().server())
        .flatMap(base -> rowOf(base, setting).stream()).toList();
  }

  private static String figures(CarriersRow row) {
    return String.format(Locale.ROOT, "%,.0f requests/s at p99 %.1f ms", row.requestsPerSecond(),
        row.latencyMicros(99) / 1000)
        + (row.setup().load() == LoadKind.MIXED
            ? String.format(Locale.ROOT, " beside %,.0f computations/s", row.median(CarriersRow::workRequestsPerSecond))
            : "");
  }

  private static String where(CarriersRow row) {
    return " (" + row.setup().load().label() + ", " + row.setup().connections() + " connections)";
  }

  /** Compares the best NIO server at each load. */
  private String nio(List<CarriersRow> shown) {
    List<String> best = new ArrayList<>();
    for (CarriersRow own : shown) {
      Setup at = own.setup();
      rows.stream().filter(row -> !row.setup().server().onVirtualThreads() && row.setup().load() == at.load()
          && row.setup().connections() == at.connections())
          .max(Comparator.comparingDouble(row -> Gain.of(row, own)))
          .ifPresent(row -> best.add(row.setup().server().label() + " with " + row.setup().setting().label() + " "
              + compared(Gain.of(row, own)) + " with " + figures(row) + where(row)));
    }
    return best.isEmpty() ? "" : "; of the NIO servers, " + String.join(", and ", best);
  }

  private static String compared(double gain) {
    return gain > 1 ? "is better" : gain < 1 ? "is best, yet worse," : "is no different beyond drift";
  }
}
