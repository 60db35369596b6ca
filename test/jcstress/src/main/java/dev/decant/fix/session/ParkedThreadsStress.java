package dev.decant.fix.session;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.lang.invoke.VarHandle;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A thread is about to park while another one changes what it waits for: one of the two sees the other. */
@JCStressTest
@Outcome(id = {"0, 1", "1, 0", "1, 1"}, expect = ACCEPTABLE, desc = "the thread does not park, or is woken")
@Outcome(id = "0, 0", expect = FORBIDDEN, desc = "the thread parks, and nobody wakes it")
@State
public class ParkedThreadsStress {
  private final ParkedThreads threads = new ParkedThreads();
  /** Plain, so that nothing but the fences orders it. */
  private boolean changed;

  /** Adds itself, then looks for the change. */
  @Actor
  public void waiter(II_Result r) {
    threads.add();
    VarHandle.fullFence();
    r.r1 = changed ? 1 : 0;
  }

  /** Makes the change, then looks for threads. */
  @Actor
  public void signaller(II_Result r) {
    changed = true;
    r.r2 = threads.any() ? 1 : 0;
  }
}
