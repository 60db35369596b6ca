package dev.decant.lab;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.decant.lab.fix.Engine;
import dev.decant.lab.fix.EpsilonProof;
import dev.decant.lab.fix.FixJvm;
import dev.decant.lab.fix.FixMode;
import dev.decant.lab.fix.FixPlan;
import dev.decant.lab.fix.FixResult;
import dev.decant.lab.fix.FixRun;
import dev.decant.lab.fix.FixVerdict;
import dev.decant.lab.fix.FixWork;
import dev.decant.lab.fix.Processors;
import dev.decant.lab.jvm.JavaRuntime;
import dev.decant.lab.live.Turn;
import dev.decant.lab.report.FixFile;
import dev.decant.lab.report.FixTable;
import dev.decant.lab.report.HtmlReport;
import dev.decant.testkit.ClusterException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code decant fix}: the reference test of FIX engines. */
@Command(name = "fix", mixinStandardHelpOptions = true, sortOptions = false,
    subcommands = {FixAcceptorCommand.class, FixManyCommand.class, FixLogCommand.class, FixSessionsCommand.class,
        FixStoreCommand.class, FixTransferCommand.Import.class, FixTransferCommand.Export.class},
    description = {
        "Measures FIX engines: sends orders of 150 bytes (FIX.4.2) and waits for the echo of each.",
        "Both sessions are in one JVM and talk over loopback. Decant stands there with each of its stores, beside other"
            + " engines and the same bytes over a socket without an engine. They take turns, each sample in a fresh"
            + " JVM. Other works are one way, at a rate with heartbeats, and idle. Needs no broker."})
final class FixCommand implements Callable<Integer> {
  private static final long MESSAGES = 1_000_000;
  private static final long QUICK_MESSAGES = 100_000;
  private static final long EPSILON_MESSAGES = 10_000_000;
  private static final long QUICK_EPSILON_MESSAGES = 1_000_000;
  private static final long MOST_MESSAGES = 1_000_000_000;
  private static final long SAMPLE_MILLIS = 40_000;
  private static final long QUICK_SAMPLE_MILLIS = 5_000;
  private static final long PACED_MILLIS = 13_000;
  private static final long QUICK_PACED_MILLIS = 6_500;
  private static final long IDLE_MILLIS = 60_000;
  private static final long QUICK_IDLE_MILLIS = 10_000;
  private static final int MOST_PER_SECOND = 1_000_000;
  private static final String DECANT = "decant";
  private static final String QUICKFIXJ = "quickfixj";
  private static final List<String> ENGINES = List.of(Engine.BARE_SOCKET.label(), DECANT,
      Engine.ADAPTER_MEMORY.label(), Engine.PHILADELPHIA.label(), QUICKFIXJ);
  private static final List<String> STORES = List.of("memory", "file", "async");
  private static final List<String> PEER_STORES = List.of("memory", "file");

  @Spec
  private CommandSpec spec = CommandSpec.create(); // picocli replaces it

  @Option(names = "--engines", split = ",", paramLabel = "NAME",
      description = "bare-socket, decant, adapter-memory (an application of QuickFIX/J on Decant), philadelphia,"
          + " quickfixj (default: all)")
  private List<String> engines = ENGINES;

  @Option(names = "--store", split = ",", paramLabel = "NAME",
      description = "of Decant: memory, file, async (default: all)")
  private List<String> stores = STORES;

  @Option(names = "--quickfixj-store", split = ",", paramLabel = "NAME",
      description = "memory, file (default: both; memory with --quick)")
  private List<String> peerStores = PEER_STORES;

  @Option(names = "--work", split = ",", paramLabel = "NAME",
      description = "round-trips, round-trips-logged, one-way, paced, idle (default: all but idle)")
  private @Nullable List<String> works;

  @Option(names = "--modes", split = ",", paramLabel = "NAME", description = "one-cpu,"
      + " two-cpus-spinning, two-cpus-blocking, for all works (default: those that each work is for)")
  private List<String> modes = new ArrayList<>();

  @Option(names = "--idle", description = "also 10 pairs of sessions that send nothing but a heartbeat each"
      + " second for a minute: as many timers as those of one pair in an hour and more")
  private boolean idle;

  @Option(names = "--messages", paramLabel = "N",
      description = "of each sample (default: 1000000; 100000 with --quick; ten times that with --epsilon)")
  private @Nullable Long messages;

  @Option(names = "--rate", paramLabel = "N", defaultValue = "5000",
      description = "orders per second of paced work (default: 5000)")
  private int rate;

  @Option(names = "--epsilon", description = "instead of all that: ten million round trips of Decant with each"
      + " store in a JVM that never collects, with -XX:+UseEpsilonGC -Xmx64m; exit code 1 if one does not end well")
  private boolean epsilon;

  @Option(names = "--rounds", paramLabel = "N", defaultValue = "1",
      description = "how often all engines take turns, there and back (default: 1)")
  private int rounds;

  @Option(names = "--quick", description = "short samples, and only what the bars compare")
  private boolean quick;

  @Option(names = "--assert", description = "end with exit code 1 where one of the bars is missed")
  private boolean asserting;

  @Option(names = "--jvm-arg", paramLabel = "FLAG", description = "flag for the engines' JVMs; may be repeated")
  private List<String> jvmArguments = new ArrayList<>();

  @Option(names = "--java", paramLabel = "PATH", description = "a JVM, by its home directory or its program java: each"
      + " engine is measured on it and on the lab's own, in turns; may be repeated")
  private List<String> javas = new ArrayList<>();

  @Option(names = "--scratch", paramLabel = "DIR",
      description = "where engines write stores and logs, which are deleted again (default: that for temporary files)")
  private Path scratch = Path.of(System.getProperty("java.io.tmpdir"));

  @Mixin
  private LiveOptions live = new LiveOptions();

  @Mixin
  private ResultFiles files = new ResultFiles();

  @Override
  public Integer call() throws IOException {
    FixPlan plan = plan();
    live.check(spec);
    try (Session session = new Session(spec, live, "fix", "", List.of())) {
      return epsilon ? prove(session) : measure(plan, session);
    }
  }

  private int measure(FixPlan plan, Session session) throws IOException {
    FixResult result = new FixRun(plan, Processors.ofThisMachine(), files.logs(), scratch, session).execute();
    ObjectNode root = FixFile.of(result, plan, spec.commandLine().getParseResult().originalArgs());
    List<FixVerdict> bars = result.bars();
    finish(session, root, FixTable.of(result), bars.stream().map(FixVerdict::toString).toList(), result.failures());
    int missed = asserting && bars.stream().anyMatch(bar -> bar.judged().isMissed()) ? 1 : 0;
    return session.code(result.failures().isEmpty() ? missed : Decant.FAILURE);
  }

  private int prove(Session session) throws IOException {
    List<Engine> proved = selected().stream().filter(Engine::isDecant).toList();
    Usage.require(spec, !proved.isEmpty(), "--epsilon is for Decant, which is not among --engines");
    EpsilonProof proof = new EpsilonProof(Processors.ofThisMachine(), files.logs(), scratch, session);
    long count = messages != null ? messages : quick ? QUICK_EPSILON_MESSAGES : EPSILON_MESSAGES;
    session.onPlan(proved.stream().map(engine -> new Turn("epsilon", engine.label(), 1)).toList());
    List<EpsilonProof.Ending> endings = new ArrayList<>();
    for (int i = 0; i < proved.size() && !session.isEnding(); i++) {
      session.onBegin(i);
      EpsilonProof.Ending ending = proof.run(proved.get(i), count);
      if (ending.failure().isEmpty()) {
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put("round_trips", (double) ending.messages());
        figures.put("allocated_bytes", (double) ending.allocatedBytes());
        session.onSample(i, figures, List.of());
      } else {
        session.onFailure(i, ending.failure());
      }
      if (!session.isEnding()) {
        endings.add(ending);
        session.onLine(ending.toString());
      }
    }
    ObjectNode root = FixFile.ofEpsilon(endings, spec.commandLine().getParseResult().originalArgs());
    List<String> lines = endings.stream().map(EpsilonProof.Ending::toString).toList();
    finish(session, root, String.join("\n", lines) + "\n", lines, List.of());
    return session.code(endings.stream().allMatch(ending -> ending.failure().isEmpty()) ? 0 : 1);
  }

  private void finish(Session session, ObjectNode root, String table, List<String> verdicts, List<String> failures)
      throws IOException {
    String written = session.keep(files, root, HtmlReport::ofFix);
    PrintWriter screen = spec.commandLine().getOut();
    screen.println();
    screen.print(session.hasNothing() ? "" : table);
    screen.println(written);
    screen.flush();
    PrintWriter progress = spec.commandLine().getErr();
    failures.forEach(failure -> progress.println("decant: " + failure));
    progress.flush();
    session.end(verdicts, written);
  }

  private FixPlan plan() {
    requireNames("--engines", engines, ENGINES);
    requireNames("--store", stores, STORES);
    requireNames("--quickfixj-store", peerStores, PEER_STORES);
    List<String> named = works != null ? works : FixWork.labels().stream().filter(work -> !isIdle(work)).toList();
    requireNames("--work", named, FixWork.labels());
    if (!modes.isEmpty()) {
      requireNames("--modes", modes, FixMode.labels());
    }
    require(messages == null || (messages >= 1 && messages <= MOST_MESSAGES),
        "--messages must be 1 to " + MOST_MESSAGES + ", not " + messages);
    require(rate >= 1 && rate <= MOST_PER_SECOND, "--rate must be 1 to " + MOST_PER_SECOND + ", not " + rate);
    require(rounds >= 1, "--rounds must be positive, not " + rounds);
    require(!asserting || !epsilon, "--assert is not for --epsilon, which ends with exit code 1 by itself");
    List<FixWork> done = FixWork.labels().stream().filter(work -> named.contains(work) || (idle && isIdle(work)))
        .map(FixWork::labelled).toList();
    long count = messages != null ? messages : quick ? QUICK_MESSAGES : MESSAGES;
    FixPlan.Size size = new FixPlan.Size(count, quick ? QUICK_SAMPLE_MILLIS : SAMPLE_MILLIS,
        quick ? QUICK_PACED_MILLIS : PACED_MILLIS, quick ? QUICK_IDLE_MILLIS : IDLE_MILLIS, rate);
    FixPlan plan = new FixPlan(selected(), done, modes.stream().distinct().map(FixMode::labelled).toList(), size,
        rounds, quick, jvmArguments, otherJvms());
    require(epsilon || !plan.setups().isEmpty(), "no engine of --engines does the work in that mode");
    return plan;
  }

  private List<JavaRuntime> otherJvms() {
    require(javas.isEmpty() || !epsilon, "--java is not for --epsilon");
    List<JavaRuntime> others = new ArrayList<>();
    Set<String> versions = new HashSet<>(Set.of(JavaRuntime.own().version()));
    for (String path : javas) {
      try {
        JavaRuntime other = JavaRuntime.at(path);
        selected().forEach(engine -> FixJvm.requireToRunOn(engine, other));
        require(versions.add(other.version()), "--java: " + other.launcher() + " is " + other.title()
            + ", which is measured already: give JVMs of different versions");
        others.add(other);
      } catch (IllegalArgumentException | ClusterException e) {
        throw new ParameterException(spec.commandLine(), "--java: " + e.getMessage(), e);
      }
    }
    return others;
  }

  private static boolean isIdle(String work) {
    return work.equals(FixWork.IDLE.label());
  }

  private List<Engine> selected() {
    List<Engine> chosen = new ArrayList<>();
    for (String name : engines.stream().distinct().toList()) {
      switch (name) {
        case DECANT -> stores.stream().distinct().forEach(store -> chosen.add(Engine.labelled(name + "-" + store)));
        case QUICKFIXJ -> peerStores.stream().distinct()
            .forEach(store -> chosen.add(Engine.labelled(name + "-" + store)));
        default -> chosen.add(Engine.labelled(name));
      }
    }
    return chosen;
  }

  private void requireNames(String option, List<String> names, List<String> known) {
    require(!names.isEmpty() && known.containsAll(names),
        option + " knows " + String.join(", ", known) + ", not " + names);
  }

  private void require(boolean holds, String message) {
    Usage.require(spec, holds, message);
  }
}
