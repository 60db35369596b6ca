package dev.decant.kafka.work;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.decant.kafka.serialization.Serdes;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** The loop lets a record wait for one that a worker finishes: exactly one of them goes on with it. */
@JCStressTest
@Outcome(id = "1, 7", expect = ACCEPTABLE, desc = "it waited, and the worker begins it, as the loop has written it")
@Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "the other was done, and the loop begins it")
@Outcome(expect = FORBIDDEN, desc = "both begin it or nobody does, or the worker sees an older record")
@State
public class SlotStress {
  private final Slot<String, String> done = new Slot<>(Serdes.string(), Serdes.string());
  private final Slot<String, String> behind = new Slot<>(Serdes.string(), Serdes.string());

  /** Has a record wait. */
  @Actor
  public void loop(II_Result r) {
    behind.offset = 7;
    r.r1 = done.append(behind) ? 1 : 0;
  }

  /** Finishes the other. */
  @Actor
  public void worker(II_Result r) {
    Slot<String, String> next = done.finish();
    r.r2 = next == null ? 0 : Math.toIntExact(next.offset);
  }
}
