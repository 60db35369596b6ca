package dev.decant.lab;

import dev.decant.testkit.ClusterException;
import dev.decant.testkit.KafkaCluster;
import dev.decant.testkit.KafkaClusterBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code decant broker}: the brokers with which the lab measures, for a user's own clients. */
@Command(name = "broker", mixinStandardHelpOptions = true, sortOptions = false, description = {
    "Starts a real Kafka cluster on loopback and prints its bootstrap address.",
    "With --tls or --sasl it is secured, and the second line is the name of a properties file by which any Kafka client"
        + " connects.",
    "The cluster ends when standard input closes, or at Ctrl-C. Its data is in a temporary directory, which is"
        + " removed."})
final class BrokerCommand implements Callable<Integer> {
  private static final int LARGEST_PORT = 65_535;

  @Spec
  private CommandSpec spec = CommandSpec.create(); // picocli replaces it

  @Option(names = "--brokers", paramLabel = "N", defaultValue = "1", description = "1 or 3 (default: 1)")
  private int brokers;

  @Option(names = "--port", paramLabel = "N", defaultValue = "0",
      description = "of the first broker, the next ones have the next ports (default: free ones)")
  private int port;

  @Option(names = "--setting", paramLabel = "NAME=VALUE",
      description = "of the brokers, as in server.properties; may be repeated")
  private Map<String, String> settings = new LinkedHashMap<>();

  @Option(names = "--topic", paramLabel = "NAME=PARTITIONS", description = "a topic to create; may be repeated")
  private Map<String, Integer> topics = new LinkedHashMap<>();

  @Option(names = "--tls", description = "encrypts connections, with certificates made for this start")
  private boolean tls;

  @Option(names = "--sasl", paramLabel = "MECHANISM", defaultValue = "none",
      description = "lets in one user by plain, scram or oauth, or everybody: none (default: none)")
  private String sasl = "none";

  @Option(names = "--client-files", paramLabel = "DIRECTORY",
      description = "for client.properties and what it names (default: a temporary one, removed at the end)")
  private @Nullable Path clientFiles;

  @Option(names = "--jvm-arg", paramLabel = "FLAG",
      description = "flag for the brokers' JVMs; may be repeated (default: -Xms512m -Xmx1g)")
  private List<String> jvmArguments = new ArrayList<>();

  @Override
  public Integer call() throws IOException {
    return run(System.in);
  }

  /** Serves until the input ends. */
  int run(InputStream input) throws IOException {
    require(brokers == 1 || brokers == 3, "--brokers must be 1 or 3, not " + brokers);
    require(port >= 0 && port <= LARGEST_PORT + 1 - brokers,
        "--port must be 1 to " + (LARGEST_PORT + 1 - brokers) + ", or 0 for free ports, not " + port);
    topics.forEach(this::checkTopic);
    require(BrokerSecurity.MECHANISMS.contains(sasl), "--sasl must be plain, scram, oauth or none, not " + sasl);
    boolean secured = tls || !sasl.equals("none");
    require(secured || clientFiles == null, "--client-files needs --tls or --sasl: others need no properties");
    KafkaClusterBuilder builder = KafkaCluster.builder().brokers(brokers)
        .jvmArguments(jvmArguments.isEmpty() ? List.of("-Xms512m", "-Xmx1g") : jvmArguments);
    settings.forEach(builder::setting);
    if (port > 0 && !secured) {
      builder.firstPort(port);
    }
    AtExit atExit = AtExit.register();
    try (BrokerSecurity security = secured ? security() : null) {
      if (security != null) {
        atExit.security = security;
        security.secure(builder);
      }
      return serve(builder, security, atExit, input);
    } catch (ClusterException e) {
      if (atExit.isExiting()) {
        return Decant.INTERRUPTED; // the user has ended the start
      }
      throw e;
    } finally {
      atExit.forget();
    }
  }

  /** Rejects a topic that no broker would create, before one is started. */
  private void checkTopic(String name, int partitions) {
    require(partitions >= 1 && partitions <= 10_000,
        "--topic " + name + " must have 1 to 10000 partitions, not " + partitions);
    require(Usage.isTopic(name),
        "--topic \"" + name + "\": a name has 1 to 249 characters of a-z, A-Z, 0-9, '.', '_' and '-'");
  }

  private BrokerSecurity security() {
    try {
      return new BrokerSecurity(tls, sasl, port, clientFiles);
    } catch (IOException e) {
      throw new ParameterException(spec.commandLine(), "the files of a client cannot be written: " + e
          + "; --client-files names another directory", e);
    }
  }

  private int serve(KafkaClusterBuilder builder, @Nullable BrokerSecurity security, AtExit atExit, InputStream input)
      throws IOException {
    try (KafkaCluster cluster = start(builder, atExit)) {
      topics.forEach(cluster::createTopic);
      PrintWriter screen = spec.commandLine().getOut();
      screen.println(security == null ? cluster.bootstrap() : security.bootstrap(cluster));
      PrintWriter remarks = spec.commandLine().getErr();
      if (security != null) {
        screen.println(security.writeProperties(cluster));
        remarks.println("the second line names the properties of a client, for Kafka's tools: --command-config FILE");
        if (!security.tokenEndpoint().isEmpty()) {
          remarks.println("Kafka's tools need KAFKA_OPTS=-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls="
              + security.tokenEndpoint());
        }
      }
      screen.flush();
      remarks.println("serving until standard input closes or Ctrl-C");
      remarks.flush();
      awaitEnd(input);
    }
    return 0;
  }

  private static KafkaCluster start(KafkaClusterBuilder builder, AtExit atExit) {
    try {
      KafkaCluster cluster = builder.start();
      atExit.cluster = cluster;
      return cluster;
    } finally {
      atExit.started.countDown();
    }
  }

  /**
   * The shutdown hook for Ctrl-C and SIGTERM: it stops the brokers, also while they start, so that none stays behind.
   */
  private static final class AtExit {
    private final Thread starting = Thread.currentThread();
    private final CountDownLatch started = new CountDownLatch(1);
    private final Thread hook = Thread.ofPlatform().unstarted(this::end);
    private volatile boolean exiting;
    // Written by the thread that starts the brokers, read by the hook.
    private volatile @Nullable KafkaCluster cluster;
    private volatile @Nullable BrokerSecurity security;

    static AtExit register() {
      AtExit atExit = new AtExit();
      Runtime.getRuntime().addShutdownHook(atExit.hook);
      return atExit;
    }

    boolean isExiting() {
      return exiting;
    }

    private void end() {
      exiting = true;
      if (started.getCount() > 0) {
        starting.interrupt();
      }
      try {
        started.await();
      } catch (InterruptedException e) {
        // no code interrupts a shutdown hook
      }
      KafkaCluster running = cluster;
      if (running != null) {
        running.close();
      }
      BrokerSecurity files = security;
      if (files != null) {
        files.close();
      }
    }

    void forget() {
      try {
        Runtime.getRuntime().removeShutdownHook(hook);
      } catch (IllegalStateException e) {
        // the JVM shuts down already
      }
    }
  }

  private static void awaitEnd(InputStream input) throws IOException {
    byte[] ignored = new byte[1024];
    while (input.read(ignored) >= 0) {
      // ignore what is typed
    }
  }

  private void require(boolean holds, String message) {
    Usage.require(spec, holds, message);
  }
}
