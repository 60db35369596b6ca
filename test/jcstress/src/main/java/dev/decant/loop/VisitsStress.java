package dev.decant.loop;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** An owner that sleeps and wakes up, and two threads that want to work in its place: never two at once. */
@JCStressTest
@Outcome(id = {"0, 0, 2", "0, 1, 3", "1, 0, 3", "1, 1, 4"}, expect = ACCEPTABLE, desc = "who worked has counted")
@Outcome(expect = FORBIDDEN, desc = "two worked at once, or one did not see what the other had done")
@State
public class VisitsStress {
  private final Visits visits = new Visits();
  /** What belongs to the owner. */
  private int counted;

  /** Works, sleeps, and works again. */
  @Actor
  public void owner() {
    counted++;
    visits.leave();
    visits.comeBack();
    counted++;
  }

  /** One visitor. */
  @Actor
  public void one(III_Result r) {
    r.r1 = visit();
  }

  /** Another one. */
  @Actor
  public void other(III_Result r) {
    r.r2 = visit();
  }

  private int visit() {
    if (!visits.enter()) {
      return 0;
    }
    counted++;
    visits.exit();
    return 1;
  }

  /** After all. */
  @Arbiter
  public void all(III_Result r) {
    r.r3 = counted;
  }
}
