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

  private static PollThreadTasks tasks() {
    return new PollThreadTasks(LOOP, new Waiters(LOOP));
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
  @Outcome(expect = FORBIDDEN, desc = "a task was lost, done twice, or done out of turn")
  @State
  public static class TasksAreDone {
    private final PollThreadTasks tasks = tasks();
    private final StringBuilder done = new StringBuilder();

    /** Pauses and resumes. */
    @Actor
    public void other() {
      tasks.add(() -> done.append('A'));
      tasks.add(() -> done.append('B'));
    }

    /** Polls. */
    @Actor
    public void poller() {
      tasks.enterPoll();
      tasks.enterPoll();
    }

    /** The next poll. */
    @Arbiter
    public void next(L_Result r) {
      tasks.enterPoll();
      r.r1 = done.toString();
    }
  }

  /** The first to do anything is the one that polls. */
  @JCStressTest
  @Outcome(id = {"true, false", "false, true"}, expect = ACCEPTABLE, desc = "one of them polls")
  @Outcome(expect = FORBIDDEN, desc = "both or neither")
  @State
  public static class OnePolls {
    private final PollThreadTasks tasks = tasks();

    /** One thread. */
    @Actor
    public void one(ZZ_Result r) {
      r.r1 = tasks.isPoller();
    }

    /** Another. */
    @Actor
    public void another(ZZ_Result r) {
      r.r2 = tasks.isPoller();
    }
  }

  /** A thread that seeks reads its new position from then on, though another thread does the seek. */
  @JCStressTest
  @Outcome(id = "7, 7", expect = ACCEPTABLE, desc = "the place that was sought")
  @Outcome(expect = FORBIDDEN, desc = "the place before")
  @State
  public static class SeekIsSeen {
    private final PollThreadTasks tasks = tasks();
    private final AssignedPartition p = partitionAt(BEFORE);

    /** Seeks, and asks where it is. */
    @Actor
    public void other(JJ_Result r) {
      p.request(SOUGHT);
      tasks.add(() -> {
        p.position = SOUGHT;
        p.seeks++;
        p.requestDone(SOUGHT);
      });
      r.r1 = p.known();
    }

    /** Polls. */
    @Actor
    public void poller() {
      tasks.enterPoll();
    }

    /** The next poll. */
    @Arbiter
    public void next(JJ_Result r) {
      tasks.enterPoll();
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
