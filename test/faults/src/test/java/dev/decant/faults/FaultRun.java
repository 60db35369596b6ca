package dev.decant.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.testkit.KafkaCluster;
import java.util.List;
import java.util.Locale;

/** Load, faults, and then the verdict. */
final class FaultRun {
  private FaultRun() {}

  static void producer(KafkaCluster cluster, Scenario scenario, long seed) throws InterruptedException {
    String topic = newTopic(cluster, "write", scenario, seed);
    List<Outcomes> outcomes;
    Trace trace;
    try (KafkaClient client = Workload.connect(cluster, scenario.load());
        Workload load = new Workload(client, topic, seed, scenario.load())) {
      trace = load.trace();
      outcomes = disturb(cluster, topic, scenario, load, seed);
    }
    judge(cluster, topic, seed, outcomes, trace);
    cluster.deleteTopic(topic);
  }

  static String newTopic(KafkaCluster cluster, String what, Scenario scenario, long seed) {
    String topic = what + "-" + scenario.name().toLowerCase(Locale.ROOT) + "-" + Long.toHexString(seed);
    cluster.createTopic(topic, Workload.PARTITIONS);
    return topic;
  }

  /** Runs a scenario over a load that has just begun, and ends both. */
  static List<Outcomes> disturb(KafkaCluster cluster, String topic, Scenario scenario, Workload load, long seed)
      throws InterruptedException {
    Bench bench = new Bench(cluster, topic, load, seed);
    load.awaitProgress();
    try {
      scenario.disturb(bench);
    } finally {
      bench.mend();
    }
    load.awaitProgress();
    return load.finish();
  }

  static Stored judge(KafkaCluster cluster, String topic, long run, List<Outcomes> outcomes, Trace trace)
      throws InterruptedException {
    Stored stored = Stored.read(cluster, topic);
    Verdict verdict = Verdict.of(run, outcomes, stored);
    System.out.println(topic + ": " + verdict.summary());
    if (!verdict.violations().isEmpty()) {
      System.out.println(trace.text());
    }
    assertThat(verdict.violations()).as("%s, seed %d: %s", topic, run, verdict.summary()).isEmpty();
    return stored;
  }
}
