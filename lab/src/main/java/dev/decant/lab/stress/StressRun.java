package dev.decant.lab.stress;

import dev.decant.lab.driver.WorkKind;
import dev.decant.lab.driver.WorkSpec;
import dev.decant.lab.live.RunListener;
import dev.decant.lab.live.Turn;
import dev.decant.testkit.ClusterException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Takes the samples of a plan, one after another. One thread. */
public final class StressRun {
  private static final Map<String, String> FILLING = producer("1", 5, 65_536);

  private final StressPlan plan;
  private final Benches benches;
  private final RunListener listener;

  private record Step(String scenario, int size, String client, int pass) {}

  /**
   * Prepares a run.
   *
   * @param plan what to do
   * @param benches on which
   * @param listener told of each step
   */
  public StressRun(StressPlan plan, Benches benches, RunListener listener) {
    this.plan = plan;
    this.benches = benches;
    this.listener = listener;
  }

  /**
   * Takes all samples. The topics to consume are written before: a broker that was just started is slow, and the first
   * sample is not to suffer from that.
   *
   * @return them, or those until the run was interrupted
   * @throws ClusterException when the cluster or a client fails; nothing is left running
   * @throws IllegalStateException when the topic to consume is not what was written
   */
  public StressResult execute() {
    List<Step> steps = steps();
    listener.onPlan(steps.stream()
        .map(step -> new Turn(step.scenario + ", " + step.size + " bytes", step.client, step.pass)).toList());
    List<Sample> samples = new ArrayList<>();
    for (int turn = 0; turn < steps.size() && !listener.isEnding(); turn++) {
      listener.onBegin(turn);
      try {
        Sample sample = sample(steps.get(turn));
        listener.onSample(turn, sample.figures(), sample.measured().recordsPerSecond());
        samples.add(sample);
      } catch (ClusterException | IllegalStateException e) {
        listener.onFailure(turn, String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
        if (!listener.isEnding()) {
          throw e;
        }
      }
    }
    return new StressResult(plan, samples);
  }

  private List<Step> steps() {
    List<Step> steps = new ArrayList<>();
    for (String scenario : plan.scenarios()) {
      for (int size : plan.recordSizes()) {
        List<String> turns = plan.turns(size);
        int measured = (int) turns.stream().distinct().count();
        for (int i = 0; i < turns.size(); i++) {
          steps.add(new Step(scenario, size, turns.get(i), 1 + i / measured));
        }
      }
    }
    return steps;
  }

  private Sample sample(Step step) {
    TestBench bench = benches.of(0);
    boolean produce = step.scenario.equals("produce");
    WorkSpec spec = produce ? producing(step.client, step.size) : consuming(step.client, step.size);
    TestBench.Subject subject = new TestBench.Subject(step.scenario, step.client, spec, List.of());
    return produce ? bench.write(subject) : bench.read(subject, filling(step.size));
  }

  private WorkSpec filling(int size) {
    return spec(plan.clients().stream().filter(client -> !isBare(client)).findFirst().orElse(StressPlan.DECANT),
        WorkKind.PRODUCE, size,
        new WorkSpec.Amount(0, plan.topicRecords(size), 0, 0), FILLING);
  }

  private WorkSpec producing(String client, int size) {
    return spec(client, isBare(client) ? WorkKind.BARE_PRODUCE : WorkKind.PRODUCE, size,
        new WorkSpec.Amount(plan.warmUpRecords(size), plan.warmUpMillis(), measured(plan.produceRecords(size)),
            plan.durationMillis(), 0, 0),
        producer(plan.acks(), plan.lingerMillis(), plan.batchSizeBytes()));
  }

  private WorkSpec consuming(String client, int size) {
    long records = plan.consumeRecords(size);
    return spec(client, isBare(client) ? WorkKind.BARE_CONSUME : WorkKind.CONSUME, size,
        new WorkSpec.Amount(records, plan.warmUpMillis(), measured(records), plan.durationMillis(),
            plan.topicRecords(size), 0),
        Map.of());
  }

  private static boolean isBare(String client) {
    return client.equals(StressPlan.BARE);
  }

  /** A duration is measured whole, however many records that are. */
  private long measured(long records) {
    return plan.durationMillis() > 0 ? 0 : records;
  }

  private WorkSpec spec(String client, WorkKind work, int size, WorkSpec.Amount amount, Map<String, String> producer) {
    return new WorkSpec(client, work, WorkSpec.Access.plain(""), WorkSpec.Topics.one(plan.partitions()),
        WorkSpec.Load.plain(size, plan.seed()), amount,
        producer, Map.of("fetch.max.wait.ms", Integer.toString(WorkSpec.FETCH_MAX_WAIT_MILLIS)));
  }

  private static Map<String, String> producer(String acks, int lingerMillis, int batchSizeBytes) {
    return Map.of("acks", acks, "enable.idempotence", Boolean.toString(acks.equals("all")), "linger.ms",
        Integer.toString(lingerMillis), "batch.size", Integer.toString(batchSizeBytes));
  }
}
