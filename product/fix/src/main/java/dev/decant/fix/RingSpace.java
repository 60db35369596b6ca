package dev.decant.fix;

import dev.decant.fix.session.MessageRing;
import dev.decant.loop.EventLoop;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/** Senders that wait for room in a ring. Any thread. */
final class RingSpace {
  private final EventLoop loop;
  private final ParkedThreads waiting = new ParkedThreads();

  RingSpace(EventLoop loop) {
    this.loop = loop;
  }

  /** Claims as soon as there is room; returns without a claim at the deadline, an interrupt, or the session's end. */
  long awaitClaim(SessionRunner session, MessageRing ring, int bytes, long timeoutNanos) {
    long deadline = System.nanoTime() + timeoutNanos;
    loop.beginParkedWait(); // somebody drives meanwhile
    try {
      return waitAndClaim(session, ring, bytes, deadline);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return MessageRing.NO_ROOM;
    } finally {
      loop.endParkedWait();
    }
  }

  private long waitAndClaim(SessionRunner session, MessageRing ring, int bytes, long deadline)
      throws InterruptedException {
    waiting.add();
    try {
      while (true) {
        // The owner gives room back and looks for us; we have added ourselves and look for room.
        VarHandle.fullFence();
        long at = ring.claim(bytes);
        long left = deadline - System.nanoTime();
        if (at != MessageRing.NO_ROOM || left <= 0 || !session.mayWait()) {
          return at;
        }
        LockSupport.parkNanos(this, left);
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
      }
    } finally {
      waiting.remove();
    }
  }

  /** There is room again: the owner of the loop. */
  void signal() {
    waiting.signal();
  }
}
