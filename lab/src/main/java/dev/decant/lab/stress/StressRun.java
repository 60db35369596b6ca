package dev.decant.lab.stress;

import dev.decant.lab.driver.WorkKind;
import dev.decant.lab.driver.WorkSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Takes the samples of a plan, one after another. One thread. */
public final class StressRun {
  private static final Map<String, String> FILLING = producer("1", 5, 65_536);

  private final StressPlan plan;
  private final TestBench bench;

  /**
   * Prepares a run.
   *
   * @param plan what to do
   * @param bench on which
   */
  public StressRun(StressPlan plan, TestBench bench) {
    this.plan = plan;
    this.bench = bench;
  }

  /**
   * Takes all samples. The topics to consume are written before: a broker that was just started is slow, and the first
   * sample is not to suffer from that.
   *
   * @return them
   * @throws dev.decant.testkit.ClusterException when the cluster or a client fails; nothing is left running
   * @throws IllegalStateException when the topic to consume is not what was written
   */
  public StressResult execute() {
    List<Sample> samples = new ArrayList<>();
    for (String scenario : plan.scenarios()) {
      for (int size : plan.recordSizes()) {
        for (String client : plan.turns()) {
          boolean produce = scenario.equals("produce");
          WorkSpec spec = produce ? producing(client, size) : consuming(client, size);
          TestBench.Subject subject = new TestBench.Subject(scenario, client, spec, List.of());
          samples.add(produce ? bench.write(subject) : bench.read(subject, filling(size)));
        }
      }
    }
    return new StressResult(plan, samples);
  }

  private WorkSpec filling(int size) {
    return spec(plan.clients().getFirst(), WorkKind.PRODUCE, size,
        new WorkSpec.Amount(0, plan.topicRecords(size), 0, 0), FILLING);
  }

  private WorkSpec producing(String client, int size) {
    return spec(client, WorkKind.PRODUCE, size,
        new WorkSpec.Amount(plan.warmUpRecords(size), plan.warmUpMillis(), plan.produceRecords(size),
            plan.durationMillis(), 0, 0),
        producer(plan.acks(), plan.lingerMillis(), plan.batchSizeBytes()));
  }

  private WorkSpec consuming(String client, int size) {
    long records = plan.consumeRecords(size);
    return spec(client, WorkKind.CONSUME, size,
        new WorkSpec.Amount(records, plan.warmUpMillis(), records, plan.durationMillis(), plan.topicRecords(size), 0),
        Map.of());
  }

  private WorkSpec spec(String client, WorkKind work, int size, WorkSpec.Amount amount, Map<String, String> producer) {
    return new WorkSpec(client, work, "", "", plan.partitions(), WorkSpec.Load.plain(size, plan.seed()), amount,
        producer, Map.of("fetch.max.wait.ms", Integer.toString(WorkSpec.FETCH_MAX_WAIT_MILLIS)));
  }

  private static Map<String, String> producer(String acks, int lingerMillis, int batchSizeBytes) {
    return Map.of("acks", acks, "enable.idempotence", Boolean.toString(acks.equals("all")), "linger.ms",
        Integer.toString(lingerMillis), "batch.size", Integer.toString(batchSizeBytes));
  }
}
