package dev.decant.fix;

import dev.decant.fix.session.ParkedThreads;
import dev.decant.loop.EventLoop;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Threads that wait for effects of the application's callbacks. With one loop, the first platform thread drives the
 * loop itself. Other threads, and virtual ones, are woken after callbacks have run. With several loops, their own
 * threads drive them, and all waiting threads are woken. Any thread.
 */
final class Progress {
  private final EventLoop[] loops;
  private final ParkedThreads waiting = new ParkedThreads();

  Progress(EventLoop... loops) {
    this.loops = loops;
  }

  boolean waitUntil(BooleanSupplier done, long timeoutNanos) throws InterruptedException {
    long deadline = System.nanoTime() + timeoutNanos;
    while (!(loops.length == 1 ? loops[0].driveUntil(done, deadline) : done.getAsBoolean())) {
      if (deadline - System.nanoTime() <= 0) {
        return done.getAsBoolean();
      }
      for (EventLoop loop : loops) {
        loop.beginParkedWait();
      }
      try {
        waitForSignal(done, deadline);
      } finally {
        for (EventLoop loop : loops) {
          loop.endParkedWait();
        }
      }
    }
    return true;
  }

  private void waitForSignal(BooleanSupplier done, long deadline) throws InterruptedException {
    waiting.add();
    try {
      while (true) {
        // The owner runs a callback, then looks for waiting threads. This thread adds itself, then checks the
        // condition. The fence makes one of the two see the other.
        VarHandle.fullFence();
        long left = deadline - System.nanoTime();
        if (left <= 0 || done.getAsBoolean()) {
          return;
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

  /** Wakes the waiting threads after callbacks have run. Owner of the loop only. */
  void signal() {
    waiting.signal();
  }
}
