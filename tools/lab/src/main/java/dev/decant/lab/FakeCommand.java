package dev.decant.lab;

import dev.decant.fake.FakeCluster;
import dev.decant.fake.FakeClusterBuilder;
import dev.decant.fake.FakeClusterException;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.net.BindException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code decant fake}: a fake cluster for tests in other languages. */
@Command(name = "fake", mixinStandardHelpOptions = true, sortOptions = false, description = {
    "Starts a fake Kafka cluster on loopback, in memory, and prints its bootstrap address.",
    "Tests of any language can use it.",
    "A fault is written as --fault 'Produce topic=orders nth=2 answer=NOT_LEADER_OR_FOLLOWER'.",
    "It names an API or any, then conditions (broker=ID client=ID topic=NAME), then which requests (nth=N, first=N or"
        + " every; the next one by default), then what happens: answer=ERROR, delay=TIME, answer-after=TIME,"
        + " throttle=TIME, close-before, close-after, never-answer, damage, answer-twice or answer-in-two-pieces.",
    "A time is a number with ms, s, m or h.",
    "Logs may take half of the Java heap, which is 1 GiB unless DECANT_HEAP=SIZE is set, such as DECANT_HEAP=4g."
        + " When they are full, the command says so and ends with code 3.",
    "The cluster ends at Ctrl-C or SIGTERM."})
final class FakeCommand implements Callable<Integer> {
  private static final int LARGEST_PORT = 65_535;
  private static final int MOST_BROKERS = 1_000;
  private static final Pattern RELEASE = Pattern.compile("(\\d{1,4})\\.(\\d{1,4})");

  @Spec
  private CommandSpec spec = CommandSpec.create(); // picocli replaces it

  @Option(names = "--port", paramLabel = "N", defaultValue = "0",
      description = "of the first broker, the next ones have the next ports (default: free ones)")
  private int port;

  @Option(names = "--brokers", paramLabel = "N", defaultValue = "1", description = "1 to 1000 (default: 1)")
  private int brokers;

  @Option(names = "--topic", paramLabel = "NAME=PARTITIONS",
      description = "a topic to create, with 1 to 100000 partitions; may be repeated")
  private List<String> topics = new ArrayList<>();

  @Option(names = "--release", paramLabel = "X.Y",
      description = "of Kafka to play, 2.1 to 2.8, 3.0 to 3.9 or 4.0 to 4.4 (default: 4.3)")
  private String release = "";

  @Option(names = "--setting", paramLabel = "NAME=VALUE",
      description = "of the brokers, as in server.properties; may be repeated")
  private List<String> settings = new ArrayList<>();

  @Option(names = "--fault", paramLabel = "FAULT", description = "a fault, as above; may be repeated")
  private List<String> faults = new ArrayList<>();

  @Option(names = "--end-with-stdin",
      description = "ends the cluster, too, when standard input closes: with its parent")
  private boolean endsWithInput;

  @Override
  public Integer call() throws InterruptedException {
    return run(System.in);
  }

  /** Serves until a signal, or, with the option for it, until the input ends. */
  int run(InputStream input) throws InterruptedException {
    Usage.require(spec, brokers >= 1 && brokers <= MOST_BROKERS,
        "--brokers must be 1 to " + MOST_BROKERS + ", not " + brokers);
    Usage.require(spec, port >= 0 && port <= LARGEST_PORT + 1 - brokers,
        "--port must be 1 to " + (LARGEST_PORT + 1 - brokers) + ", or 0 for free ports, not " + port);
    CountDownLatch end = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    Thread hook = Thread.ofPlatform().unstarted(() -> endAndWait(end, ended));
    Runtime.getRuntime().addShutdownHook(hook);
    AtomicBoolean isFull = new AtomicBoolean();
    try (FakeCluster cluster = start(() -> {
      isFull.set(true);
      end.countDown();
    })) {
      PrintWriter screen = spec.commandLine().getOut();
      screen.println(cluster.bootstrap());
      screen.flush();
      PrintWriter remarks = spec.commandLine().getErr();
      remarks.println("serving until " + (endsWithInput ? "standard input closes or " : "") + "Ctrl-C");
      remarks.flush();
      if (endsWithInput) {
        Thread.ofPlatform().daemon().name("fake-standard-input").start(() -> endWith(input, end));
      }
      end.await();
    } finally {
      ended.countDown();
      forget(hook);
    }
    if (isFull.get()) {
      spec.commandLine().getErr().println("decant: the logs are full: they may take half of the Java heap of "
          + heapMebibytes() + " MiB; set a larger one, such as DECANT_HEAP=4g, or keep less by --setting"
          + " log.retention.bytes=BYTES");
      return Decant.FAILURE;
    }
    return 0;
  }

  private static long heapMebibytes() {
    return Runtime.getRuntime().maxMemory() >> 20;
  }

  private FakeCluster start(Runnable whenFull) {
    try {
      FakeCluster cluster = builder().whenLogsAreFull(whenFull).start();
      try {
        faults.forEach(fault -> {
          var unused = cluster.faults().add(fault);
        });
        return cluster;
      } catch (RuntimeException | Error e) {
        cluster.close();
        throw e;
      }
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    } catch (FakeClusterException e) {
      if (isOfTakenPort(e)) {
        throw new ParameterException(spec.commandLine(), e.getMessage() + "; give another --port", e);
      }
      throw e; // its message is the cause, and another port does not help
    } catch (OutOfMemoryError e) {
      throw new ParameterException(spec.commandLine(), "the brokers and topics do not fit into the Java heap of "
          + heapMebibytes() + " MiB; ask for fewer, or set a larger one, such as DECANT_HEAP=4g", e);
    }
  }

  /**
   * Returns true if the port is in use, so that another port may help. A missing permission, or a lack of descriptors,
   * would fail on any port.
   */
  static boolean isOfTakenPort(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof BindException) {
        return String.valueOf(cause.getMessage()).contains("in use");
      }
    }
    return false;
  }

  private FakeClusterBuilder builder() {
    FakeClusterBuilder builder = FakeCluster.builder().brokers(brokers);
    if (port > 0) {
      builder.firstPort(port);
    }
    if (!release.isEmpty()) {
      Matcher numbers = RELEASE.matcher(release);
      Usage.require(spec, numbers.matches(), "--release must be like 3.9, not " + release);
      builder.release(Integer.parseInt(numbers.group(1)), Integer.parseInt(numbers.group(2)));
    }
    topics.forEach(builder::topic);
    Set<String> names = new HashSet<>();
    for (String setting : settings) {
      int equals = setting.indexOf('=');
      Usage.require(spec, equals > 0, "--setting must be like num.partitions=3, not " + setting);
      String name = setting.substring(0, equals).strip();
      Usage.require(spec, names.add(name), "--setting " + name + " is given twice; remove one of them");
      builder.setting(name, setting.substring(equals + 1).strip());
    }
    return builder;
  }

  /** Keeps the JVM until the ports are closed: the sender of the signal may use them next. */
  private static void endAndWait(CountDownLatch end, CountDownLatch ended) {
    end.countDown();
    try {
      ended.await();
    } catch (InterruptedException e) {
      // no code interrupts a shutdown hook
    }
  }

  private static void endWith(InputStream input, CountDownLatch end) {
    byte[] ignored = new byte[1024];
    try {
      while (input.read(ignored) >= 0) {
        // ignore what is typed
      }
    } catch (IOException e) {
      // the input has ended
    } finally {
      end.countDown();
    }
  }

  private static void forget(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // the JVM shuts down already
    }
  }
}
