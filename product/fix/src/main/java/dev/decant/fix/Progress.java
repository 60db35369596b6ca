package dev.decant.fix;

import dev.decant.loop.EventLoop;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Threads that wait for something that the application's callbacks bring about. The first platform thread drives the
 * loop itself; others, and virtual ones, wait for word that callbacks have run. Any thread.
 */
final class Progress {
  private final EventLoop loop;
  /** Changed under the monitor, read by the owner of the loop without it. */
  private volatile int waiting;

  Progress(EventLoop loop) {
    this.loop = loop;
  }

  boolean waitUntil(BooleanSupplier done, long timeoutNanos) throws InterruptedException {
    long deadline = System.nanoTime() + timeoutNanos;
    while (!loop.driveUntil(done, deadline)) {
      if (deadline - System.nanoTime() <= 0) {
        return done.getAsBoolean();
      }
      loop.beginParkedWait();
      try {
        waitForWord(done, deadline);
      } finally {
        loop.endParkedWait();
      }
    }
    return true;
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // under the monitor
  private synchronized void waitForWord(BooleanSupplier done, long deadline) throws InterruptedException {
    waiting++;
    try {
      while (true) {
        // The owner has run a callback and looks at `waiting`; we have written that and look at what callbacks do.
        VarHandle.fullFence();
        long left = deadline - System.nanoTime();
        if (left <= 0 || done.getAsBoolean()) {
          return;
        }
        wait(left / TimeUnit.MILLISECONDS.toNanos(1), (int) (left % TimeUnit.MILLISECONDS.toNanos(1)));
      }
    } finally {
      waiting--;
    }
  }

  /** Callbacks have run: the owner of the loop. */
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
