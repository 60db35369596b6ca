package dev.decant.faults.work;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.testkit.KafkaCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Random faults of members and brokers for a time, and then the verdict. */
final class WorkRun {
  private static final int FIRST_MEMBERS = 3;
  private static final int RECORDS_BEFORE_FAULTS = 100;
  private static final long FREEZE_NANOS = WorkMode.SESSION_TIMEOUT.plusSeconds(4).toNanos();

  private final WorkBench bench;
  private final long seed;
  private final long end;
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

  private WorkRun(WorkBench bench, long seed, long end) {
    this.bench = bench;
    this.seed = seed;
    this.end = end;
  }

  static void run(KafkaCluster cluster, WorkMode mode, Path folder, long seed, Duration time)
      throws InterruptedException, IOException {
    try (WorkBench bench = new WorkBench(cluster, mode, folder, seed)) {
      for (int i = 0; i < FIRST_MEMBERS; i++) {
        bench.addMember();
      }
      bench.awaitDone(RECORDS_BEFORE_FAULTS);
      try {
        new WorkRun(bench, seed, System.nanoTime() + time.toNanos()).disturb();
      } catch (AssertionError e) {
        throw new AssertionError(mode + ", seed " + seed + ", journals in " + folder + '\n' + bench.report(), e);
      }
      judge(bench, mode, folder, seed);
    }
  }

  static void judge(WorkBench bench, WorkMode mode, Path folder, long seed) throws InterruptedException, IOException {
    WorkVerdict verdict;
    try {
      verdict = bench.finish();
    } catch (AssertionError e) {
      throw new AssertionError(mode + ", seed " + seed + ", journals in " + folder + '\n' + bench.report(), e);
    }
    System.out.println(mode.name() + ": " + verdict.summary() + '\n' + verdict.repeats());
    if (!verdict.violations().isEmpty() || Boolean.getBoolean("decant.work.faults.report")) {
      System.out.println(bench.report());
    }
    assertThat(verdict.violations()).as("%s, seed %d, journals in %s: %s", mode, seed, folder, verdict.summary())
        .isEmpty();
  }

  private void disturb() throws InterruptedException, IOException {
    Thread brokers = Thread.ofPlatform().name("broker-faults").start(this::disturbBrokers);
    try {
      disturbMembers();
    } finally {
      brokers.join();
    }
    Throwable thrown = failure.get();
    if (thrown != null) {
      throw new AssertionError("a fault of a broker could not be made", thrown);
    }
  }

  private void disturbBrokers() {
    Random random = new Random(seed + 1);
    try {
      while (System.nanoTime() - end < 0) {
        hold(random, 2_000, 10_000);
        BrokerFault.any(bench, random);
        bench.cluster.awaitInSync(bench.topic);
      }
    } catch (Throwable e) { // the other thread reports it
      failure.set(e);
    }
  }

  private void disturbMembers() throws InterruptedException, IOException {
    Random random = new Random(seed + 2);
    long thawAt = 0;
    while (System.nanoTime() - end < 0) {
      hold(random, 500, 6_000);
      bench.requireNoneEnded();
      bench.done();
      if (!bench.frozen().isEmpty() && System.nanoTime() - thawAt >= 0) {
        bench.frozen().forEach(member -> {
          member.thaw();
          bench.event(member.name + " goes on");
        });
      } else {
        MemberFault fault = MemberFault.any(bench, random);
        if (fault != null) {
          fault.happen(bench, random);
        }
        if (fault == MemberFault.FREEZE) {
          thawAt = System.nanoTime() + FREEZE_NANOS + TimeUnit.MILLISECONDS.toNanos(random.nextInt(4_000));
        }
      }
    }
  }

  private static void hold(Random random, int leastMillis, int mostMillis) throws InterruptedException {
    WorkBench.hold(TimeUnit.MILLISECONDS.toNanos(leastMillis + random.nextInt(mostMillis - leastMillis)));
  }
}
