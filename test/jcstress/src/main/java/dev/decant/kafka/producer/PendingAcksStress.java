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

/** A thread gives up its wait while the outcome comes: the wait can be used again, by one. */
@JCStressTest
@Outcome(id = "true, true", expect = ACCEPTABLE, desc = "given back, once")
@Outcome(expect = FORBIDDEN, desc = "lost, or given back twice")
@State
public class PendingAcksStress {
  private static final EventLoop LOOP = EventLoop.withoutThread("pending-acks", Clock.system());

  private final PendingAcks acks = new PendingAcks(LOOP);
  private final PendingAck ack = acks.take();

  /** Begins the wait. */
  public PendingAcksStress() {
    ack.begin();
  }

  /** Gives up. */
  @Actor
  public void waiter() {
    acks.abandon(ack);
  }

  /** Brings the outcome. */
  @Actor
  public void owner() {
    acks.onAck(PendingAcks.tag(ack), 0, 1, 2);
  }

  /** Takes all that are free, and one more. */
  @Arbiter
  @SuppressWarnings("ReferenceEquality") // the very wait
  public void end(ZZ_Result r) {
    r.r1 = acks.take() == ack;
    r.r2 = acks.take() != ack;
  }
}
