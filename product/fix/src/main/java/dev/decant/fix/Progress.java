package dev.decant.fix;

import dev.decant.fix.session.ParkedThreads;
import dev.decant.loop.EventLoop;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Threads that wait for something that the application's callbacks bring about. The first platform thread drives the
 * loop itself; others, and virtual ones, wait for word that callbacks have run. If several loops run callbacks, their
 * own threads drive them, and all threads that wait do so for word. Any thread.
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
        waitForWord(done, deadline);
      } finally {
        for (EventLoop loop : loops) {
          loop.endParkedWait();
        }
      }
    }
    return true;
  }

  private void waitForWord(BooleanSupplier done, long deadline) throws InterruptedException {
    waiting.add();
    try {
      while (true) {
        // The owner has run a callback and looks for us; we have added ourselves and look at what callbacks do.
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

  /** Callbacks have run: the owner of the loop. */
  void signal() {
    waiting.signal();
  }
}
