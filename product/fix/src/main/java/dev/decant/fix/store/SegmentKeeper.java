package dev.decant.fix.store;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The thread that makes segments ahead of use, deletes old ones, and forces at intervals, for all logs of a factory. It
 * runs while there are logs, and sleeps while there is nothing to do. Any thread.
 *
 * <p>The thread alone waits in the monitor. Other threads park: on Java 21, a virtual thread that waits in a monitor
 * keeps its carrier.
 */
final class SegmentKeeper {
  private static final long NANOS_PER_MILLI = 1_000_000;

  /** Guarded by this. */
  private final List<SegmentLog> logs = new ArrayList<>();
  /** Guarded by this; null while there are no logs. */
  private @Nullable Thread thread;
  /** The log that the thread works for; guarded by this. */
  private @Nullable SegmentLog busy;

  synchronized void add(SegmentLog log) {
    logs.add(log);
    if (thread == null) {
      thread = new Thread(this::run, "decant-fix-segments");
      thread.setDaemon(true);
      thread.start();
    }
    notifyAll();
  }

  /** Returns when the thread works no more for a log, and will not again. */
  void remove(SegmentLog log) {
    log.keeperWaiter = Thread.currentThread();
    forget(log);
    boolean interrupted = false;
    while (isBusyWith(log)) {
      LockSupport.park(this);
      interrupted |= Thread.interrupted();
    }
    log.keeperWaiter = null;
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized void forget(SegmentLog log) {
    logs.remove(log);
    notifyAll();
  }

  @SuppressWarnings("ReferenceEquality") // the very log
  private synchronized boolean isBusyWith(SegmentLog log) {
    return busy == log;
  }

  /** Has the thread look for what a log needs. */
  synchronized void wake() {
    notifyAll();
  }

  /**
   * Waits until the thread has made a segment, or could not.
   *
   * @param nanos the longest wait
   */
  void awaitSegment(SegmentLog log, long nanos) {
    long deadline = System.nanoTime() + nanos;
    long left = nanos;
    log.keeperWaiter = Thread.currentThread();
    while (left > 0 && log.isSegmentPending() && !Thread.currentThread().isInterrupted()) {
      LockSupport.parkNanos(this, left);
      left = deadline - System.nanoTime();
    }
    log.keeperWaiter = null;
  }

  private void run() {
    while (true) {
      SegmentLog log = next();
      if (log == null) {
        return;
      }
      log.maintain();
      synchronized (this) {
        busy = null;
      }
      LockSupport.unpark(log.keeperWaiter);
    }
  }

  /** Waits for something to do; null when there are no logs any more. */
  private synchronized @Nullable SegmentLog next() {
    while (!logs.isEmpty()) {
      long now = System.nanoTime();
      long soonest = Long.MAX_VALUE;
      for (int i = 0; i < logs.size(); i++) {
        long due = logs.get(i).nanosUntilWork(now);
        if (due <= 0) {
          busy = logs.get(i);
          return busy;
        }
        soonest = Math.min(soonest, due);
      }
      try {
        wait(soonest == Long.MAX_VALUE ? 0 : soonest / NANOS_PER_MILLI + 1);
      } catch (InterruptedException e) {
        // nobody has a reason to interrupt the thread, and it looks at all logs again
      }
    }
    thread = null;
    return null;
  }
}
