package dev.decant.jcstress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.decant.completion.Completion;
import java.util.concurrent.TimeUnit;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLZ_Result;
import org.openjdk.jcstress.infra.results.ZJZ_Result;
import org.openjdk.jcstress.infra.results.ZZJ_Result;
import org.openjdk.jcstress.infra.results.ZZL_Result;

/** One outcome per use of a completion, whole and in time. */
public class CompletionStress {
  private CompletionStress() {}

  /** The cause of every failure here; it is made too often to fill in a stack. */
  static final class Cause extends Exception {
    private static final long serialVersionUID = 1L;

    Cause() {
      super("a failure", null, false, false);
    }
  }

  /** What a thread sees that does not wait. */
  static String seen(Completion completion, long ticket) {
    if (!completion.isDone(ticket)) {
      return "pending";
    }
    Throwable failure = completion.failure();
    long value = completion.value();
    if (failure == null) {
      return value == 7 ? "value" : "torn";
    }
    return failure instanceof Cause && value == 0 ? "failure" : "torn";
  }

  /** complete, fail. */
  @JCStressTest
  @Outcome(id = "true, false, value", expect = ACCEPTABLE, desc = "complete was first")
  @Outcome(id = "false, true, failure", expect = ACCEPTABLE, desc = "fail was first")
  @Outcome(expect = FORBIDDEN, desc = "both or none won, or the outcome is not the winner's")
  @State
  public static class CompleteAgainstFail {
    private final Completion completion = new Completion();
    private final long ticket = completion.begin();

    /** Completes. */
    @Actor
    public void complete(ZZL_Result r) {
      r.r1 = completion.complete(ticket, 7);
    }

    /** Fails. */
    @Actor
    public void fail(ZZL_Result r) {
      r.r2 = completion.fail(ticket, new Cause());
    }

    /** Looks at the outcome afterwards. */
    @Arbiter
    public void outcome(ZZL_Result r) {
      r.r3 = seen(completion, ticket);
    }
  }

  /** The first look, the second look of a reader, whether fail won. */
  @JCStressTest
  @Outcome(id = "pending, pending, true", expect = ACCEPTABLE, desc = "not yet")
  @Outcome(id = "pending, failure, true", expect = ACCEPTABLE, desc = "published between the looks")
  @Outcome(id = "failure, failure, true", expect = ACCEPTABLE, desc = "published before")
  @Outcome(expect = FORBIDDEN, desc = "done, but the value or the failure is of another use")
  @State
  public static class ReaderSeesWhatWasPublished {
    private final Completion completion = new Completion();
    private final long ticket;

    /** Leaves the result of an earlier use behind. */
    public ReaderSeesWhatWasPublished() {
      completion.complete(completion.begin(), 5);
      ticket = completion.begin();
    }

    /** Fails. */
    @Actor
    public void fail(LLZ_Result r) {
      r.r3 = completion.fail(ticket, new Cause());
    }

    /** Reads twice. */
    @Actor
    public void read(LLZ_Result r) {
      r.r1 = seen(completion, ticket);
      r.r2 = seen(completion, ticket);
    }
  }

  /** What await returned, the value, whether it came before the deadline. */
  @JCStressTest
  @Outcome(id = "true, 7, true", expect = ACCEPTABLE, desc = "woken up with the result")
  @Outcome(id = "true, 7, false", expect = FORBIDDEN, desc = "the wake-up was lost")
  @Outcome(expect = FORBIDDEN, desc = "the wait ended without the result")
  @State
  public static class WaiterIsWokenUp {
    private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Completion completion = new Completion();
    private final long ticket = completion.begin();

    /** Waits. */
    @Actor
    public void await(ZJZ_Result r) {
      long deadline = System.nanoTime() + DEADLINE_NANOS;
      try {
        r.r1 = completion.await(ticket, deadline);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      r.r2 = completion.value();
      r.r3 = System.nanoTime() - deadline < 0;
    }

    /** Completes. */
    @Actor
    public void complete() {
      completion.complete(ticket, 7);
    }
  }

  /** The outcome of the present use, the late one of the use before, the value. */
  @JCStressTest
  @Outcome(id = "true, false, 7", expect = ACCEPTABLE, desc = "the late outcome changed nothing")
  @Outcome(expect = FORBIDDEN, desc = "the late outcome won, or spoilt the result")
  @State
  public static class LateOutcome {
    private final Completion completion = new Completion();
    private final long earlier = completion.begin();
    private final long ticket;

    /** The earlier use is over. */
    public LateOutcome() {
      completion.complete(earlier, 1);
      ticket = completion.begin();
    }

    /** Completes the present use. */
    @Actor
    public void complete(ZZJ_Result r) {
      r.r1 = completion.complete(ticket, 7);
    }

    /** Comes late. */
    @Actor
    public void late(ZZJ_Result r) {
      r.r2 = completion.complete(earlier, 9);
    }

    /** Reads the value afterwards. */
    @Arbiter
    public void value(ZZJ_Result r) {
      r.r3 = completion.value();
    }
  }

  /**
   * The owner gives a use up and begins another: the outcome of the first, the outcome of the second, the value. Giving
   * up is failing: a use that somebody else is about to end is over only when it is done.
   */
  @JCStressTest
  @Outcome(id = "true, true, 7", expect = ACCEPTABLE, desc = "the result came before the owner gave up")
  @Outcome(id = "false, true, 7", expect = ACCEPTABLE, desc = "the result came too late and changed nothing")
  @Outcome(expect = FORBIDDEN, desc = "the first use's result reached the second use")
  @State
  public static class GivenUp {
    private final Completion completion = new Completion();
    private final long first = completion.begin();

    /** Gives up, begins again and completes that. */
    @Actor
    public void owner(ZZJ_Result r) {
      if (!completion.fail(first, new Cause())) {
        while (!completion.isDone(first)) {
          Thread.onSpinWait();
        }
      }
      r.r2 = completion.complete(completion.begin(), 7);
    }

    /** Completes the first use. */
    @Actor
    public void complete(ZZJ_Result r) {
      r.r1 = completion.complete(first, 9);
    }

    /** Reads the value of the second use. */
    @Arbiter
    public void value(ZZJ_Result r) {
      r.r3 = completion.failure() == null ? completion.value() : -1;
    }
  }
}
