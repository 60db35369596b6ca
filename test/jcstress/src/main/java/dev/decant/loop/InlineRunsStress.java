package dev.decant.loop;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** An owner that sleeps and wakes up, and a thread that wants to work in its place: never both at once. */
@JCStressTest
@Outcome(id = {"0, 2", "1, 3"}, expect = ACCEPTABLE, desc = "each thread that worked has counted")
@Outcome(expect = FORBIDDEN, desc = "both worked at once, or one did not see what the other had done")
@State
public class InlineRunsStress {
  private final InlineRuns runs = new InlineRuns();
  /** What belongs to the owner. */
  private int counted;

  /** Works, sleeps, and works again. */
  @Actor
  public void owner() {
    counted++;
    runs.fallAsleep();
    runs.wakeUp();
    counted++;
  }

  /** Runs inline, if it may. */
  @Actor
  public void runner(II_Result r) {
    if (runs.begin()) {
      counted++;
      runs.end();
      r.r1 = 1;
    }
  }

  /** After both. */
  @Arbiter
  public void both(II_Result r) {
    r.r2 = counted;
  }
}
