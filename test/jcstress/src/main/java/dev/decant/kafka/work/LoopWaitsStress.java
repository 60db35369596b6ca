package dev.decant.kafka.work;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** The loop begins to wait while a worker finishes a record and another thread needs the loop. */
@JCStressTest
@Outcome(id = "1, 0, .*", expect = FORBIDDEN, desc = "the loop waits, and no thread has woken it")
@Outcome(id = {"0, .*, 1", "1, 1, 1"}, expect = ACCEPTABLE, desc = "the loop does not wait, or was woken")
@Outcome(expect = FORBIDDEN, desc = "the record was lost")
@State
public class LoopWaitsStress {
  private final LoopWaits waits = new LoopWaits();
  /** Number of finished records. */
  private volatile int finished;
  private volatile int woken;

  /** Makes a loop whose poll is ended by a flag. */
  public LoopWaitsStress() {
    waits.connect(() -> woken = 1);
  }

  /** Begins to wait for one finished record. */
  @Actor
  public void loop(III_Result r) {
    r.r1 = waits.beginPoll(1, false, () -> finished) ? 1 : 0;
  }

  /** Finishes a record. */
  @Actor
  public void worker() {
    finished = 1;
    waits.finished(1, false);
  }

  /** Reads what the poll would see. */
  @Arbiter
  public void look(III_Result r) {
    r.r2 = woken;
    r.r3 = finished;
  }
}
