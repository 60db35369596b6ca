package dev.decant.kafka.work;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.decant.kafka.serialization.Serdes;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Two threads push what they have finished, and the loop takes all there is. */
@JCStressTest
@Outcome(id = {"0, 6", "1, 5", "2, 4", "3, 3", "4, 2", "5, 1", "6, 0"}, expect = ACCEPTABLE, desc = "each came once")
@Outcome(expect = FORBIDDEN, desc = "one was lost or came twice")
@State
public class DoneStackStress {
  private final DoneStack<String, String> stack = new DoneStack<>();

  private static Slot<String, String> slot(int offset) {
    Slot<String, String> slot = new Slot<>(Serdes.string(), Serdes.string());
    slot.offset = offset;
    return slot;
  }

  /** Pushes two that are linked. */
  @Actor
  public void worker() {
    Slot<String, String> first = slot(1);
    Slot<String, String> last = slot(2);
    first.nextDone = last;
    stack.push(first, last, 2);
  }

  /** Pushes one. */
  @Actor
  public void other() {
    Slot<String, String> only = slot(3);
    stack.push(only, only, 1);
  }

  /** Takes what is there. */
  @Actor
  public void loop(II_Result r) {
    r.r1 = sum();
  }

  private int sum() {
    int sum = 0;
    for (Slot<String, String> slot = stack.takeAll(); slot != null; slot = slot.nextDone) {
      sum = Math.toIntExact(sum + slot.offset);
    }
    return sum;
  }

  /** Takes the rest. */
  @Arbiter
  public void rest(II_Result r) {
    r.r2 = sum();
  }
}
