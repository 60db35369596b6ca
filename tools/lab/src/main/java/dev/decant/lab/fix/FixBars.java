package dev.decant.lab.fix;

import dev.decant.lab.jvm.JavaRuntime;
import dev.decant.lab.scenario.Bar;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The bars of {@code decant fix} for which a run has the figures. */
final class FixBars {
  private static final List<Engine> STORES = List.of(Engine.DECANT_MEMORY, Engine.DECANT_FILE, Engine.DECANT_ASYNC);
  private static final List<Engine> FILES = List.of(Engine.DECANT_FILE, Engine.DECANT_ASYNC);
  private static final List<Engine> MEMORY = List.of(Engine.DECANT_MEMORY);

  private final @Nullable JavaRuntime java;
  private final List<FixSetup> setups;
  private final List<FixRow> rows;
  private final List<FixVerdict> verdicts = new ArrayList<>();

  private FixBars(@Nullable JavaRuntime java, List<FixSetup> setups, List<FixRow> rows) {
    this.java = java;
    this.setups = setups;
    this.rows = rows;
  }

  /**
   * Judges a run.
   *
   * @param setups setups of the plan
   * @param rows measured setups
   * @return empty if Decant is not among the setups
   */
  static List<FixVerdict> judge(List<FixSetup> setups, List<FixRow> rows) {
    List<FixVerdict> verdicts = new ArrayList<>();
    for (Optional<JavaRuntime> java : setups.stream().map(setup -> Optional.ofNullable(setup.java())).distinct()
        .toList()) {
      JavaRuntime one = java.orElse(null);
      verdicts.addAll(judge(one, setups.stream().filter(setup -> Objects.equals(setup.java(), one)).toList(), rows));
    }
    return verdicts;
  }

  /** Judges the engines on one JVM against each other. */
  private static List<FixVerdict> judge(@Nullable JavaRuntime java, List<FixSetup> setups, List<FixRow> rows) {
    FixBars bars = new FixBars(java, setups, rows);
    setups.stream().map(setup -> new FixSetup(Engine.DECANT_MEMORY, setup.work(), setup.mode())).distinct()
        .forEach(group -> {
          bars.hold(group.work(), group.mode(), STORES, "allocated_bytes <= 0");
          bars.hold(group.work(), group.mode(), STORES, "collections <= 0");
        });
    FixWork trips = FixWork.ROUND_TRIPS;
    bars.hold(trips, FixMode.ONE_CPU, MEMORY, "p50_us <= 1.3 of bare-socket");
    bars.hold(trips, FixMode.ONE_CPU, MEMORY, "p50_us <= 1/3 of quickfixj-memory");
    bars.hold(trips, FixMode.ONE_CPU, MEMORY, "p50_us <= 1.15 of philadelphia");
    bars.hold(trips, FixMode.ONE_CPU, FILES, "p50_us <= 1.08 of decant-memory");
    bars.hold(trips, FixMode.TWO_CPUS_SPINNING, MEMORY, "p50_us <= 1.35 of bare-socket");
    bars.hold(FixWork.ONE_WAY, FixMode.TWO_CPUS_BLOCKING, MEMORY, "messages_per_s >= 2 of philadelphia");
    bars.hold(FixWork.ONE_WAY, FixMode.TWO_CPUS_BLOCKING, MEMORY, "messages_per_s >= 2 of quickfixj-memory");
    bars.hold(trips, FixMode.ONE_CPU, List.of(Engine.ADAPTER_MEMORY),
        "cpu_us_per_message <= 1/2 of quickfixj-memory");
    bars.hold(trips, FixMode.ONE_CPU, MEMORY, "informational cpu_us_per_message <= 1.3 of bare-socket");
    bars.hold(trips, FixMode.ONE_CPU, List.of(Engine.DECANT_FILE), "informational p50_us <= 1/3 of quickfixj-file");
    return bars.verdicts;
  }

  /**
   * Judges a bar for those of its subjects that are in the plan; does nothing without subjects or without the control.
   */
  private void hold(FixWork work, FixMode mode, List<Engine> subjects, String promise) {
    List<Engine> there = setups.stream().filter(setup -> setup.work() == work && setup.mode() == mode)
        .map(FixSetup::engine).toList();
    List<String> measured = subjects.stream().filter(there::contains).map(Engine::label).toList();
    Bar<FixMeasured> bar = Bar.parse(promise, FixFigure::named);
    boolean hasControl = bar.control().isEmpty() || there.contains(Engine.labelled(bar.control()));
    if (!measured.isEmpty() && hasControl) {
      Bar<FixMeasured> held = new Bar<>(text(bar, measured), bar.informational(), measured, bar.metric(),
          bar.atLeast(), bar.limit(), bar.control(), bar.difference());
      verdicts.add(new FixVerdict(work, mode,
          held.judge(label -> samples(new FixSetup(Engine.labelled(label), work, mode, java)), List.of())));
    }
  }

  private List<FixMeasured> samples(FixSetup setup) {
    return rows.stream().filter(row -> row.setup().equals(setup)).findFirst().map(FixRow::samples).orElse(List.of());
  }

  private String text(Bar<FixMeasured> bar, List<String> subjects) {
    String limit = bar.control().isEmpty()
        ? bar.metric().format(bar.limit())
        : String.format(Locale.ROOT, "%.3f of %s", bar.limit(), bar.control());
    return (bar.informational() ? "informational " : "") + String.join(", ", subjects) + ": " + bar.metric().key()
        + (bar.atLeast() ? " >= " : " <= ") + limit + (java == null ? "" : " on " + java.title());
  }
}
