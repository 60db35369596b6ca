package dev.decant.fix.session;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** Three threads count under the lock of a session: no step is lost, and no thread parks for ever. */
@JCStressTest
@Outcome(id = "3", expect = ACCEPTABLE, desc = "one after the other")
@Outcome(expect = FORBIDDEN, desc = "two had the lock at once")
@State
public class SessionLockStress {
  private final SessionLock lock = new SessionLock();
  /** Plain: guarded by the lock. */
  private int count;

  private void step() {
    lock.lock();
    try {
      count++;
    } finally {
      lock.unlock();
    }
  }

  /** Counts. */
  @Actor
  public void one() {
    step();
  }

  /** Counts. */
  @Actor
  public void two() {
    step();
  }

  /** Counts. */
  @Actor
  public void three() {
    step();
  }

  /** Looks at the count. */
  @Arbiter
  public void end(I_Result r) {
    r.r1 = count;
  }
}
