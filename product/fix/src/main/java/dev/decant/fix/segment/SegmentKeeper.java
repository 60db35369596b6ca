package dev.decant.fix.segment;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The thread that creates segments ahead of use, deletes old ones, and forces at intervals, for all logs of a factory.
 * It runs while there are logs, and sleeps while there is no work. Any thread.
 *
 * <p>Only this thread waits in the monitor. Others park: on Java 21, a virtual thread that waits in a monitor keeps its
 * carrier.
 */
public final class SegmentKeeper {
  private static final long NANOS_PER_MILLI = 1_000_000;

  /** The logs to work for. Guarded by this. */
  private final List<SegmentLog> logs = new ArrayList<>();
  /** The running thread; null while there are no logs. Guarded by this. */
  private @Nullable Thread thread;
  /** The log that the thread works for now. Guarded by this. */
  private @Nullable SegmentLog busy;

  /** Creates a keeper without logs. */
  public SegmentKeeper() {}

  synchronized void add(SegmentLog log) {
    logs.add(log);
    if (thread == null) {
      thread = new Thread(this::run, "decant-fix-segments");
      thread.setDaemon(true);
      thread.start();
    }
    notifyAll();
  }

  /** Removes a log. Returns when the thread no longer works for it. */
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

  @SuppressWarnings("ReferenceEquality") // identity: the same log
  private synchronized boolean isBusyWith(SegmentLog log) {
    return busy == log;
  }

  /** Makes the thread look for work of the logs. */
  synchronized void wake() {
    notifyAll();
  }

  /**
   * Waits until the thread has created a segment, or could not.
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

  /** Waits for work. Returns null when there are no logs any longer. */
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
        // No code of the engine interrupts the thread, and it looks at all logs again.
      }
    }
    thread = null;
    return null;
  }
}
