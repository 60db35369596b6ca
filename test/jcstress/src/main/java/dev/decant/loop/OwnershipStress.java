package dev.decant.loop;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.decant.time.Clock;
import java.util.concurrent.TimeUnit;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** The I/O thread has the loop for a moment, and a borrower waits for it: never both at once, no wake-up is lost. */
@JCStressTest
@Outcome(id = "1, 1, 2", expect = ACCEPTABLE, desc = "one after the other")
@Outcome(id = "0, 1, 1", expect = ACCEPTABLE, desc = "the borrower was first")
@Outcome(expect = FORBIDDEN, desc = "both at once, or the borrower slept until its deadline")
@State
public class OwnershipStress {
  private final Ownership ownership = new Ownership();
  /** What belongs to the owner. */
  private int counted;

  /** Takes the loop if nobody has it. */
  @Actor
  public void ioThread(III_Result r) {
    if (ownership.tryLock()) {
      counted++;
      r.r1 = 1;
      ownership.release();
    }
  }

  /** Borrows the loop. */
  @Actor
  public void borrower(III_Result r) {
    if (ownership.claim()) {
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
      if (ownership.tryLock() || awaitLock(deadline)) {
        counted++;
        r.r2 = System.nanoTime() - deadline < 0 ? 1 : 2;
        ownership.disclaim();
        ownership.release();
      }
    }
  }

  private boolean awaitLock(long deadline) {
    try {
      return ownership.awaitLock(Clock.system(), deadline);
    } catch (InterruptedException e) {
      return false; // nobody interrupts, and the outcome would say so
    }
  }

  /** After both. */
  @Arbiter
  public void both(III_Result r) {
    r.r3 = counted;
  }
}
