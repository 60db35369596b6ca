package dev.decant.lab;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.client.KafkaClientBuilder;
import dev.decant.lab.driver.ClientConfig;
import dev.decant.lab.driver.WorkSpec;
import dev.decant.lab.report.HtmlReport;
import dev.decant.lab.report.ScenarioResultFile;
import dev.decant.lab.scenario.Bar;
import dev.decant.lab.scenario.Outcome;
import dev.decant.lab.scenario.Scenario;
import dev.decant.lab.scenario.ScenarioException;
import dev.decant.lab.scenario.ScenarioRun;
import dev.decant.lab.stress.Benches;
import dev.decant.lab.stress.ClusterAccess;
import dev.decant.lab.stress.Sample;
import dev.decant.lab.stress.Sample;
import dev.decant.testkit.ExternalCluster;
import dev.decant.testkit.KafkaCluster;
import dev.decant.testkit.TestCluster;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options of all commands that measure clients on a cluster, and the steps that these commands share. */
final class Measuring {
  private static final Duration REACH = Duration.ofSeconds(15);
  /** The value of {@code --assert} without an expression. */
  private static final String DEFAULT_BARS = "bars";

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec = CommandSpec.create(); // picocli replaces it

  @Option(names = "--bootstrap", paramLabel = "HOST:PORT",
      description = "an existing cluster instead of the embedded one")
  private @Nullable String bootstrap;

  @Option(names = "--client-config", paramLabel = "FILE", description = "a Kafka client properties file for every"
      + " client on --bootstrap, such as Kafka's own tools take; settings of a scenario win")
  private @Nullable Path clientConfig;

  @Option(names = "--brokers", paramLabel = "N", defaultValue = "1",
      description = "size of the embedded cluster, 1 or 3 (default: 1)")
  private int brokers;

  @Option(names = "--jvm-arg", paramLabel = "FLAG", description = "flag for the clients' JVMs; may be repeated")
  private List<String> jvmArguments = new ArrayList<>();

  @Option(names = "--rounds", paramLabel = "N",
      description = "how often the clients take turns, there and back (default: 1; of compare 3)")
  private int rounds = 1;

  @Option(names = "--seed", paramLabel = "N", defaultValue = "1", description = "of the payloads (default: 1)")
  private long seed;

  @Option(names = "--quick", description = "short samples")
  private boolean quick;

  @Option(names = "--assert", arity = "0..1", fallbackValue = DEFAULT_BARS, paramLabel = "EXPR", description = "end"
      + " with exit code 1 if a bar is missed; with EXPR, if that does not hold, such as"
      + " 'decant.cpu_us_per_record <= 0.2 * kafka-clients.cpu_us_per_record'; may be repeated")
  private List<String> assertions = new ArrayList<>();

  /** True if a scenario of the run needs TLS on the embedded cluster. */
  private boolean encrypted;
  /** TLS version and cipher suite of the run's connections; empty before the first connection, and without TLS. */
  private String tls = "";

  @Mixin
  private LiveOptions live = new LiveOptions();

  @Mixin
  private ResultFiles files = new ResultFiles();

  /** Rejects options that cannot be run, before anything is started. */
  void check() {
    require(brokers == 1 || brokers == 3, "--brokers must be 1 or 3, not " + brokers);
    require(rounds >= 1, "--rounds must be positive, not " + rounds);
    require(bootstrap == null || Usage.areAddresses(bootstrap),
        "--bootstrap must be HOST:PORT, or several with commas, not \"" + bootstrap + "\"");
    checkClientConfig();
    live.check(spec);
    var unused = expressions();
  }

  /** Reads the client config once: otherwise the run would end with the error at its first client. */
  private void checkClientConfig() {
    if (clientConfig == null) {
      return;
    }
    require(bootstrap != null, "--client-config needs --bootstrap: it is for a cluster of your own");
    try {
      ClientConfig config = clientConfig();
      Map<String, String> settings = new HashMap<>(config.settings());
      settings.put("bootstrap.servers", bootstrap == null ? "" : bootstrap);
      KafkaClientBuilder unused = KafkaClient.builder(settings);
      if (!config.unused().isEmpty()) {
        tell("--client-config " + config + ": not used, since each run sets them: "
            + String.join(", ", config.unused()));
      }
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(),
          "--client-config " + clientConfig + ": " + String.valueOf(e.getMessage()).replace("\n", "; "), e);
    }
  }

  private ClientConfig clientConfig() {
    return ClientConfig.read(clientConfig == null ? "" : clientConfig.toAbsolutePath().toString());
  }

  boolean isQuick() {
    return quick;
  }

  int rounds() {
    return rounds;
  }

  /** Sets the number of turns for a user who gives none. */
  void roundsByDefault(int byDefault) {
    if (!spec.commandLine().getParseResult().hasMatchedOption("--rounds")) {
      rounds = byDefault;
    }
  }

  long seed() {
    return seed;
  }

  List<String> jvmArguments() {
    return jvmArguments;
  }

  boolean isAsserting() {
    return !assertions.isEmpty();
  }

  /** Returns the bars that replace the scenario's own; empty if the user gave none. */
  List<Bar<Sample>> expressions() {
    List<Bar<Sample>> bars = new ArrayList<>();
    for (String assertion : assertions) {
      try {
        if (!assertion.equals(DEFAULT_BARS)) {
          Bar<Sample> bar = Bar.parse(assertion);
          require(!bar.informational(), "--assert: \"" + assertion + "\" is informational, so no run fails for it");
          bars.add(bar);
        }
      } catch (IllegalArgumentException e) {
        throw new ParameterException(spec.commandLine(), "--assert: " + e.getMessage(), e);
      }
    }
    return bars;
  }

  /** Runs code that reads the user's scenarios, and reports wrong ones as wrong usage. */
  <T> T reading(Supplier<T> reader) {
    try {
      return reader.get();
    } catch (ScenarioException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
  }

  void require(boolean holds, String message) {
    Usage.require(spec, holds, message);
  }

  /** Runs scenarios, writes their result and its page, prints their table, and returns the exit code. */
  int run(List<Scenario> chosen, View view) throws IOException {
    List<Bar<Sample>> expressions = expressions();
    encrypted = chosen.stream().anyMatch(Scenario::isEncrypted);
    require(!encrypted || bootstrap == null || clientConfig().isEncrypted(),
        "a scenario wants TLS: give a --client-config with security.protocol SSL or SASL_SSL");
    List<Scenario> possible = bootstrap == null ? chosen : chosen.stream().map(Scenario::onGivenCluster).toList();
    List<Scenario> held = expressions.isEmpty()
        ? possible
        : reading(() -> possible.stream().map(scenario -> scenario.heldTo(expressions)).toList());
    ScenarioRun.Options options = new ScenarioRun.Options(rounds, quick, seed);
    try (Session session = open(view.title(), view.shown())) {
      List<Outcome> outcomes = measure(held, options, view, session);
      ObjectNode root = ScenarioResultFile.of(outcomes, new ScenarioResultFile.Origin(view.title(), clusterName(),
          originalArguments(), options, jvmArguments));
      ScenarioResultFile.draw(root, view.charts(outcomes));
      view.describe(outcomes, root);
      String written = session.keep(files, root, HtmlReport::ofScenarios);
      print(session.hasNothing() ? "" : view.table(outcomes),
          tls.isEmpty() ? List.of(written) : List.of("TLS: " + tls + ", the same for all clients", written));
      session.end(view.verdicts(outcomes), written);
      return session.code(exitCode(outcomes));
    }
  }

  private List<Outcome> measure(List<Scenario> held, ScenarioRun.Options options, View view, Session session) {
    try (Benches benches = benches(session)) {
      ScenarioRun run = new ScenarioRun(benches, options, session);
      List<Outcome> outcomes = run.execute(held);
      if (!session.isEnding()) {
        session.interruptibly(() -> view.after(run, outcomes));
      }
      return outcomes;
    }
  }

  /** Starts the display of a run. */
  Session open(String title, List<String> shown) {
    return new Session(spec, live, title, clusterName(), shown);
  }

  Benches benches(Session session) {
    return new Benches(size -> openCluster(size, session), bootstrap == null, brokers, files.logs(), session,
        jvmArguments);
  }

  private int exitCode(List<Outcome> outcomes) {
    boolean failed = false;
    boolean missed = false;
    for (Outcome outcome : outcomes) {
      String name = outcome.scenario().name();
      if (!outcome.failure().isEmpty() && !outcome.isInterrupted()) {
        tell("decant: " + name + ": " + outcome.failure());
        failed = true;
      }
      failed |= complainOf(outcome.wrongDeliveries());
      if (isAsserting()) {
        outcome.missedBars().forEach(bar -> tell("decant: " + name + ": " + bar));
        missed |= !outcome.missedBars().isEmpty();
        outcome.bars().stream().filter(Bar.Judged::isUndecided)
            .forEach(bar -> tell("decant: " + name + ": neither passed nor missed: " + bar));
      }
    }
    return failed ? Decant.FAILURE : missed ? 1 : 0;
  }

  List<String> originalArguments() {
    return spec.commandLine().getParseResult().originalArgs();
  }

  ResultFiles files() {
    return files;
  }

  boolean isOneBroker() {
    return bootstrap == null && brokers == 1;
  }

  String clusterName() {
    String name = bootstrap == null
        ? "embedded, " + brokers + " broker(s)"
        : bootstrap + (clientConfig == null ? "" : ", client config " + clientConfig);
    return tls.isEmpty() ? name : name + "; TLS: " + tls;
  }

  private ClusterAccess openCluster(int size, Session session) {
    session.onLine(bootstrap == null ? "starting " + size + " embedded broker(s)" : "connecting to " + bootstrap);
    if (bootstrap != null) {
      TestCluster given = clientConfig == null
          ? ExternalCluster.connect(bootstrap, size, REACH)
          : ExternalCluster.connect(bootstrap, size, REACH, clientConfig);
      return probed(ClusterAccess.of(given, new WorkSpec.Access(bootstrap, clientConfig().isEncrypted(),
          clientConfig().toString())), session);
    }
    ClusterAccess access = EmbeddedCluster.start(size, encrypted);
    if (access.cluster() instanceof KafkaCluster cluster) {
      session.onLine(cluster.keepsLogsInMemory() ? "their logs are in memory" : "their logs are on disk");
    }
    return probed(access, session);
  }

  private ClusterAccess probed(ClusterAccess access, Session session) {
    try {
      tls = TlsProbe.agreed(access.tls());
    } catch (IOException e) {
      access.close();
      throw new ParameterException(spec.commandLine(),
          "no TLS with " + access.tls().bootstrap() + ": " + e.getMessage(), e);
    }
    if (!tls.isEmpty()) {
      session.onLine("connections with TLS have " + tls);
    }
    return access;
  }

  void tell(String line) {
    PrintWriter progress = spec.commandLine().getErr();
    progress.println(line);
    progress.flush();
  }

  void print(String table, List<String> lines) {
    PrintWriter screen = spec.commandLine().getOut();
    screen.println();
    screen.print(table);
    lines.forEach(screen::println);
    screen.flush();
  }

  boolean complainOf(List<Sample> wrong) {
    for (Sample sample : wrong) {
      tell("decant: " + sample.client() + " delivered " + sample.delivered() + " of " + sample.expected() + " records ("
          + sample.scenario() + ", " + sample.recordSize() + " bytes)");
    }
    return !wrong.isEmpty();
  }
}
