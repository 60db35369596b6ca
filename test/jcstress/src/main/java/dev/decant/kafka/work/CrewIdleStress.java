package dev.decant.kafka.work;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A worker becomes idle while the loop adds a record and wakes a worker: one of them sees the other. */
@JCStressTest
@Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "the worker has found the record")
@Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "the loop has woken the idle worker")
@Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "the worker had found the record, and was woken for nothing")
@Outcome(expect = FORBIDDEN, desc = "the record is ready, the worker idle, and nothing wakes it")
@State
public class CrewIdleStress {
  private final StressedCrew of = new StressedCrew();
  private final Worker<String, String> worker = of.worker();

  /** Looks for records, and becomes idle. */
  @Actor
  public void worker() {
    worker.run();
  }

  /** Adds a record. */
  @Actor
  public void loop() {
    of.publish();
    of.crew.wakeOne();
  }

  /** Counts what the handler and the executor got. */
  @Arbiter
  public void count(II_Result r) {
    r.r1 = of.handled;
    r.r2 = of.tasks;
  }
}
