package dev.decant.lab.scenario;

import dev.decant.lab.driver.AllocationSite;
import dev.decant.lab.driver.WorkSpec;
import dev.decant.lab.live.RunListener;
import dev.decant.lab.live.Turn;
import dev.decant.lab.stress.Benches;
import dev.decant.lab.stress.Sample;
import dev.decant.lab.stress.TestBench;
import dev.decant.testkit.ClusterException;
import dev.decant.testkit.UnusableClusterException;
import java.util.ArrayList;
import java.util.List;

/** Takes the samples of scenarios, one after another. One thread at a time. */
public final class ScenarioRun {
  private final Benches benches;
  private final Options options;
  private final RunListener listener;
  /** Number of samples so far in all scenarios. */
  private int taken;

  /**
   * Options of a run.
   *
   * @param rounds number of rounds, in each of which all clients have their turns there and back
   * @param quick true for short samples
   * @param seed seed of the payloads
   */
  public record Options(int rounds, boolean quick, long seed) {}

  /**
   * Prepares a run.
   *
   * @param benches the clusters
   * @param options the options
   * @param listener follows each step
   */
  public ScenarioRun(Benches benches, Options options, RunListener listener) {
    this.benches = benches;
    this.options = options;
    this.listener = listener;
  }

  /**
   * Takes all samples. After a failure the run continues with the next scenario.
   *
   * @param scenarios the scenarios
   * @return one outcome for each scenario, also for those for which an interruption has left no time
   * @throws UnusableClusterException when the cluster cannot be used, and nothing was measured yet
   */
  public List<Outcome> execute(List<Scenario> scenarios) {
    listener.onPlan(scenarios.stream().flatMap(scenario -> plan(scenario).stream()).toList());
    List<Outcome> outcomes = new ArrayList<>();
    int first = 0;
    for (Scenario scenario : scenarios) {
      if (!listener.isEnding()) {
        listener.onLine(scenario.name() + ": " + scenario.title());
      }
      outcomes.add(run(scenario, first));
      first += turns(scenario).size();
    }
    return outcomes;
  }

  private List<Turn> plan(Scenario scenario) {
    List<Turn> plan = new ArrayList<>();
    for (Contender contender : turns(scenario)) {
      plan.add(new Turn(scenario.name(), contender.label(), 1 + plan.size() / scenario.contenders().size()));
    }
    return plan;
  }

  private List<Contender> turns(Scenario scenario) {
    List<Contender> turns = new ArrayList<>();
    for (int round = 0; round < options.rounds; round++) {
      turns.addAll(scenario.round(options.quick));
    }
    return turns;
  }

  private Outcome run(Scenario scenario, int first) {
    List<Sample> samples = new ArrayList<>();
    int turn = first;
    for (Contender contender : turns(scenario)) {
      if (listener.isEnding()) {
        return new Outcome(scenario, List.copyOf(samples), Outcome.INTERRUPTED);
      }
      listener.onBegin(turn);
      try {
        Sample sample = sample(benches.of(scenario.brokers()), scenario, contender);
        listener.onSample(turn++, Metric.figures(sample), sample.measured().recordsPerSecond());
        samples.add(sample);
        taken++;
      } catch (ClusterException | IllegalStateException e) {
        return failed(scenario, samples, turn, e);
      }
    }
    return new Outcome(scenario, List.copyOf(samples), "");
  }

  private Outcome failed(Scenario scenario, List<Sample> samples, int turn, RuntimeException error) {
    String first = String.valueOf(error.getMessage()).lines().findFirst().orElse("");
    String why = listener.isEnding()
        ? Outcome.INTERRUPTED
        : first.replace("; the end of its log:", " (see its log)");
    listener.onFailure(turn, why);
    if (error instanceof UnusableClusterException && taken == 0 && !listener.isEnding()) {
      throw error;
    }
    if (!listener.isEnding()) {
      listener.onLine(scenario.name() + " failed: " + error.getMessage());
    }
    return new Outcome(scenario, List.copyOf(samples), why);
  }

  /**
   * Finds the allocation sites of a client in one more JVM, which the search slows down.
   *
   * @param scenario a scenario whose work is there-and-back
   * @param contender the client
   * @param share divisor of the number of records: 4 for a quarter of them
   * @return the largest sites
   * @throws ClusterException when the client fails
   */
  public List<AllocationSite> sites(Scenario scenario, Contender contender, int share) {
    WorkSpec whole = contender.spec(options.quick, options.seed);
    WorkSpec.Amount amount = whole.amount();
    WorkSpec spec = whole.of(new WorkSpec.Amount(Math.max(1, amount.warmUpRecords() / share), amount.warmUpMillis(),
        Math.max(1, amount.records() / share), 0, 0, 0));
    return benches.of(scenario.brokers())
        .sites(subject(scenario, contender, spec));
  }

  private static TestBench.Subject subject(Scenario scenario, Contender contender, WorkSpec spec) {
    return new TestBench.Subject(scenario.name(), contender.label(), spec, contender.jvmArguments(), contender.java());
  }

  private Sample sample(TestBench bench, Scenario scenario, Contender contender) {
    WorkSpec spec = contender.spec(options.quick, options.seed);
    TestBench.Subject subject = subject(scenario, contender, spec);
    return switch (spec.work().topic()) {
      case WRITTEN -> bench.write(subject);
      case READ_AGAIN -> bench.read(subject, contender.filling(options.quick, options.seed));
      case READ_FIRST -> bench.readFirst(subject, contender.filling(options.quick, options.seed));
      case EMPTY -> bench.atEmpty(subject);
      case FED -> bench.follow(subject,
          new TestBench.Subject(scenario.name(), "feeder", contender.feeder(options.seed), List.of()));
      case NONE -> bench.alone(subject);
    };
  }
}
