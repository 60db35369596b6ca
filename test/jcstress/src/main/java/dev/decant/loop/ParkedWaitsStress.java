package dev.decant.loop;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A thread is about to park while a borrower hands the loop back: one of the two sees the other. */
@JCStressTest
@Outcome(id = {"0, 1", "1, 0", "1, 1"}, expect = ACCEPTABLE, desc = "somebody wakes the I/O thread")
@Outcome(id = "0, 0", expect = FORBIDDEN, desc = "the thread parks, and nobody drives")
@State
public class ParkedWaitsStress {
  private final ParkedWaits waits = new ParkedWaits();
  private volatile boolean vacant;

  /** Announces its wait, then looks whether somebody drives. */
  @Actor
  public void waiter(II_Result r) {
    waits.begin();
    r.r1 = vacant ? 1 : 0;
  }

  /** Hands the loop back, then looks whether somebody waits. */
  @Actor
  public void borrower(II_Result r) {
    vacant = true;
    r.r2 = waits.any() ? 1 : 0;
  }
}
