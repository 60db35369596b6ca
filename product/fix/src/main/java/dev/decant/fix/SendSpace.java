package dev.decant.fix;

import dev.decant.fix.session.OutboundMessages;
import dev.decant.fix.session.ParkedThreads;
import dev.decant.loop.EventLoop;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/** Senders that wait for room in the output of a session. Any thread. */
final class SendSpace {
  private final EventLoop loop;
  private final OutboundMessages out;
  private final ParkedThreads waiting = new ParkedThreads();

  SendSpace(EventLoop loop, OutboundMessages out) {
    this.loop = loop;
    this.out = out;
  }

  /**
   * Waits until there seems to be room for a message. Returns false at the deadline, at an interrupt, or if the session
   * accepts no messages any longer.
   */
  boolean await(int bodyBytes, long deadlineNanos) {
    loop.beginParkedWait(); // While this thread waits, another thread drives the loop.
    try {
      return waitForRoom(bodyBytes, deadlineNanos);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } finally {
      loop.endParkedWait();
    }
  }

  private boolean waitForRoom(int bodyBytes, long deadlineNanos) throws InterruptedException {
    waiting.add();
    try {
      while (true) {
        // The owner frees room, then looks for waiting threads. This thread adds itself, then checks for room. The
        // fence makes one of the two see the other.
        VarHandle.fullFence();
        if (!out.isTaken()) {
          return false;
        }
        if (out.seemsToHaveRoom(bodyBytes)) {
          return true;
        }
        long left = deadlineNanos - System.nanoTime();
        if (left <= 0) {
          return false;
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

  /** Wakes the waiting senders after room was freed. Owner of the loop only. */
  void signal() {
    waiting.signal();
  }
}
