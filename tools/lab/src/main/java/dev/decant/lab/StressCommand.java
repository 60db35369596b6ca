package dev.decant.lab;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.decant.lab.driver.WorkSpec;
import dev.decant.lab.report.HtmlReport;
import dev.decant.lab.report.ResultFile;
import dev.decant.lab.report.TextTable;
import dev.decant.lab.scenario.Bar;
import dev.decant.lab.scenario.Outcome;
import dev.decant.lab.scenario.Scenario;
import dev.decant.lab.scenario.ScenarioCatalog;
import dev.decant.lab.scenario.ScenarioRun;
import dev.decant.lab.scenario.StressScenarios;
import dev.decant.lab.stress.Benches;
import dev.decant.lab.stress.Sample;
import dev.decant.lab.stress.StressPlan;
import dev.decant.lab.stress.StressResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code decant stress}: measures producing and consuming. */
@Command(name = "stress", mixinStandardHelpOptions = true, sortOptions = false, description = {
    "Measures producing and consuming with Decant and with Apache's client.",
    "The clients take turns, each sample in a fresh JVM. The command compares throughput, processor time, allocation,"
        + " collections and latency. With --scenario or --scenario-file it runs scenarios instead, which bring their"
        + " own settings: see decant list."})
final class StressCommand implements Callable<Integer> {
  /** The scenarios of a run that names none. */
  private static final List<String> COMPARED = List.of("produce", "consume");
  private static final List<String> OF_COMPARISON = List.of("--clients", "--records", "--duration", "--record-size",
      "--partitions", "--acks", "--linger", "--batch-size");

  @Spec
  private CommandSpec spec = CommandSpec.create(); // picocli replaces it

  @Option(names = "--scenario", split = ",", paramLabel = "NAME", description = "produce, consume"
      + " (default: both), or names that decant list prints, or produce-all, consume-all,"
      + " tls-all, apache-all, work-all, all")
  private List<String> scenarios = new ArrayList<>();

  @Option(names = "--scenario-file", paramLabel = "FILE", description = "a scenario of your own; may be repeated")
  private List<Path> scenarioFiles = new ArrayList<>();

  @Option(names = "--clients", split = ",", paramLabel = "NAME",
      description = "decant, kafka-clients, decant-apache (Decant by Apache's"
          + " interfaces), agent (the driver of kafka-clients under Decant's agent), and bare-socket, a loop without a"
          + " client, at 100 bytes (default: decant, kafka-clients and bare-socket; without the last if --quick,"
          + " --bootstrap, --brokers or --acks 0 is given)")
  private @Nullable List<String> clients;

  @Option(names = "--records", paramLabel = "N",
      description = "records measured per produce sample (default: by time; with --quick by size)")
  private long records;

  @Option(names = "--duration", paramLabel = "SECONDS",
      description = "measure each sample for this long (default: 5; with --quick by records)")
  private double durationSeconds;

  @Option(names = "--record-size", split = ",", paramLabel = "BYTES",
      description = "lengths of values (default: 100,1000)")
  private @Nullable List<Integer> recordSizes;

  @Option(names = "--partitions", paramLabel = "N", defaultValue = "6", description = "of each topic (default: 6)")
  private int partitions;

  @Option(names = "--acks", paramLabel = "ACKS", defaultValue = "1",
      description = "0, 1 or all, which is idempotent (default: 1)")
  private String acks = "1";

  @Option(names = "--linger", paramLabel = "MILLIS", defaultValue = "5",
      description = "how long a batch may wait to fill (default: 5)")
  private int lingerMillis;

  @Option(names = "--batch-size", paramLabel = "BYTES", defaultValue = "65536",
      description = "how large a batch may grow (default: 65536)")
  private int batchSize;

  @Mixin
  private Measuring lab = new Measuring();

  @Override
  public Integer call() throws IOException {
    lab.check();
    List<Scenario> chosen = scenarios();
    return chosen.isEmpty() ? compare() : lab.run(chosen, () -> "stress: scenarios");
  }

  /** Returns the scenarios that the user has named; empty for the default comparison. */
  private List<Scenario> scenarios() {
    if (scenarioFiles.isEmpty() && COMPARED.containsAll(scenarios)) {
      return List.of();
    }
    for (String name : COMPARED) {
      require(!scenarios.contains(name), "--scenario " + name + " is the comparison without a scenario's file;"
          + " run it alone");
    }
    for (String option : OF_COMPARISON) {
      require(!spec.commandLine().getParseResult().hasMatchedOption(option), option
          + " is for the comparison without scenarios; save the scenario with decant list NAME, edit it, and run it"
          + " with --scenario-file");
    }
    return lab.reading(() -> {
      List<Scenario> chosen = new ArrayList<>(ScenarioCatalog.resolve(scenarios));
      scenarioFiles.forEach(file -> chosen.add(ScenarioCatalog.read(file)));
      return chosen;
    });
  }

  private int compare() throws IOException {
    StressPlan plan = plan();
    List<Scenario> compared = compared(plan);
    try (Session session = lab.open("stress", List.of())) {
      List<Outcome> outcomes;
      try (Benches benches = lab.benches(session)) {
        outcomes = new ScenarioRun(benches, new ScenarioRun.Options(plan.rounds(), plan.quick(), plan.seed()), session)
            .execute(compared);
      }
      StressResult result = StressScenarios.result(plan, outcomes);
      List<Outcome> judged = session.isEnding() ? List.of() : outcomes;
      ObjectNode root = ResultFile.of(result, lab.clusterName(), lab.originalArguments(), judged);
      String written = session.keep(lab.files(), root, HtmlReport::of);
      List<String> verdicts = judged.stream().flatMap(StressCommand::verdicts).toList();
      lab.print(session.hasNothing() ? "" : TextTable.of(result, verdicts), List.of(written));
      session.end(verdicts, written);
      return session.code(exitCode(outcomes, result, judged));
    }
  }

  /** Returns the scenarios of the default comparison, with the bars of their files or those of the user. */
  private List<Scenario> compared(StressPlan plan) {
    List<Scenario> scenarios = StressScenarios.of(plan);
    List<Bar<Sample>> expressions = lab.expressions();
    return expressions.isEmpty()
        ? scenarios
        : lab.reading(() -> scenarios.stream().map(each -> each.heldTo(expressions)).toList());
  }

  private static Stream<String> verdicts(Outcome outcome) {
    return outcome.bars().stream().map(bar -> outcome.scenario().name() + ": " + bar);
  }

  private int exitCode(List<Outcome> outcomes, StressResult result, List<Outcome> judged) {
    List<Outcome> failed = outcomes.stream().filter(each -> !each.failure().isEmpty() && !each.isInterrupted())
        .toList();
    failed.forEach(each -> lab.tell("decant: " + each.scenario().name() + ": " + each.failure()));
    if (lab.complainOf(result.wrongDeliveries()) || !failed.isEmpty()) {
      return Decant.FAILURE;
    }
    if (!lab.isAsserting()) {
      return 0;
    }
    for (Outcome outcome : judged) {
      outcome.bars().stream().filter(Bar.Judged::isUndecided)
          .forEach(bar -> lab.tell("decant: neither passed nor missed: " + outcome.scenario().name() + ": " + bar));
    }
    return judged.stream().allMatch(outcome -> outcome.missedBars().isEmpty()) ? 0 : 1;
  }

  private StressPlan plan() {
    List<Integer> sizes = recordSizes != null ? recordSizes : lab.isQuick() ? List.of(100) : List.of(100, 1000);
    require(sizes.stream().allMatch(size -> size >= 1 && size <= 1_000_000),
        "--record-size must be 1 to 1000000 bytes, not " + sizes);
    require(partitions >= 1 && partitions <= 1000, "--partitions must be 1 to 1000, not " + partitions);
    require(Set.of("0", "1", "all").contains(acks), "--acks must be 0, 1 or all, not " + acks);
    require(lingerMillis >= 0, "--linger must not be negative: " + lingerMillis);
    require(batchSize >= 1, "--batch-size must be positive, not " + batchSize);
    require(records >= 0, "--records must not be negative: " + records);
    require(durationSeconds >= 0, "--duration must not be negative: " + durationSeconds);
    require(records == 0 || durationSeconds == 0, "--records and --duration exclude each other");
    List<String> names = clients(sizes);
    require(
        !lab.isAsserting() || !lab.expressions().isEmpty()
            || (names.containsAll(List.of(StressPlan.DECANT, StressPlan.PEER)) && sizes.contains(StressPlan.BARE_SIZE)),
        "--assert needs both clients and records of 100 bytes: its bars are set for those");
    return new StressPlan(scenarios.isEmpty() ? COMPARED : scenarios.stream().distinct().toList(), names, sizes,
        records, durationMillis(), partitions, acks, lingerMillis, batchSize, lab.rounds(), lab.isQuick(),
        lab.jvmArguments(), lab.seed());
  }

  private long durationMillis() {
    return durationSeconds == 0 && records == 0 && !lab.isQuick()
        ? StressPlan.DEFAULT_MILLIS
        : (long) (durationSeconds * 1000);
  }

  /**
   * Returns the clients to compare. The loop without a client is among them if one broker leads all partitions and
   * acknowledges.
   */
  private List<String> clients(List<Integer> sizes) {
    boolean bareCanBe = lab.isOneBroker() && !acks.equals("0") && sizes.contains(StressPlan.BARE_SIZE);
    List<String> named = clients;
    if (named == null) {
      return bareCanBe && !lab.isQuick()
          ? List.of(StressPlan.DECANT, StressPlan.PEER, StressPlan.BARE)
          : List.of(StressPlan.DECANT, StressPlan.PEER);
    }
    require(
        Set.of("decant", WorkSpec.DECANT_APACHE, WorkSpec.AGENT, "kafka-clients", StressPlan.PEER, StressPlan.BARE)
            .containsAll(named),
        "--clients knows decant, decant-apache, agent, kafka-clients and bare-socket, not " + named);
    require(bareCanBe || !named.contains(StressPlan.BARE), "--clients bare-socket needs records of 100 bytes, --acks 1"
        + " or all, and the embedded cluster with one broker");
    require(!named.equals(List.of(StressPlan.BARE)), "--clients needs decant or kafka-clients beside bare-socket");
    return named.stream().map(name -> name.equals("kafka-clients") ? StressPlan.PEER : name).distinct().toList();
  }

  private void require(boolean holds, String message) {
    Usage.require(spec, holds, message);
  }
}
