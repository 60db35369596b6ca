package dev.decant.kafka.producer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.decant.loop.EventLoop;
import dev.decant.time.Clock;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** A thread gives up its wait while the outcome comes. */
public class PendingAcksStress {
  private static final EventLoop LOOP = EventLoop.withoutThread("pending-acks", Clock.system());

  private PendingAcksStress() {}

  /** The wait can be used again, by one. */
  @JCStressTest
  @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "given back, once")
  @Outcome(expect = FORBIDDEN, desc = "lost, or given back twice")
  @State
  public static class Abandoned {
    private final PendingAcks acks = new PendingAcks(LOOP);
    private final PendingAck ack = acks.take();
    private final long tag;

    /** Begins the wait. */
    public Abandoned() {
      ack.begin();
      tag = PendingAcks.tag(ack);
    }

    /** Gives up. */
    @Actor
    public void waiter() {
      acks.abandon(ack);
    }

    /** Brings the outcome. */
    @Actor
    public void owner() {
      acks.onAck(tag, 0, 1, 2);
    }

    /** Takes all that are free, and one more. */
    @Arbiter
    @SuppressWarnings("ReferenceEquality") // the very wait
    public void end(ZZ_Result r) {
      r.r1 = acks.take() == ack;
      r.r2 = acks.take() != ack;
    }
  }

  /** The next user abandons it, too, before there is an outcome: it must not be used again. */
  @JCStressTest
  @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "free unless its second use has no outcome")
  @Outcome(expect = FORBIDDEN, desc = "lost, given back twice, or while its record is under way")
  @State
  public static class AbandonedAgain {
    private final PendingAcks acks = new PendingAcks(LOOP);
    private final PendingAck ack = acks.take();
    private final long tag;
    private boolean isUnderWay;

    /** Begins the first use. */
    public AbandonedAgain() {
      ack.begin();
      tag = PendingAcks.tag(ack);
    }

    /** Gives up the first use. */
    @Actor
    public void waiter() {
      acks.abandon(ack);
    }

    /** Brings the outcome of the first use. */
    @Actor
    public void owner() {
      acks.onAck(tag, 0, 1, 2);
    }

    /** Uses it once more, if it is there, and gives up that use, of which nobody hears more. */
    @Actor
    @SuppressWarnings("ReferenceEquality") // the very wait
    public void other() {
      PendingAck taken = acks.take();
      if (taken == ack) {
        taken.begin();
        acks.abandon(taken);
        isUnderWay = true;
      }
    }

    /** Takes all that are free, and one more. */
    @Arbiter
    @SuppressWarnings("ReferenceEquality") // the very wait
    public void end(ZZ_Result r) {
      r.r1 = (acks.take() == ack) != isUnderWay;
      r.r2 = acks.take() != ack;
    }
  }
}
