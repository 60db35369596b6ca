package dev.decant.kafka.work;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** The loop takes a step and begins to wait while another thread requests something: the step sees it, or it wakes. */
@JCStressTest
@Outcome(id = "0, 1, 0", expect = FORBIDDEN, desc = "the loop waits, and neither saw the request nor was woken")
@Outcome(id = ".*, .*, .*", expect = ACCEPTABLE, desc = "the step saw it, the loop does not wait, or was woken")
@State
public class LoopNeedStress {
  private final LoopWaits waits = new LoopWaits();
  private volatile int requested;
  private volatile int woken;

  /** Makes a loop whose poll is ended by a flag. */
  public LoopNeedStress() {
    waits.connect(() -> woken = 1);
  }

  /** Takes a step, which sees requests, and begins to wait. */
  @Actor
  public void loop(III_Result r) {
    waits.beginStep();
    r.r1 = requested;
    r.r2 = waits.beginPoll(LoopWaits.NONE, false, () -> 0) ? 1 : 0;
  }

  /** Requests something. */
  @Actor
  public void other() {
    requested = 1;
    waits.need();
  }

  /** Reads what the poll would see. */
  @Arbiter
  public void look(III_Result r) {
    r.r3 = woken;
  }
}
