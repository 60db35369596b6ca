package dev.decant.fix;

import dev.decant.fix.session.ParkedThreads;
import dev.decant.loop.EventLoop;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/** Senders that wait for room in the output of a session. Any thread. */
final class SendSpace {
  private final EventLoop loop;
  private final ParkedThreads waiting = new ParkedThreads();

  SendSpace(EventLoop loop) {
    this.loop = loop;
  }

  /**
   * Waits until there seems to be room for a message.
   *
   * @return false at the deadline, at an interrupt, or if the session takes no messages any more
   */
  boolean await(SessionSender session, int bodyBytes, long deadlineNanos) {
    loop.beginParkedWait(); // somebody drives meanwhile
    try {
      return waitForRoom(session, bodyBytes, deadlineNanos);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } finally {
      loop.endParkedWait();
    }
  }

  private boolean waitForRoom(SessionSender session, int bodyBytes, long deadlineNanos) throws InterruptedException {
    waiting.add();
    try {
      while (true) {
        // The owner gives room back and looks for us; we have added ourselves and look for room.
        VarHandle.fullFence();
        if (!session.takesMessages()) {
          return false;
        }
        if (session.seemsToHaveRoom(bodyBytes)) {
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

  /** There is room again: the owner of the loop. */
  void signal() {
    waiting.signal();
  }
}
