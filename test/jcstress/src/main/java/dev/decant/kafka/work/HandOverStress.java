package dev.decant.kafka.work;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** The loop closes a partition while a worker works on a record of it: it must not miss a record that was handled. */
@JCStressTest
@Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "the loop finds the record at the worker or among those finished")
@Outcome(id = {"0, 0", "1, 0"}, expect = ACCEPTABLE, desc = "the worker has seen the closed partition")
@Outcome(expect = FORBIDDEN, desc = "the handler got the record, and the loop finds it nowhere")
@State
public class HandOverStress {
  private final StressedCrew of = new StressedCrew();
  private final Worker<String, String> worker = of.worker();

  /** Makes a crew with a ready record. */
  public HandOverStress() {
    of.publish();
  }

  /** Works on the record. */
  @Actor
  public void worker() {
    worker.run();
  }

  /** Closes the partition, and looks for its records as a revocation does. */
  @Actor
  public void loop(II_Result r) {
    of.partition.close();
    r.r1 = of.crew.isAt(of.partition) || of.crew.depth() > 0 ? 1 : 0;
  }

  /** Counts what the handler got. */
  @Arbiter
  public void count(II_Result r) {
    r.r2 = of.handled;
  }
}
