package dev.decant.lab;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.decant.lab.report.HtmlReport;
import dev.decant.lab.report.ResultFile;
import dev.decant.lab.report.ScenarioResultFile;
import dev.decant.lab.report.ScenarioTable;
import dev.decant.lab.report.TextTable;
import dev.decant.lab.scenario.Outcome;
import dev.decant.lab.scenario.Scenario;
import dev.decant.lab.scenario.ScenarioCatalog;
import dev.decant.lab.scenario.ScenarioException;
import dev.decant.lab.scenario.ScenarioRun;
import dev.decant.lab.stress.Bar;
import dev.decant.lab.stress.Benches;
import dev.decant.lab.stress.Sample;
import dev.decant.lab.stress.StressPlan;
import dev.decant.lab.stress.StressResult;
import dev.decant.lab.stress.StressRun;
import dev.decant.lab.stress.TestBench;
import dev.decant.testkit.ExternalCluster;
import dev.decant.testkit.KafkaCluster;
import dev.decant.testkit.TestCluster;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code decant stress}: the main job. */
@Command(name = "stress", mixinStandardHelpOptions = true, sortOptions = false, description = {
    "Produces and consumes with Decant and with Apache's client, each sample in a fresh JVM, in turns,",
    "and compares throughput, processor time, allocation, collections and latency. With --scenario or",
    "--scenario-file it runs scenarios instead, which bring their own settings: see decant list."})
final class StressCommand implements Callable<Integer> {
  private static final Duration REACH = Duration.ofSeconds(15);
  /** What is compared without scenarios. */
  private static final List<String> COMPARED = List.of("produce", "consume");
  private static final List<String> OF_COMPARISON = List.of("--clients", "--records", "--duration", "--record-size",
      "--partitions", "--acks", "--linger", "--batch-size");

  @Spec
  private CommandSpec spec = CommandSpec.create(); // replaced by picocli

  @Option(names = "--scenario", split = ",", paramLabel = "NAME", description = {
      "produce, consume (default: both), or names that decant list prints,",
      "or produce-all, consume-all, all"})
  private List<String> scenarios = new ArrayList<>();

  @Option(names = "--scenario-file", paramLabel = "FILE", description = "a scenario of your own; may be repeated")
  private List<Path> scenarioFiles = new ArrayList<>();

  @Option(names = "--clients", split = ",", paramLabel = "NAME", defaultValue = "decant,kafka-clients",
      description = "decant, kafka-clients (default: both, in this order)")
  private List<String> clients = List.of();

  @Option(names = "--records", paramLabel = "N", description = "records measured per produce sample (default: by size)")
  private long records;

  @Option(names = "--duration", paramLabel = "SECONDS", description = "measure each sample for this long instead")
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

  @Option(names = "--bootstrap", paramLabel = "HOST:PORT",
      description = "an existing cluster instead of the embedded one")
  private @Nullable String bootstrap;

  @Option(names = "--brokers", paramLabel = "N", defaultValue = "1",
      description = "size of the embedded cluster, 1 or 3 (default: 1)")
  private int brokers;

  @Option(names = "--jvm-arg", paramLabel = "FLAG", description = "flag for the clients' JVMs; may be repeated")
  private List<String> jvmArguments = new ArrayList<>();

  @Option(names = "--rounds", paramLabel = "N", defaultValue = "1",
      description = "how often the clients take turns, there and back (default: 1)")
  private int rounds;

  @Option(names = "--seed", paramLabel = "N", defaultValue = "1", description = "of the payloads (default: 1)")
  private long seed;

  @Option(names = "--quick", description = "short samples, and 100-byte records only")
  private boolean quick;

  @Option(names = "--assert", description = "end with exit code 1 where one of Decant's bars is missed")
  private boolean asserting;

  @Mixin
  private ResultFiles files = new ResultFiles();

  @Override
  public Integer call() throws IOException {
    require(brokers == 1 || brokers == 3, "--brokers must be 1 or 3, not " + brokers);
    require(rounds >= 1, "--rounds must be positive, not " + rounds);
    List<Scenario> chosen = scenarios();
    return chosen.isEmpty() ? compare(plan()) : run(chosen);
  }

  /** The scenarios that were asked for; none for the usual comparison. */
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
    try {
      List<Scenario> chosen = new ArrayList<>(ScenarioCatalog.resolve(scenarios));
      scenarioFiles.forEach(file -> chosen.add(ScenarioCatalog.read(file)));
      return chosen;
    } catch (ScenarioException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
  }

  private int compare(StressPlan plan) throws IOException {
    StressResult result;
    try (TestCluster cluster = openCluster(brokers);
        TestBench bench = new TestBench(cluster, files.logs(), this::tell, plan.jvmArguments())) {
      result = new StressRun(plan, bench).execute();
    }
    ObjectNode root = ResultFile.of(result, clusterName(), spec.commandLine().getParseResult().originalArgs());
    String written = files.write(root, HtmlReport.of(root));
    List<String> lines = new ArrayList<>(result.bars().stream().map(Bar::toString).toList());
    lines.add(written);
    print(TextTable.of(result), lines);
    if (complainOf(result.wrongDeliveries())) {
      return Decant.FAILURE;
    }
    return asserting && !result.bars().stream().allMatch(Bar::isMet) ? 1 : 0;
  }

  private int run(List<Scenario> chosen) throws IOException {
    ScenarioRun.Options options = new ScenarioRun.Options(rounds, quick, seed);
    List<Outcome> outcomes;
    try (Benches benches = new Benches(this::openCluster, brokers, files.logs(), this::tell, jvmArguments)) {
      outcomes = new ScenarioRun(benches, options, this::tell).execute(chosen);
    }
    ObjectNode root = ScenarioResultFile.of(outcomes, new ScenarioResultFile.Origin(clusterName(),
        spec.commandLine().getParseResult().originalArgs(), options, jvmArguments));
    String written = files.write(root, HtmlReport.ofScenarios(root));
    print(ScenarioTable.of(outcomes), List.of(written));
    boolean failed = false;
    boolean missed = false;
    for (Outcome outcome : outcomes) {
      String name = outcome.scenario().name();
      if (!outcome.failure().isEmpty()) {
        tell("decant: " + name + ": " + outcome.failure());
        failed = true;
      }
      failed |= complainOf(outcome.wrongDeliveries());
      if (asserting) {
        outcome.missedBars().forEach(bar -> tell("decant: " + name + ": " + bar));
        missed |= !outcome.missedBars().isEmpty();
      }
    }
    return failed ? Decant.FAILURE : missed ? 1 : 0;
  }

  private String clusterName() {
    return bootstrap == null ? "embedded, " + brokers + " broker(s)" : bootstrap;
  }

  private void tell(String line) {
    PrintWriter progress = spec.commandLine().getErr();
    progress.println(line);
    progress.flush();
  }

  private void print(String table, List<String> lines) {
    PrintWriter screen = spec.commandLine().getOut();
    screen.println();
    screen.print(table);
    lines.forEach(screen::println);
    screen.flush();
  }

  private boolean complainOf(List<Sample> wrong) {
    for (Sample sample : wrong) {
      tell("decant: " + sample.client() + " delivered " + sample.delivered() + " of " + sample.expected() + " records ("
          + sample.scenario() + ", " + sample.recordSize() + " bytes)");
    }
    return !wrong.isEmpty();
  }

  private TestCluster openCluster(int size) {
    tell(bootstrap == null ? "starting " + size + " embedded broker(s)" : "connecting to " + bootstrap);
    if (bootstrap != null) {
      return ExternalCluster.connect(bootstrap, REACH);
    }
    return KafkaCluster.builder().brokers(size).jvmArguments(List.of("-Xms512m", "-Xmx1g")).start();
  }

  private StressPlan plan() {
    require(Set.of("decant", "kafka-clients", StressPlan.PEER).containsAll(clients),
        "--clients knows decant and kafka-clients, not " + clients);
    List<Integer> sizes = recordSizes != null ? recordSizes : quick ? List.of(100) : List.of(100, 1000);
    require(sizes.stream().allMatch(size -> size >= 1 && size <= 1_000_000),
        "--record-size must be 1 to 1000000 bytes, not " + sizes);
    require(partitions >= 1 && partitions <= 1000, "--partitions must be 1 to 1000, not " + partitions);
    require(Set.of("0", "1", "all").contains(acks), "--acks must be 0, 1 or all, not " + acks);
    require(lingerMillis >= 0, "--linger must not be negative: " + lingerMillis);
    require(batchSize >= 1, "--batch-size must be positive, not " + batchSize);
    require(records >= 0, "--records must not be negative: " + records);
    require(durationSeconds >= 0, "--duration must not be negative: " + durationSeconds);
    require(records == 0 || durationSeconds == 0, "--records and --duration exclude each other");
    List<String> names = clients.stream().map(name -> name.equals("kafka-clients") ? StressPlan.PEER : name).distinct()
        .toList();
    require(!asserting || (names.size() == 2 && sizes.contains(100)),
        "--assert needs both clients and records of 100 bytes: its bars are set for those");
    return new StressPlan(scenarios.isEmpty() ? COMPARED : scenarios.stream().distinct().toList(), names, sizes,
        records,
        (long) (durationSeconds * 1000), partitions, acks, lingerMillis, batchSize, rounds, quick, jvmArguments, seed);
  }

  private void require(boolean holds, String message) {
    Usage.require(spec, holds, message);
  }
}
