package dev.decant.fake.differential;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fake.FakeCluster;
import dev.decant.testkit.KafkaCluster;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** A real broker, 4.3.1, and a fake one, which do the same scenarios. Used by one thread. */
final class Differential implements AutoCloseable {
  /** Records of scenarios are as old as the epoch: no broker may delete them for that in between. */
  private static final String NEVER = String.valueOf(Integer.MAX_VALUE);
  /** What both brokers are set to. */
  private static final Map<String, String> SETTINGS = Map.ofEntries(Map.entry("auto.create.topics.enable", "false"),
      Map.entry("log.segment.delete.delay.ms", "1000"), Map.entry("min.insync.replicas", "1"),
      Map.entry("default.replication.factor", "1"), Map.entry("group.initial.rebalance.delay.ms", "0"),
      Map.entry("group.min.session.timeout.ms", "1000"), Map.entry("log.initial.task.delay.ms", NEVER),
      Map.entry("log.retention.check.interval.ms", NEVER),
      Map.entry("max.incremental.fetch.session.cache.slots", "100000"));
  /** What has a real broker do at once or never what it otherwise does later. */
  private static final Map<String, String> OF_REAL = Map.of("broker.session.timeout.ms", "600000",
      "group.consumer.assignment.interval.ms", "0",
      "group.consumer.assignor.offload.enable", "false", "offsets.topic.num.partitions", "50",
      "transaction.state.log.num.partitions", "50");
  private static final int MOST_REPORTED = 60;

  private final KafkaCluster real;
  private final FakeCluster fake;
  private final List<String> differences = new ArrayList<>();
  private final Map<String, Integer> known = new TreeMap<>();
  private int scenarios;
  private int operations;
  private int differing;

  Differential() throws IOException {
    var builder = FakeCluster.builder();
    var ofReal = KafkaCluster.builder();
    SETTINGS.forEach((name, value) -> {
      builder.setting(name, value);
      ofReal.setting(name, value);
    });
    OF_REAL.forEach(ofReal::setting);
    fake = builder.start();
    real = ofReal.start();
    for (String bootstrap : List.of(fake.bootstrap(), real.bootstrap())) {
      try (RawClient client = new RawClient(bootstrap, Step.MAIN)) {
        new Settling(client, true).prepare();
      }
    }
  }

  /** Does a scenario on both brokers, and remembers where they differ. */
  void compare(String name, String prefix, List<Step> steps) throws IOException {
    scenarios++;
    int before = differences.size();
    try (World ofReal = new World(real.bootstrap(), true, prefix);
        World ofFake = new World(fake.bootstrap(), false, prefix)) {
      for (int i = 0; i < steps.size(); i++) {
        operations++;
        compare(steps.get(i), name + ", operation " + i + " of " + steps.size() + ": " + steps.get(i), ofReal, ofFake);
      }
    } catch (IOException | RuntimeException e) {
      throw new IOException(name + ": " + e.getMessage(), e);
    }
    differing += differences.size() > before ? 1 : 0;
  }

  private void compare(Step step, String name, World ofReal, World ofFake) throws IOException {
    SortedMap<String, String> expected = ofReal.run(step);
    SortedMap<String, String> found = ofFake.run(step);
    TreeSet<String> paths = new TreeSet<>(expected.keySet());
    paths.addAll(found.keySet());
    List<String> fields = new ArrayList<>();
    for (String path : paths) {
      String wanted = expected.get(path);
      String got = found.get(path);
      if (!Objects.equals(wanted, got)) {
        KnownDifferences difference = KnownDifferences.of(step, path, wanted, got);
        if (difference == null) {
          fields.add("  " + path + "\n    real " + wanted + "\n    fake " + got);
        } else {
          known.merge(difference.name(), 1, Integer::sum);
        }
      }
    }
    if (!fields.isEmpty()) {
      differences.add(name + "\n" + String.join("\n", fields));
    }
  }

  /**
   * Does random scenarios, with the seeds from one on.
   *
   * @param first the first seed, which {@code -Ddecant.fake.seed} replaces
   * @param mostOperations after how many the last scenario ends, about
   * @param operationsOfEach how many a scenario has
   */
  void random(long first, int mostOperations, int operationsOfEach) throws IOException {
    long seed = Long.getLong("decant.fake.seed", first);
    for (int end = operations + mostOperations; operations < end; seed++) {
      String prefix = "seed" + seed;
      compare("-Ddecant.fake.seed=" + seed, prefix, Grammar.scenario(seed, prefix, operationsOfEach));
    }
  }

  /** Fails if there was a difference, and tells the first ones. */
  void assertNone() {
    assertThat(differences).withFailMessage(() -> this + "\n"
        + String.join("\n", differences.subList(0, Math.min(MOST_REPORTED, differences.size())))).isEmpty();
  }

  @Override
  public String toString() {
    return "differential run: " + scenarios + " scenarios, " + operations + " operations, " + differing
        + " scenarios with " + differences.size() + " operations that differ, known differences " + known;
  }

  @Override
  public void close() {
    fake.close();
    real.close();
  }
}
