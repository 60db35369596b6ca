package dev.decant.lab.stress;

import dev.decant.lab.driver.AllocationSite;
import dev.decant.lab.driver.DriverMain;
import dev.decant.lab.driver.Measured;
import dev.decant.lab.driver.WorkSpec;
import dev.decant.lab.jvm.JavaRuntime;
import dev.decant.lab.live.RunListener;
import dev.decant.testkit.ChildJvm;
import dev.decant.testkit.ClusterException;
import dev.decant.testkit.TestCluster;
import dev.decant.testkit.UnusableClusterException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.ObjIntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Takes samples on a cluster: each client in a fresh JVM, with its records counted at the broker. One thread at a time.
 */
public final class TestBench implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final Duration MARKER_PATIENCE = Duration.ofSeconds(30);

  private final ClusterAccess access;
  private final TestCluster cluster;
  private final boolean endsWithTheRun;
  private final Path logs;
  private final RunListener listener;
  private final List<String> jvmArguments;
  private final Map<String, Long> checksums = new HashMap<>();
  private final Map<WorkSpec, WorkSpec.Topics> filled = new HashMap<>();
  /** The existing topics, also those of samples that have failed. */
  private final Set<WorkSpec.Topics> topics = new LinkedHashSet<>();
  private int created;

  /**
   * Prepares a bench.
   *
   * @param access access to the cluster
   * @param endsWithTheRun true if the cluster ends after this bench is closed, with all its topics
   * @param logs directory for the standard error of the clients; created if it does not exist
   * @param listener follows each step
   * @param jvmArguments flags of the user for the clients' JVMs
   */
  public TestBench(ClusterAccess access, boolean endsWithTheRun, Path logs, RunListener listener,
      List<String> jvmArguments) {
    this.access = access;
    cluster = access.cluster();
    this.endsWithTheRun = endsWithTheRun;
    this.logs = logs;
    this.listener = listener;
    this.jvmArguments = jvmArguments;
    try {
      Files.createDirectories(logs);
    } catch (IOException e) {
      throw new UncheckedIOException("no directory for the clients' logs: " + logs, e);
    }
  }

  /**
   * The client and the work of a sample.
   *
   * @param scenario name of the scenario
   * @param label name of the client in the result
   * @param spec the work, without cluster and topic
   * @param jvmArguments flags of the scenario, before the user's
   * @param java the JVM; null for the lab's own
   */
  public record Subject(String scenario, String label, WorkSpec spec, List<String> jvmArguments,
      @Nullable JavaRuntime java) {

    /**
     * Makes a subject on the lab's own JVM.
     *
     * @param scenario name of the scenario
     * @param label name of the client in the result
     * @param spec the work, without cluster and topic
     * @param jvmArguments flags of the scenario, before the user's
     */
    public Subject(String scenario, String label, WorkSpec spec, List<String> jvmArguments) {
      this(scenario, label, spec, jvmArguments, null);
    }
  }

  /**
   * Makes a client write the same number of records to each of its new topics. The growth of the broker's end offsets,
   * without the markers of transactions, is the number of delivered records.
   *
   * @param subject client and work
   * @return the sample
   * @throws IllegalStateException when a topic has more records than another one
   */
  public Sample write(Subject subject) {
    WorkSpec.Topics topic = newTopics(subject.spec(), cluster::createScratchTopics);
    cluster.settle();
    Sample sample;
    try (Client client = start(subject, topic)) {
      long warmed = Long.parseLong(client.ask("warm"));
      long before = stored(topic, warmed, subject.spec());
      Measured measured = client.measure();
      long after = stored(topic, warmed + measured.records(), subject.spec());
      sample = sample(subject, after - before, measured.records(), measured);
      if (topic.count() > 1) {
        TopicShares.check(topic.names(), cluster.endOffsets(topic.names()), subject.spec().load().threads());
      }
    }
    remove(topic);
    return sample;
  }

  /**
   * Lets a client read a whole topic, again and again. All clients of a topic must read the same values.
   *
   * @param subject client and work
   * @param filling work that writes the topic, unless it exists
   * @return the sample
   * @throws IllegalStateException when the values differ from those that the client before has read
   */
  public Sample read(Subject subject, WorkSpec filling) {
    WorkSpec.Topics topic = filled.computeIfAbsent(filling, this::fill);
    long records = subject.spec().amount().topicRecords();
    cluster.settle();
    try (Client client = start(subject, topic)) {
      long warmed = Long.parseLong(client.ask("warm"));
      Measured measured = client.measure();
      long passes = (measured.records() + warmed) / records;
      long sum = measured.checksum() / passes;
      Long expected = checksums.putIfAbsent(topic.name(), sum);
      if (expected != null && sum != expected) {
        throw new IllegalStateException(subject.label() + " read other values than the client before it: checksum "
            + sum + " instead of " + expected);
      }
      return sample(subject, measured.records(), (passes - warmed / records) * records, measured);
    }
  }

  /**
   * Lets a client read what another JVM writes meanwhile.
   *
   * @param subject client and work
   * @param feeder work of the other JVM, which is stopped after the sample
   * @return the sample
   */
  public Sample follow(Subject subject, Subject feeder) {
    WorkSpec.Topics topic = newTopics(subject.spec(), cluster::createTopics);
    if (subject.spec().work().isOfAGroup()) {
      Map<String, String> consumer = subject.spec().consumer();
      cluster.configureGroup(topic.name(), Integer.parseInt(consumer.getOrDefault(WorkSpec.SESSION_TIMEOUT, "")),
          Integer.parseInt(consumer.getOrDefault(WorkSpec.HEARTBEAT_INTERVAL, "")));
    }
    cluster.settle();
    Sample sample;
    try (Client feeding = start(feeder, topic); Client client = start(subject, topic)) {
      feeding.ask("open");
      client.ask("open"); // older records would be read at once, not as they arrive
      Thread running = Thread.ofVirtual().start(feeding::feed);
      try {
        client.ask("warm");
        Measured measured = client.measure();
        sample = sample(subject, measured.records(), measured.records(), measured);
      } finally {
        feeding.kill();
        join(running);
      }
    }
    remove(topic);
    return sample;
  }

  /**
   * Lets a JVM do a work that needs no broker.
   *
   * @param subject client and work
   * @return the sample
   */
  public Sample alone(Subject subject) {
    return at(subject, subject.spec().topics());
  }

  /**
   * Lets a client read the first records of a topic that does not change.
   *
   * @param subject client and work
   * @param filling work that writes the topic, unless it exists
   * @return the sample
   */
  public Sample readFirst(Subject subject, WorkSpec filling) {
    return at(subject, filled.computeIfAbsent(filling, this::fill));
  }

  private Sample at(Subject subject, WorkSpec.Topics topic) {
    try (Client client = start(subject, topic)) {
      client.ask("warm");
      Measured measured = client.measure();
      return sample(subject, measured.records(), measured.records(), measured);
    }
  }

  /**
   * Lets a client repeat some of its work while its JVM records the allocation sites.
   *
   * @param subject client and work, and how much of it
   * @return the largest sites
   */
  public List<AllocationSite> sites(Subject subject) {
    List<String> flags = new ArrayList<>(subject.jvmArguments());
    flags.add("-XX:-UseTLAB"); // makes each object a candidate, not only the first of a buffer
    WorkSpec.Topics topic = newTopics(subject.spec(), cluster::createTopics);
    listener.onLine("looking for where " + subject.label() + " allocates");
    List<AllocationSite> sites;
    try (Client client = start(
        new Subject(subject.scenario(), subject.label(), subject.spec(), flags, subject.java()), topic)) {
      client.ask("warm");
      sites = DriverMain.sites(client.ask("sites"));
    }
    remove(topic);
    return sites;
  }

  /**
   * Lets a client work with a new topic to which nothing is written.
   *
   * @param subject client and work
   * @return the sample
   */
  public Sample atEmpty(Subject subject) {
    WorkSpec.Topics topic = newTopics(subject.spec(), cluster::createTopics);
    cluster.settle();
    Sample sample = at(subject, topic);
    remove(topic);
    return sample;
  }

  /** Writes a topic to be consumed. The values are the same with every client. */
  private WorkSpec.Topics fill(WorkSpec spec) {
    WorkSpec.Topics topic = newTopics(spec, cluster::createTopics);
    long records = spec.amount().records();
    listener.onLine(String.format(Locale.ROOT, "writing %,d records of %d bytes", records,
        spec.load().recordSizeBytes()));
    try (Client client = start(new Subject("fill", spec.client(), spec, List.of()), topic)) {
      client.ask("fill");
    }
    long stored = stored(topic);
    if (stored != records) {
      throw new IllegalStateException("the topic to consume has " + stored + " records instead of " + records);
    }
    return topic;
  }

  /**
   * Deletes the remaining topics: those that were filled, and those of failed samples. Does nothing if the cluster ends
   * with the run: an interrupted run once named topics as left behind, on brokers that it had stopped itself.
   */
  @Override
  public void close() {
    if (!endsWithTheRun) {
      List.copyOf(topics).forEach(this::remove);
    }
    topics.clear();
    filled.clear();
  }

  private Sample sample(Subject subject, long delivered, long expected, Measured measured) {
    Sample sample = new Sample(subject.scenario(), subject.spec().load().recordSizeBytes(), subject.label(), delivered,
        expected, measured);
    listener.onLine(String.format(Locale.ROOT, "%-8s %5d B  %-20s %,12.0f records/s  %.3f us CPU  %.2f B allocated",
        sample.scenario(), sample.recordSize(), sample.client(), sample.recordsPerSecond(), sample.cpuMicros(),
        sample.allocatedBytes()));
    return sample;
  }

  /**
   * Waits for the end offsets and returns the number of the client's stored records: the broker confirms a commit
   * before it has written the markers.
   */
  private long stored(WorkSpec.Topics topic, long records, WorkSpec spec) {
    long markers = spec.markers(records);
    long deadline = System.nanoTime() + MARKER_PATIENCE.toNanos();
    long all = stored(topic);
    while (all < records + markers && markers > 0 && System.nanoTime() - deadline < 0) {
      all = stored(topic); // asks a broker, so this is no busy wait
    }
    return all - markers;
  }

  private long stored(WorkSpec.Topics topic) {
    return cluster.endOffsets(topic.names()).stream().flatMapToLong(Arrays::stream).sum();
  }

  private WorkSpec.Topics newTopics(WorkSpec spec, ObjIntConsumer<List<String>> creation) {
    WorkSpec.Topics fresh = new WorkSpec.Topics("decant-stress-" + ProcessHandle.current().pid() + "-" + ++created,
        spec.topics().count(), spec.topics().partitions());
    topics.add(fresh); // added first: an interrupted creation may have created it
    try {
      creation.accept(fresh.names(), fresh.partitions());
    } catch (UnusableClusterException e) {
      topics.remove(fresh);
      throw e;
    }
    return fresh;
  }

  /** Deletes a topic. A failure is ignored: a topic that stays does not affect the measurement. */
  private void remove(WorkSpec.Topics topic) {
    try {
      cluster.deleteTopics(topic.names());
      topics.remove(topic);
    } catch (ClusterException e) {
      if (Thread.currentThread().isInterrupted()) {
        return; // it may still exist; close() deletes it again, without an interrupt
      }
      topics.remove(topic);
      if (!endsWithTheRun) {
        listener.onLine("the topic " + topic.name() + (topic.count() > 1 ? "-..." : "") + " is left at "
            + cluster.bootstrap() + ", delete it yourself: "
            + String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
      }
    }
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Client start(Subject subject, WorkSpec.Topics topic) {
    return new Client(subject, subject.spec().on(access.access(subject.spec()), topic.name()));
  }

  /** The JVM of a client. */
  private final class Client implements AutoCloseable {
    private final ChildJvm jvm;
    private final Duration patience;

    Client(Subject subject, WorkSpec spec) {
      List<String> own = new ArrayList<>(subject.jvmArguments());
      own.addAll(jvmArguments);
      List<String> arguments = new ArrayList<>(ClientJvm.arguments(spec.client(), own));
      arguments.add(DriverMain.class.getName());
      arguments.add(DriverMain.argument(spec));
      patience = PATIENCE.plusMillis(spec.amount().durationMillis());
      jvm = ClientJvm.start(subject.label() + " (" + subject.scenario() + ")", subject.java(), arguments,
          logs.resolve(subject.label() + ".log"), line -> DriverMain.rate(line).ifPresent(listener::onRate));
    }

    String ask(String request) {
      return jvm.ask(request, patience);
    }

    Measured measure() {
      return DriverMain.measured(ask(listener.wantsRates() ? DriverMain.MEASURE_AND_REPORT : "measure"));
    }

    /** Works until the JVM is killed. */
    void feed() {
      try {
        jvm.ask("fill", Duration.ofDays(1));
      } catch (ClusterException e) {
        // the JVM was killed or has failed; after a failure the reading client receives nothing, and reports it
      }
    }

    void kill() {
      jvm.kill();
    }

    @Override
    public void close() {
      jvm.end();
    }
  }
}
