package dev.decant.kafka.producer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;
import org.openjdk.jcstress.infra.results.Z_Result;

/** A list of helpers between threads that take and give back: nobody has one that another has. */
public class FreeListStress {
  private FreeListStress() {}

  private static final class Helper extends FreeList.Node {
    /** Plain: whoever takes a helper sees what the one before it wrote. */
    private int uses;
  }

  /** A list in which so many are free. */
  private static FreeList<Helper> free(int count) {
    FreeList<Helper> list = new FreeList<>(Helper::new);
    Helper[] taken = new Helper[count];
    for (int i = 0; i < count; i++) {
      taken[i] = list.take();
    }
    for (Helper helper : taken) {
      list.give(helper);
    }
    return list;
  }

  /** One takes, and is held up; the other takes two and gives the first back, so that the list begins as before. */
  @JCStressTest
  @Outcome(id = "true", expect = ACCEPTABLE, desc = "each has its own")
  @Outcome(id = "false", expect = FORBIDDEN, desc = "two have the same")
  @State
  public static class ListThatBeginsAsBefore {
    private final FreeList<Helper> list = free(2);
    private @Nullable Helper ofOne;
    private @Nullable Helper ofOther;

    /** Takes one. */
    @Actor
    public void one() {
      ofOne = list.take();
    }

    /** Takes two, and keeps the second. */
    @Actor
    public void other() {
      Helper first = list.take();
      ofOther = list.take();
      list.give(first);
    }

    /** Takes what is left. */
    @Arbiter
    @SuppressWarnings("ReferenceEquality") // the very helpers
    public void end(Z_Result r) {
      Helper left = list.take();
      r.r1 = ofOne != ofOther && left != ofOne && left != ofOther;
    }
  }

  /** Two use helpers one after the other, the same or not: nothing that was written to one is lost. */
  @JCStressTest
  @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "both uses are there, and all helpers")
  @Outcome(expect = FORBIDDEN, desc = "a use or a helper is lost")
  @State
  public static class UsesOfOne {
    private final FreeList<Helper> list = free(1);

    private void use() {
      Helper helper = list.take();
      helper.uses++;
      list.give(helper);
    }

    /** Uses one. */
    @Actor
    public void one() {
      use();
    }

    /** Uses one. */
    @Actor
    public void other() {
      use();
    }

    /** Counts the uses of the one that was there, and of the one that may have been made. */
    @Arbiter
    @SuppressWarnings("ReferenceEquality") // the very helpers
    public void end(ZZ_Result r) {
      Helper first = list.take();
      Helper second = list.take();
      r.r1 = first.uses + second.uses == 2;
      r.r2 = first != second;
    }
  }

  /** One gives a helper up that somebody may still use while the other makes more. */
  @JCStressTest
  @Outcome(id = "true", expect = ACCEPTABLE, desc = "each has its own, and the lost one comes no more")
  @Outcome(id = "false", expect = FORBIDDEN, desc = "two have the same, or the lost one")
  @State
  public static class Replacement {
    private static final int MORE = 10;

    private final FreeList<Helper> list = free(1);
    private final Helper lost = list.take();
    private final Helper[] made = new Helper[MORE];

    /** Gives up. */
    @Actor
    public void replace() {
      list.replace(lost);
    }

    /** Makes so many that the list of all grows. */
    @Actor
    public void make() {
      for (int i = 0; i < MORE; i++) {
        made[i] = list.take();
      }
      for (Helper helper : made) {
        list.give(helper);
      }
    }

    /** Takes all that are free. */
    @Arbiter
    @SuppressWarnings("ReferenceEquality") // the very helpers
    public void end(Z_Result r) {
      Helper[] all = new Helper[MORE + 1];
      r.r1 = true;
      for (int i = 0; i < all.length; i++) {
        all[i] = list.take();
        r.r1 &= all[i] != lost;
        for (int k = 0; k < i; k++) {
          r.r1 &= all[k] != all[i];
        }
      }
    }
  }
}
