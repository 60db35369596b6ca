package dev.decant.kafka.consumer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.decant.kafka.cluster.Waiters;
import dev.decant.loop.EventLoop;
import dev.decant.time.Clock;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;
import org.openjdk.jcstress.infra.results.L_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** What pausing, seeking and asking for a position share with the thread that polls. */
public class PollStress {
  private static final long BEFORE = 3;
  private static final long SOUGHT = 7;
  private static final EventLoop LOOP = EventLoop.start("stress", Clock.system());

  private PollStress() {}

  private static Errands errands() {
    return new Errands(LOOP, new Waiters(LOOP));
  }

  private static AssignedPartition partitionAt(long position) {
    AssignedPartition p = new AssignedPartition("stress", 0);
    p.position = position;
    p.seeks = 1;
    return p;
  }

  /** A pause and its end, by one thread, while another polls. */
  @JCStressTest
  @Outcome(id = "AB", expect = ACCEPTABLE, desc = "both, in their order")
  @Outcome(expect = FORBIDDEN, desc = "an errand was lost, done twice, or done out of turn")
  @State
  public static class ErrandsAreDone {
    private final Errands errands = errands();
    private final StringBuilder done = new StringBuilder();

    /** Pauses and resumes. */
    @Actor
    public void other() {
      errands.add(() -> done.append('A'));
      errands.add(() -> done.append('B'));
    }

    /** Polls. */
    @Actor
    public void poller() {
      errands.enterPoll();
      errands.enterPoll();
    }

    /** The next poll. */
    @Arbiter
    public void next(L_Result r) {
      errands.enterPoll();
      r.r1 = done.toString();
    }
  }

  /** The first to do anything is the one that polls. */
  @JCStressTest
  @Outcome(id = {"true, false", "false, true"}, expect = ACCEPTABLE, desc = "one of them polls")
  @Outcome(expect = FORBIDDEN, desc = "both or neither")
  @State
  public static class OnePolls {
    private final Errands errands = errands();

    /** One thread. */
    @Actor
    public void one(ZZ_Result r) {
      r.r1 = errands.isPoller();
    }

    /** Another. */
    @Actor
    public void another(ZZ_Result r) {
      r.r2 = errands.isPoller();
    }
  }

  /** Who has sought elsewhere is told that position from then on, though another thread does the seek. */
  @JCStressTest
  @Outcome(id = "7, 7", expect = ACCEPTABLE, desc = "the place that was sought")
  @Outcome(expect = FORBIDDEN, desc = "the place before")
  @State
  public static class SeekIsSeen {
    private final Errands errands = errands();
    private final AssignedPartition p = partitionAt(BEFORE);

    /** Seeks, and asks where it is. */
    @Actor
    public void other(JJ_Result r) {
      p.request(SOUGHT);
      errands.add(() -> {
        p.position = SOUGHT;
        p.seeks++;
        p.requestDone(SOUGHT);
      });
      r.r1 = p.known();
    }

    /** Polls. */
    @Actor
    public void poller() {
      errands.enterPoll();
    }

    /** The next poll. */
    @Arbiter
    public void next(JJ_Result r) {
      errands.enterPoll();
      r.r2 = p.known();
    }
  }

  /** While the polling thread does a seek, nobody sees the place before. */
  @JCStressTest
  @Outcome(id = "7, 7", expect = ACCEPTABLE, desc = "the place that was sought")
  @Outcome(expect = FORBIDDEN, desc = "the place before, or none")
  @State
  public static class SeekIsDone {
    private final AssignedPartition p = partitionAt(BEFORE);

    /** It was sought before. */
    public SeekIsDone() {
      p.request(SOUGHT);
    }

    /** Does the seek. */
    @Actor
    public void poller() {
      p.position = SOUGHT;
      p.seeks++;
      p.requestDone(SOUGHT);
    }

    /** Asks for the position. */
    @Actor
    public void other(JJ_Result r) {
      r.r1 = p.known();
      r.r2 = p.known();
    }
  }
}
