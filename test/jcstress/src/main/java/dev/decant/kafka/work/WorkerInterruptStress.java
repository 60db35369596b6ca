package dev.decant.kafka.work;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** The loop interrupts an overdue handler while the handler ends: the interrupt must not hit what runs after it. */
@JCStressTest
@Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "the loop found no handler")
@Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "the interrupt came before the end of the record")
@Outcome(expect = FORBIDDEN, desc = "the thread is interrupted after the record has ended")
@State
public class WorkerInterruptStress {
  private final StressedCrew of = new StressedCrew();
  private final Worker<String, String> worker = of.worker();

  /** Makes a crew with a ready record. */
  public WorkerInterruptStress() {
    of.publish();
  }

  /** Works on the record. */
  @Actor
  public void worker(II_Result r) {
    worker.thread = Thread.currentThread();
    boolean unused = worker.turn();
    r.r1 = Thread.interrupted() ? 1 : 0;
  }

  /** Interrupts a handler that began before the far future. */
  @Actor
  public void loop(II_Result r) {
    r.r2 = worker.interruptIf(of.crew.nanoTime() + 1_000_000_000) ? 1 : 0;
  }
}
