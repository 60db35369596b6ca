package dev.decant.lab.stress;

import dev.decant.lab.driver.DriverMain;
import dev.decant.lab.driver.Measured;
import dev.decant.lab.driver.WorkSpec;
import dev.decant.testkit.ChildJvm;
import dev.decant.testkit.TestCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/** Takes the samples of a plan, one after another. One thread. */
public final class StressRun {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private final StressPlan plan;
  private final TestCluster cluster;
  private final Consumer<String> progress;
  private final Path logs;
  private final List<Sample> samples = new ArrayList<>();
  private int topics;

  /**
   * Prepares a run.
   *
   * @param plan what to do
   * @param cluster on which
   * @param logs directory for what the clients write to standard error
   * @param progress told of each step
   */
  public StressRun(StressPlan plan, TestCluster cluster, Path logs, Consumer<String> progress) {
    this.plan = plan;
    this.cluster = cluster;
    this.logs = logs;
    this.progress = progress;
  }

  /**
   * Takes all samples.
   *
   * @return them
   * @throws dev.decant.testkit.ClusterException when the cluster or a client fails; nothing is left running
   * @throws IllegalStateException when the topic to consume is not what was written
   */
  public StressResult execute() {
    try {
      Files.createDirectories(logs);
    } catch (IOException e) {
      throw new UncheckedIOException("no directory for the clients' logs: " + logs, e);
    }
    List<String> filled = plan.recordSizes().stream().map(this::fill).toList();
    for (String scenario : plan.scenarios()) {
      for (int i = 0; i < filled.size(); i++) {
        int size = plan.recordSizes().get(i);
        if (scenario.equals("produce")) {
          produce(size);
        } else {
          consume(size, filled.get(i));
        }
      }
    }
    filled.forEach(cluster::deleteTopic);
    return new StressResult(plan, samples);
  }

  private void produce(int size) {
    for (String client : plan.turns()) {
      String topic = newTopic();
      cluster.settle();
      try (Client jvm = new Client(spec(client, "produce", size, topic, 0))) {
        jvm.ask("warm");
        long before = Arrays.stream(cluster.endOffsets(topic)).sum();
        Measured measured = jvm.measure();
        long delivered = Arrays.stream(cluster.endOffsets(topic)).sum() - before;
        add(new Sample("produce", size, client, delivered, measured.records(), measured));
      }
      cluster.deleteTopic(topic);
    }
  }

  private void consume(int size, String topic) {
    long records = plan.topicRecords(size);
    long expectedSum = 0;
    for (String client : plan.turns()) {
      cluster.settle();
      try (Client jvm = new Client(spec(client, "consume", size, topic, records))) {
        long warmed = Long.parseLong(jvm.ask("warm"));
        Measured measured = jvm.measure();
        long passes = (measured.records() + warmed) / records;
        long sum = measured.checksum() / passes;
        if (expectedSum != 0 && sum != expectedSum) {
          throw new IllegalStateException(client + " read other values than the client before it: checksum " + sum
              + " instead of " + expectedSum);
        }
        expectedSum = sum;
        add(new Sample("consume", size, client, measured.records(), (passes - warmed / records) * records, measured));
      }
    }
  }

  /**
   * Writes the topic to consume; whichever client does it, the values are the same. It comes before all samples: a
   * broker that was just started is slow, and the first sample is not to suffer from that.
   */
  private String fill(int size) {
    String topic = newTopic();
    long records = plan.topicRecords(size);
    progress.accept(String.format(Locale.ROOT, "writing %,d records of %d bytes", records, size));
    WorkSpec measured = spec(plan.clients().getFirst(), "produce", size, topic, 0);
    WorkSpec filling = new WorkSpec(measured.client(), "produce", measured.bootstrap(), topic, plan.partitions(), 0,
        size,
        "1", 5, 65_536, records, records, 0, plan.seed());
    try (Client jvm = new Client(filling)) {
      jvm.ask("fill");
    }
    long stored = Arrays.stream(cluster.endOffsets(topic)).sum();
    if (stored != records) {
      throw new IllegalStateException("the topic to consume has " + stored + " records instead of " + records);
    }
    return topic;
  }

  private String newTopic() {
    String topic = "decant-stress-" + ProcessHandle.current().pid() + "-" + ++topics;
    cluster.createTopic(topic, plan.partitions());
    return topic;
  }

  private WorkSpec spec(String client, String scenario, int size, String topic, long topicRecords) {
    boolean produce = scenario.equals("produce");
    long warmUp = produce ? plan.warmUpRecords(size) : plan.consumeRecords(size);
    long records = produce ? plan.produceRecords(size) : plan.consumeRecords(size);
    return new WorkSpec(client, scenario, cluster.bootstrap(), topic, plan.partitions(), topicRecords, size,
        plan.acks(),
        plan.lingerMillis(), plan.batchSizeBytes(), warmUp, records, plan.durationMillis(), plan.seed());
  }

  private void add(Sample sample) {
    samples.add(sample);
    progress.accept(String.format(Locale.ROOT, "%-8s %5d B  %-20s %,12.0f records/s  %.3f us CPU  %.2f B allocated",
        sample.scenario(), sample.recordSize(), sample.client(), sample.recordsPerSecond(), sample.cpuMicros(),
        sample.allocatedBytes()));
  }

  /** The JVM of a measured client. */
  private final class Client implements AutoCloseable {
    private final ChildJvm jvm;

    Client(WorkSpec spec) {
      List<String> arguments = new ArrayList<>(ClientJvm.arguments(spec.client(), plan.jvmArguments()));
      arguments.add(DriverMain.class.getName());
      arguments.add(DriverMain.argument(spec));
      jvm = ChildJvm.start(spec.client() + " (" + spec.scenario() + ")", arguments,
          logs.resolve(spec.client() + ".log"));
    }

    String ask(String request) {
      return jvm.ask(request, PATIENCE.plusMillis(plan.durationMillis()));
    }

    Measured measure() {
      return DriverMain.measured(ask("measure"));
    }

    @Override
    public void close() {
      jvm.end();
    }
  }
}
