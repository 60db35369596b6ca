package dev.decant.lab.fix;

import dev.decant.lab.driver.RateLine;
import dev.decant.lab.jvm.JavaRuntime;
import dev.decant.lab.live.RunListener;
import dev.decant.lab.live.Turn;
import dev.decant.testkit.ChildJvm;
import dev.decant.testkit.ClusterException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** Takes the samples of a plan, one after another, each in a fresh JVM. One thread at a time. */
public final class FixRun {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final FixPlan plan;
  private final Processors processors;
  private final Path logs;
  private final Path scratch;
  private final RunListener listener;
  private final Map<FixSetup, List<FixMeasured>> samples = new LinkedHashMap<>();
  private final Map<FixSetup, String> failures = new LinkedHashMap<>();

  /**
   * Prepares a run.
   *
   * @param plan the plan; its modes are those that this machine has
   * @param processors processors of this machine
   * @param logs directory for the standard error of the JVMs
   * @param scratch directory for stores and logs of the engines, which are deleted again
   * @param listener follows each step
   */
  public FixRun(FixPlan plan, Processors processors, Path logs, Path scratch, RunListener listener) {
    this.plan = plan;
    this.processors = processors;
    this.logs = logs;
    this.scratch = scratch;
    this.listener = listener;
  }

  /**
   * Takes all samples.
   *
   * @return the samples up to an interruption, and the failures
   */
  public FixResult execute() {
    createDirectories();
    List<FixSetup> turns = plan.turns().stream().filter(turn -> processors.obstacle(turn.mode()).isEmpty()).toList();
    List<String> leftOut = plan.setups().stream().map(setup -> processors.obstacle(setup.mode()))
        .filter(obstacle -> !obstacle.isEmpty()).distinct().toList();
    leftOut.forEach(listener::onLine);
    turns.forEach(setup -> samples.put(setup, new ArrayList<>()));
    listener.onPlan(planned(turns));
    for (int i = 0; i < turns.size() && !listener.isEnding(); i++) {
      if (!failures.containsKey(turns.get(i))) {
        listener.onBegin(i);
        take(i, turns);
      }
    }
    List<FixRow> rows = samples.entrySet().stream().filter(entry -> !entry.getValue().isEmpty())
        .map(entry -> new FixRow(entry.getKey(), List.copyOf(entry.getValue()))).toList();
    return new FixResult(turns.stream().distinct().toList(), rows, List.copyOf(failures.values()), leftOut,
        listener.isEnding());
  }

  private void createDirectories() {
    try {
      Files.createDirectories(logs);
      Files.createDirectories(scratch);
    } catch (IOException e) {
      throw new UncheckedIOException("no directory for logs and stores: " + e.getMessage(), e);
    }
  }

  private static List<Turn> planned(List<FixSetup> turns) {
    Map<FixSetup, Integer> taken = new LinkedHashMap<>();
    return turns.stream().map(setup -> new Turn(setup.group(), setup.name(), taken.merge(setup, 1,
        Integer::sum))).toList();
  }

  private void take(int turn, List<FixSetup> turns) {
    FixSetup setup = turns.get(turn);
    try (ScratchDirectory directory = ScratchDirectory.below(scratch)) {
      FixMeasured sample = measure(setup, directory.path());
      listener.onSample(turn, figures(setup, sample), sample.measured().recordsPerSecond());
      samples.computeIfAbsent(setup, absent -> new ArrayList<>()).add(sample);
      listener.onLine(String.format(Locale.ROOT, "%3d/%d  %-58s %s", turn + 1, turns.size(), setup.label(),
          shown(setup, sample)));
    } catch (ClusterException | IllegalStateException e) {
      String first = String.valueOf(e.getMessage()).lines().findFirst().orElse("").replace("; the end of its log:", "");
      listener.onFailure(turn, first);
      if (!listener.isEnding()) { // a sample that the user cuts short is no failure
        failures.put(setup, setup.label() + ": " + first + " (see " + log(setup.engine()) + ")");
        samples.remove(setup);
      }
    }
  }

  /** Formats a sample for the terminal. */
  private static String shown(FixSetup setup, FixMeasured sample) {
    List<String> parts = new ArrayList<>();
    for (FixFigure figure : List.of(FixFigure.MESSAGES_PER_S, FixFigure.P50_US, FixFigure.P99_US,
        FixFigure.ALLOCATED_BYTES, FixFigure.COLLECTIONS)) {
      if (figure.isOf(setup.work())) {
        parts.add(figure.key() + " " + figure.format(figure.of(sample)));
      }
    }
    return String.join("  ", parts);
  }

  private static Map<String, Double> figures(FixSetup setup, FixMeasured sample) {
    Map<String, Double> figures = new LinkedHashMap<>();
    for (FixFigure figure : FixFigure.values()) {
      if (figure.isOf(setup.work())) {
        figures.put(figure.key(), figure.of(sample));
      }
    }
    return figures;
  }

  private FixMeasured measure(FixSetup setup, Path directory) {
    FixSpec spec = plan.spec(setup, directory);
    List<String> flags = FixJvm.flags(setup.mode(), plan.jvmArguments());
    JavaRuntime java = Objects.requireNonNullElseGet(setup.java(), JavaRuntime::own);
    ChildJvm jvm = ChildJvm.start(setup.name(), processors.launcher(setup.mode()), java.launcher(),
        FixJvm.arguments(spec, flags), log(setup.engine()),
        line -> RateLine.read(line).ifPresent(listener::onRate));
    try {
      Duration patience = PATIENCE.plusMillis(spec.amount().warmUpMillis() + spec.amount().millis());
      jvm.ask("warm", patience);
      return FixMain.measured(jvm.ask(listener.wantsRates() ? FixMain.MEASURE_AND_REPORT : "measure", patience));
    } finally {
      jvm.end();
    }
  }

  private Path log(Engine engine) {
    return logs.resolve(engine.label() + ".log");
  }
}
