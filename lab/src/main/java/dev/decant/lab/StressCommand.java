package dev.decant.lab;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.decant.lab.report.HtmlReport;
import dev.decant.lab.report.ResultFile;
import dev.decant.lab.report.TextTable;
import dev.decant.lab.stress.Bar;
import dev.decant.lab.stress.Sample;
import dev.decant.lab.stress.StressPlan;
import dev.decant.lab.stress.StressResult;
import dev.decant.lab.stress.StressRun;
import dev.decant.testkit.ExternalCluster;
import dev.decant.testkit.KafkaCluster;
import dev.decant.testkit.TestCluster;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code decant stress}: the main job. */
@Command(name = "stress", mixinStandardHelpOptions = true, sortOptions = false, description = {
    "Produces and consumes with Decant and with Apache's client, each sample in a fresh JVM, in turns,",
    "and compares throughput, processor time, allocation, collections and latency."})
final class StressCommand implements Callable<Integer> {
  private static final Duration REACH = Duration.ofSeconds(15);

  @Spec
  private CommandSpec spec = CommandSpec.create(); // replaced by picocli

  @Option(names = "--scenario", split = ",", paramLabel = "NAME", defaultValue = "produce,consume",
      description = "produce, consume (default: both)")
  private List<String> scenarios = List.of();

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

  @Option(names = "--quick", description = "100-byte records only, short samples")
  private boolean quick;

  @Option(names = "--json", paramLabel = "FILE", description = "where to write the result (default: DIR/result.json)")
  private @Nullable Path json;

  @Option(names = "--out", paramLabel = "DIR", defaultValue = "decant-result",
      description = "directory for result.json, report.html and logs (default: decant-result)")
  private Path out = Path.of("");

  @Option(names = "--assert", description = "end with exit code 1 where one of Decant's bars is missed")
  private boolean asserting;

  @Override
  public Integer call() throws IOException {
    StressPlan plan = plan();
    PrintWriter screen = spec.commandLine().getOut();
    PrintWriter progress = spec.commandLine().getErr();
    progress.println(bootstrap == null ? "starting " + brokers + " embedded broker(s)" : "connecting to " + bootstrap);
    progress.flush();
    StressResult result;
    try (TestCluster cluster = openCluster()) {
      result = new StressRun(plan, cluster, out.resolve("logs"), line -> {
        progress.println(line);
        progress.flush();
      }).execute();
    }
    ObjectNode root = ResultFile.of(result, bootstrap == null ? "embedded, " + brokers + " broker(s)" : bootstrap,
        spec.commandLine().getParseResult().originalArgs());
    write(json == null ? out.resolve("result.json") : json, ResultFile.text(root));
    write(out.resolve("report.html"), HtmlReport.of(root));
    screen.println();
    screen.print(TextTable.of(result));
    return verdict(result, screen);
  }

  private TestCluster openCluster() {
    if (bootstrap != null) {
      return ExternalCluster.connect(bootstrap, REACH);
    }
    return KafkaCluster.builder().brokers(brokers).jvmArguments(List.of("-Xms512m", "-Xmx1g")).start();
  }

  private int verdict(StressResult result, PrintWriter screen) {
    List<Bar> bars = result.bars();
    bars.forEach(screen::println);
    screen
        .println("written: " + (json == null ? out.resolve("result.json") : json) + ", " + out.resolve("report.html"));
    screen.flush();
    for (Sample wrong : result.wrongDeliveries()) {
      spec.commandLine().getErr().println("decant: " + wrong.client() + " delivered " + wrong.delivered() + " of "
          + wrong.expected() + " records (" + wrong.scenario() + ", " + wrong.recordSize() + " bytes)");
    }
    if (!result.wrongDeliveries().isEmpty()) {
      return Decant.FAILURE;
    }
    return asserting && !bars.stream().allMatch(Bar::isMet) ? 1 : 0;
  }

  private StressPlan plan() {
    require(Set.of("produce", "consume").containsAll(scenarios), "--scenario knows produce and consume, not "
        + scenarios);
    require(Set.of("decant", "kafka-clients", StressPlan.PEER).containsAll(clients),
        "--clients knows decant and kafka-clients, not " + clients);
    List<Integer> sizes = recordSizes != null ? recordSizes : quick ? List.of(100) : List.of(100, 1000);
    require(sizes.stream().allMatch(size -> size >= 1 && size <= 1_000_000),
        "--record-size must be 1 to 1000000 bytes, not " + sizes);
    require(partitions >= 1 && partitions <= 1000, "--partitions must be 1 to 1000, not " + partitions);
    require(Set.of("0", "1", "all").contains(acks), "--acks must be 0, 1 or all, not " + acks);
    require(lingerMillis >= 0, "--linger must not be negative: " + lingerMillis);
    require(batchSize >= 1, "--batch-size must be positive, not " + batchSize);
    require(brokers == 1 || brokers == 3, "--brokers must be 1 or 3, not " + brokers);
    require(rounds >= 1, "--rounds must be positive, not " + rounds);
    require(records >= 0, "--records must not be negative: " + records);
    require(durationSeconds >= 0, "--duration must not be negative: " + durationSeconds);
    require(records == 0 || durationSeconds == 0, "--records and --duration exclude each other");
    List<String> names = clients.stream().map(name -> name.equals("kafka-clients") ? StressPlan.PEER : name).distinct()
        .toList();
    require(!asserting || (names.size() == 2 && sizes.contains(100)),
        "--assert needs both clients and records of 100 bytes: its bars are set for those");
    return new StressPlan(scenarios.stream().distinct().toList(), names, sizes, records,
        (long) (durationSeconds * 1000), partitions, acks, lingerMillis, batchSize, rounds, quick, jvmArguments, seed);
  }

  private void require(boolean holds, String message) {
    if (!holds) {
      throw new ParameterException(spec.commandLine(), message);
    }
  }

  private static void write(Path file, String text) throws IOException {
    Path directory = file.toAbsolutePath().getParent();
    if (directory != null) {
      Files.createDirectories(directory);
    }
    Files.writeString(file, text);
  }
}
