package dev.decant.fix;

import dev.decant.fix.session.MessageRing;
import dev.decant.loop.EventLoop;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;

/**
 * Senders that wait for room in a ring. A monitor, because a lock of java.util.concurrent allocates a node for each
 * thread that waits. Any thread.
 */
final class RingSpace {
  private final EventLoop loop;
  /** Changed under the monitor, read by the owner of the loop without it. */
  private volatile int waiting;

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

  @SuppressWarnings("NonAtomicVolatileUpdate") // under the monitor
  private synchronized long waitAndClaim(SessionRunner session, MessageRing ring, int bytes, long deadline)
      throws InterruptedException {
    waiting++;
    try {
      while (true) {
        // The owner gives room back and looks at `waiting`; we have written that and look for room.
        VarHandle.fullFence();
        long at = ring.claim(bytes);
        long left = deadline - System.nanoTime();
        if (at != MessageRing.NO_ROOM || left <= 0 || !session.mayWait()) {
          return at;
        }
        wait(left / TimeUnit.MILLISECONDS.toNanos(1), (int) (left % TimeUnit.MILLISECONDS.toNanos(1)));
      }
    } finally {
      waiting--;
    }
  }

  /** There is room again: the owner of the loop. */
  void signal() {
    VarHandle.fullFence();
    if (waiting > 0) {
      signalSlowPath();
    }
  }

  private synchronized void signalSlowPath() {
    notifyAll();
  }
}
