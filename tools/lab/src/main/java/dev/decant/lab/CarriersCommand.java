package dev.decant.lab;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.decant.lab.carriers.CarriersPlan;
import dev.decant.lab.carriers.CarriersResult;
import dev.decant.lab.carriers.CarriersRun;
import dev.decant.lab.carriers.LoadKind;
import dev.decant.lab.report.CarriersFile;
import dev.decant.lab.report.CarriersTable;
import dev.decant.lab.report.HtmlReport;
import dev.decant.lab.server.ServerKind;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code decant carriers}: the best setting for virtual threads on this machine. */
@Command(name = "carriers", mixinStandardHelpOptions = true, sortOptions = false, description = {
    "Measures HTTP servers on virtual threads, beside NIO servers, and says what this machine should use.",
    "It varies the number of carrier threads, their poller modes and their priorities. Each server has a fresh JVM, and"
        + " the load generator has another one, on loopback. Needs no broker."})
final class CarriersCommand implements Callable<Integer> {
  private static final long QUICK_WARM_UP_MILLIS = 1500;
  private static final double QUICK_SECONDS = 1.5;
  private static final long WARM_UP_MILLIS = 3000;
  private static final double SECONDS = 5;
  private static final int MOST_CONNECTIONS = 5000;
  private static final int MOST_CARRIERS = 256;
  private static final double LONGEST_SECONDS = 600;
  private static final int LOWEST_PRIORITY = 19;

  @Spec
  private CommandSpec spec = CommandSpec.create(); // picocli replaces it

  @Option(names = "--servers", split = ",", paramLabel = "NAME",
      description = "on virtual threads: minimal, robaho, jdk; NIO: selector, netty (default: all)")
  private List<String> servers = ServerKind.names();

  @Option(names = "--connections", split = ",", paramLabel = "N",
      description = "of the plain load (default: 100,1000; 100 with --quick)")
  private @Nullable List<Integer> connections;

  @Option(names = "--load", split = ",", paramLabel = "NAME", description = "plain: each sends"
      + " one small request after another; mixed: 20 pause 5 ms after each response, and are measured, beside 50 that"
      + " ask for computations of 200 us (default: both)")
  private List<String> loads = LoadKind.names();

  @Option(names = "--duration", paramLabel = "SECONDS", description = "of each sample (default: 5; 1.5 with --quick)")
  private @Nullable Double durationSeconds;

  @Option(names = "--parallelism", split = ",", paramLabel = "N",
      description = "carrier threads, and event loops (default: 1, the number of CPUs, and twice that)")
  private @Nullable List<Integer> parallelism;

  @Option(names = "--poller-modes", split = ",", paramLabel = "N", defaultValue = "2,1",
      description = "2: pollers are virtual threads, the JDK's choice on Linux; 1: platform threads (default: 2,1)")
  private List<Integer> pollerModes = List.of();

  @Option(names = "--read-pollers", split = ",", paramLabel = "N", defaultValue = "1",
      description = "beside the JDK's own choice; powers of two (default: 1)")
  private List<Integer> readPollers = List.of();

  @Option(names = "--nice", split = ",", paramLabel = "N",
      description = "priorities of the carriers, 0 to 19 (default: 0,5,19; 0,19 with --quick)")
  private @Nullable List<Integer> nice;

  @Option(names = "--rounds", paramLabel = "N", defaultValue = "1",
      description = "how often all setups take turns, there and back (default: 1)")
  private int rounds;

  @Option(names = "--quick", description = "only the most telling setups, short samples: below 4 minutes on 2 CPUs")
  private boolean quick;

  @Option(names = "--jvm-arg", paramLabel = "FLAG", description = "flag for the servers' JVMs; may be repeated")
  private List<String> jvmArguments = new ArrayList<>();

  @Mixin
  private LiveOptions live = new LiveOptions();

  @Mixin
  private ResultFiles files = new ResultFiles();

  @Override
  public Integer call() throws IOException {
    CarriersPlan plan = plan(Runtime.getRuntime().availableProcessors());
    PrintWriter screen = spec.commandLine().getOut();
    PrintWriter progress = spec.commandLine().getErr();
    live.check(spec);
    try (Session session = new Session(spec, live, "carriers", "", List.of())) {
      CarriersResult result = new CarriersRun(plan, files.logs(), session).execute();
      ObjectNode root = CarriersFile.of(result, spec.commandLine().getParseResult().originalArgs());
      String written = session.keep(files, root, HtmlReport::ofCarriers);
      screen.println();
      screen.print(session.hasNothing() ? "" : CarriersTable.of(result));
      screen.println(written);
      screen.flush();
      result.failures().forEach(failure -> progress.println("decant: " + failure));
      progress.flush();
      session.end(List.of(result.advice()), written);
      return session.code(result.failures().isEmpty() ? 0 : Decant.FAILURE);
    }
  }

  private CarriersPlan plan(int cpus) {
    requireNames("--servers", servers, ServerKind.names());
    requireNames("--load", loads, LoadKind.names());
    List<Integer> counts = connections != null ? connections : quick ? List.of(100) : List.of(100, 1000);
    requireRange("--connections", counts, 1, MOST_CONNECTIONS);
    List<Integer> carriers = parallelism != null
        ? parallelism
        : List.copyOf(new TreeSet<>(List.of(1, cpus, 2 * cpus)));
    requireRange("--parallelism", carriers, 1, MOST_CARRIERS);
    requireRange("--poller-modes", pollerModes, 1, 2);
    require(
        readPollers.stream().allMatch(count -> count >= 1 && count <= MOST_CARRIERS && Integer.bitCount(count) == 1),
        "--read-pollers must be powers of two up to " + MOST_CARRIERS + ", not " + readPollers);
    List<Integer> priorities = nice != null
        ? nice
        : quick ? List.of(0, LOWEST_PRIORITY) : List.of(0, 5, LOWEST_PRIORITY);
    requireRange("--nice", priorities, 0, LOWEST_PRIORITY);
    double seconds = durationSeconds != null ? durationSeconds : quick ? QUICK_SECONDS : SECONDS;
    require(seconds >= 0.1 && seconds <= LONGEST_SECONDS,
        "--duration must be 0.1 to " + (int) LONGEST_SECONDS + " seconds, not " + seconds);
    require(rounds >= 1, "--rounds must be positive, not " + rounds);
    return new CarriersPlan(servers.stream().distinct().map(ServerKind::of).toList(),
        loads.stream().distinct().map(LoadKind::of).toList(), distinct(counts), distinct(carriers),
        distinct(pollerModes), distinct(readPollers), distinct(priorities), cpus,
        quick ? QUICK_WARM_UP_MILLIS : WARM_UP_MILLIS, (long) (seconds * 1000), rounds, quick, jvmArguments);
  }

  private static List<Integer> distinct(List<Integer> values) {
    return values.stream().distinct().toList();
  }

  private void requireNames(String option, List<String> names, List<String> known) {
    require(!names.isEmpty() && known.containsAll(names),
        option + " knows " + String.join(", ", known) + ", not " + names);
  }

  private void requireRange(String option, List<Integer> values, int least, int most) {
    require(!values.isEmpty() && values.stream().allMatch(value -> value >= least && value <= most),
        option + " must be " + least + " to " + most + ", not " + values);
  }

  private void require(boolean holds, String message) {
    Usage.require(spec, holds, message);
  }
}
