package dev.decant.lab.carriers;

import dev.decant.lab.live.RunListener;
import dev.decant.lab.live.Turn;
import dev.decant.lab.load.LoadMain;
import dev.decant.lab.load.LoadMeasured;
import dev.decant.lab.server.ServerKind;
import dev.decant.testkit.ChildJvm;
import dev.decant.testkit.ClusterException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Takes the samples of a plan, one after another: each server in a fresh JVM, with one load generator JVM for all of
 * them. One thread at a time.
 */
public final class CarriersRun {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final CarriersPlan plan;
  private final Path logs;
  private final RunListener listener;
  private final Map<Setup, List<LoadMeasured>> samples = new LinkedHashMap<>();
  private final List<String> failures = new ArrayList<>();
  private final Set<ServerKind> failed = EnumSet.noneOf(ServerKind.class);

  /**
   * Prepares a run.
   *
   * @param plan the plan
   * @param logs directory for the standard error of the JVMs
   * @param listener follows each step
   */
  public CarriersRun(CarriersPlan plan, Path logs, RunListener listener) {
    this.plan = plan;
    this.logs = logs;
    this.listener = listener;
  }

  /**
   * Takes all samples.
   *
   * @return the samples up to an interruption, and the servers that failed
   * @throws ClusterException when the load generator fails or no server can be measured; all processes have ended then
   */
  public CarriersResult execute() {
    try {
      Files.createDirectories(logs);
    } catch (IOException e) {
      throw new UncheckedIOException("no directory for the servers' logs: " + logs, e);
    }
    plan.setups().forEach(setup -> samples.put(setup, new ArrayList<>()));
    long workSteps;
    List<Setup> turns = plan.turns();
    listener.onPlan(planned(turns));
    ChildJvm load = ChildJvm.start("the load generator", ServerJvm.loadArguments(), logs.resolve("load.log"));
    try {
      workSteps = Long.parseLong(load.ask("calibrate " + LoadKind.WORK_MICROS * 1000L, PATIENCE));
      warmLoadGenerator(load, turns.getFirst(), workSteps);
      for (int i = 0; i < turns.size() && !listener.isEnding(); i++) {
        if (!failed.contains(turns.get(i).server())) {
          listener.onBegin(i);
          take(i, turns, load, workSteps);
        }
      }
    } finally {
      load.end();
    }
    List<CarriersRow> rows = samples.entrySet().stream().filter(entry -> !entry.getValue().isEmpty())
        .map(entry -> new CarriersRow(entry.getKey(), List.copyOf(entry.getValue()))).toList();
    return new CarriersResult(plan, workSteps, rows, List.copyOf(failures));
  }

  /** Warms the load generator up, so that it is compiled before the first sample. */
  private void warmLoadGenerator(ChildJvm load, Setup first, long workSteps) {
    try {
      var unused = measure(first, load, workSteps);
    } catch (ClusterException | IllegalStateException e) {
      // the first sample has the same setup, and reports its failure
    }
  }

  private List<Turn> planned(List<Setup> turns) {
    int setups = Math.max(1, plan.setups().size());
    List<Turn> planned = new ArrayList<>();
    for (Setup setup : turns) {
      planned.add(new Turn(setup.load().label() + ", " + setup.connections() + " connections",
          setup.server().label() + ", " + setup.setting().label(), 1 + planned.size() / setups));
    }
    return planned;
  }

  private void take(int turn, List<Setup> turns, ChildJvm load, long workSteps) {
    Setup setup = turns.get(turn);
    try {
      LoadMeasured sample = measure(setup, load, workSteps);
      listener.onSample(turn, figures(sample), List.of());
      samples.computeIfAbsent(setup, absent -> new ArrayList<>()).add(sample);
      listener.onLine(String.format(Locale.ROOT, "%3d/%d  %-62s %,9.0f requests/s  p50 %,7.0f us  p99 %,8.0f us",
          turn + 1, turns.size(), setup.label(), CarriersRow.requestsPerSecond(sample), sample.latencyMicrosAt(50),
          sample.latencyMicrosAt(99)));
    } catch (ClusterException | IllegalStateException e) {
      String first = String.valueOf(e.getMessage()).lines().findFirst().orElse("").replace("; the end of its log:", "");
      listener.onFailure(turn, first);
      if (listener.isEnding()) {
        return; // a sample that the user cuts short is no failure
      }
      if (!load.isAlive()) {
        throw e;
      }
      failed.add(setup.server());
      failures.add(setup.label() + ": " + first + " (see " + log(setup) + ")");
    }
  }

  private static Map<String, Double> figures(LoadMeasured sample) {
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("requests_per_s", CarriersRow.requestsPerSecond(sample));
    figures.put("p50_us", sample.latencyMicrosAt(50));
    figures.put("p99_us", sample.latencyMicrosAt(99));
    figures.put("machine_idle_percent", sample.idlePercent());
    return figures;
  }

  private LoadMeasured measure(Setup setup, ChildJvm load, long workSteps) {
    ChildJvm server = ChildJvm.start(setup.server().label(), ServerJvm.arguments(setup, plan.jvmArguments(), workSteps),
        log(setup));
    try {
      int port = Integer.parseInt(server.ask("port", PATIENCE));
      load.ask(LoadMain.opening(setup.load().spec(port, server.pid(), setup.connections())), PATIENCE);
      run(load, plan.warmUpMillis() / 2); // starts the carriers, so that their priority can be set
      if (setup.setting().nice() > 0) {
        server.ask("nice " + setup.setting().nice(), PATIENCE);
      }
      run(load, plan.warmUpMillis() / 2);
      LoadMeasured measured = run(load, plan.durationMillis());
      load.ask("close", PATIENCE);
      return measured;
    } finally {
      server.end();
    }
  }

  private static LoadMeasured run(ChildJvm load, long millis) {
    return LoadMain.measured(load.ask("run " + millis, PATIENCE.plusMillis(millis)));
  }

  private Path log(Setup setup) {
    return logs.resolve(setup.server().label() + ".log");
  }
}
