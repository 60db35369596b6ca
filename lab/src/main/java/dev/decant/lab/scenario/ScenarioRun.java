package dev.decant.lab.scenario;

import dev.decant.lab.driver.AllocationSite;
import dev.decant.lab.driver.WorkSpec;
import dev.decant.lab.stress.Benches;
import dev.decant.lab.stress.Sample;
import dev.decant.lab.stress.TestBench;
import dev.decant.testkit.ClusterException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Takes the samples of scenarios, one after another. One thread. */
public final class ScenarioRun {
  private final Benches benches;
  private final Options options;
  private final Consumer<String> progress;

  /**
   * How scenarios are run.
   *
   * @param rounds how often the clients take turns, there and back
   * @param quick short samples
   * @param seed of the payloads
   */
  public record Options(int rounds, boolean quick, long seed) {}

  /**
   * Prepares a run.
   *
   * @param benches on which
   * @param options how
   * @param progress told of each step
   */
  public ScenarioRun(Benches benches, Options options, Consumer<String> progress) {
    this.benches = benches;
    this.options = options;
    this.progress = progress;
  }

  /**
   * Takes all samples. A scenario that fails is told as such, and the next one goes on.
   *
   * @param scenarios what to run
   * @return one outcome for each
   */
  public List<Outcome> execute(List<Scenario> scenarios) {
    List<Outcome> outcomes = new ArrayList<>();
    for (Scenario scenario : scenarios) {
      progress.accept(scenario.name() + ": " + scenario.title());
      outcomes.add(run(scenario));
    }
    return outcomes;
  }

  private Outcome run(Scenario scenario) {
    List<Sample> samples = new ArrayList<>();
    try {
      TestBench bench = benches.of(scenario.brokers());
      List<Party> there = scenario.parties();
      for (int round = 0; round < options.rounds; round++) {
        for (Party party : there) {
          samples.add(sample(bench, scenario, party));
        }
        for (Party party : there.reversed()) {
          samples.add(sample(bench, scenario, party));
        }
      }
      return new Outcome(scenario, List.copyOf(samples), "");
    } catch (ClusterException | IllegalStateException e) {
      String first = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
      progress.accept(scenario.name() + " failed: " + e.getMessage());
      return new Outcome(scenario, List.copyOf(samples), first.replace("; the end of its log:", " (see its log)"));
    }
  }

  /**
   * Looks for the places where a client allocates, in one more JVM, which is slowed down by that.
   *
   * @param scenario whose work is there-and-back
   * @param party which client
   * @param share of the work that is done: 4 for a quarter of it
   * @return the largest places
   * @throws ClusterException when the client fails
   */
  public List<AllocationSite> sites(Scenario scenario, Party party, int share) {
    WorkSpec whole = party.spec(options.quick, options.seed);
    WorkSpec.Amount amount = whole.amount();
    WorkSpec spec = whole.of(new WorkSpec.Amount(Math.max(1, amount.warmUpRecords() / share), amount.warmUpMillis(),
        Math.max(1, amount.records() / share), 0, 0, 0));
    return benches.of(scenario.brokers())
        .sites(new TestBench.Subject(scenario.name(), party.label(), spec, party.jvmArguments()));
  }

  private Sample sample(TestBench bench, Scenario scenario, Party party) {
    WorkSpec spec = party.spec(options.quick, options.seed);
    TestBench.Subject subject = new TestBench.Subject(scenario.name(), party.label(), spec, party.jvmArguments());
    return switch (spec.work()) {
      case PRODUCE, SEND_AND_WAIT, TRANSACT, PENDING, END_TO_END, THERE_AND_BACK -> bench.write(subject);
      case CONSUME -> bench.read(subject, party.filling(options.quick, options.seed));
      case COLD_START -> bench.readFirst(subject, party.filling(options.quick, options.seed));
      case IDLE -> bench.atEmpty(subject);
      case TAIL -> bench.follow(subject,
          new TestBench.Subject(scenario.name(), "feeder", party.feeder(options.seed), List.of()));
      case PARK -> bench.alone(subject);
    };
  }
}
