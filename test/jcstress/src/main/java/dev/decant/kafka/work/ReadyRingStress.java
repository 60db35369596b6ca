package dev.decant.kafka.work;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** Two workers take from a ring of two places into which four items are put, a place again as soon as it is free. */
@JCStressTest
@Outcome(id = ".*, .*, 10", expect = ACCEPTABLE, desc = "each item was taken once, or is there still")
@Outcome(expect = FORBIDDEN, desc = "an item was taken twice, or by nobody")
@State
public class ReadyRingStress {
  private final ReadyRing<Integer> ring = new ReadyRing<>(2);
  private final @Nullable Integer[] first = new Integer[2];
  private final @Nullable Integer[] second = new Integer[2];

  /** Puts two, and two more if there is room. */
  @Actor
  public void loop() {
    ring.add(1, 0);
    ring.add(2, 1);
    ring.publish(2);
    if (ring.size() == 0) {
      ring.add(3, 2);
      ring.add(4, 3);
      ring.publish(4);
    }
  }

  /** Takes two at most. */
  @Actor
  public void one(III_Result r) {
    r.r1 = sum(first, ring.take(first, 2));
  }

  /** Takes one. */
  @Actor
  public void other(III_Result r) {
    r.r2 = sum(second, ring.take(second, 1));
  }

  private static int sum(@Nullable Integer[] taken, int count) {
    int sum = 0;
    for (int i = 0; i < count; i++) {
      Integer item = taken[i];
      sum += item == null ? 100 : item;
    }
    return sum;
  }

  /** The items that are left, and those that would have come. */
  @Arbiter
  public void left(III_Result r) {
    int sum = r.r1 + r.r2;
    @Nullable
    Integer[] rest = new Integer[2];
    int count = ring.take(rest, 2);
    sum += sum(rest, count);
    r.r3 = sum + (ring.end() == 2 ? 7 : 0);
  }
}
