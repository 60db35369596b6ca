package dev.decant.lab.fix;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Counts orders as they arrive, looks whether each is the one that was expected, and wakes the thread that waits for
 * them. One thread tells of arrivals, one waits, any thread may read the count. Nothing is allocated.
 */
final class Arrivals {
  /** How often a spinning thread looks before it looks for failures, too. */
  private static final int LOOKS = 1 << 10;
  private static final long NOBODY_WAITS = Long.MAX_VALUE;
  private static final VarHandle COUNT;

  static {
    try {
      COUNT = MethodHandles.lookup().findVarHandle(Arrivals.class, "count", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final boolean spinning;
  /** Response times; written by the thread that tells, read when it has come to rest. */
  private final Histogram responseNanos;
  private volatile @Nullable Schedule schedule;
  private volatile @Nullable Throwable failure;
  private volatile @Nullable Thread waiting;
  private volatile long awaited = NOBODY_WAITS;
  /** Written by the thread that tells. */
  private volatile long count;

  /**
   * Nothing has arrived.
   *
   * @param spinning whether whoever waits spins instead of parking
   * @param responseNanos takes the time of each arrival since it was due, while there is a schedule
   */
  Arrivals(boolean spinning, Histogram responseNanos) {
    this.spinning = spinning;
    this.responseNanos = responseNanos;
  }

  /** From here on arrivals are timed; without a schedule they are not. */
  void schedule(@Nullable Schedule schedule) {
    this.schedule = schedule;
  }

  /** An order has arrived: the number that its ClOrdID has. */
  void arrived(long id) {
    long now = count + 1;
    if (id != Order.idOf(now)) {
      failed(new IllegalStateException("ClOrdID " + id + " has arrived where " + Order.idOf(now) + " was expected"));
    }
    Schedule due = schedule;
    if (due != null) {
      responseNanos.recordValue(Math.max(0, System.nanoTime() - due.nanosOf(now)));
    }
    if (spinning) {
      COUNT.setRelease(this, now);
      return;
    }
    count = now; // before the look at who waits, and the waiter looks in the opposite order: neither misses the other
    if (now >= awaited) {
      LockSupport.unpark(waiting);
    }
  }

  /** Nothing more will arrive. */
  void failed(Throwable error) {
    failure = error;
    LockSupport.unpark(waiting);
  }

  /** Whether nothing more will arrive. */
  boolean hasFailed() {
    return failure != null;
  }

  long count() {
    return (long) COUNT.getAcquire(this);
  }

  /**
   * Waits on the calling thread.
   *
   * @param wanted how many must have arrived
   * @throws InterruptedException if it was interrupted
   * @throws IllegalStateException if nothing more will arrive
   */
  void await(long wanted) throws InterruptedException {
    if (count() < wanted) {
      if (spinning) {
        spin(wanted);
      } else {
        park(wanted);
      }
    }
  }

  private void spin(long wanted) throws InterruptedException {
    for (int i = 1; count() < wanted; i++) {
      Thread.onSpinWait();
      if (i % LOOKS == 0) {
        check();
      }
    }
  }

  private void park(long wanted) throws InterruptedException {
    waiting = Thread.currentThread();
    awaited = wanted;
    while (count < wanted) {
      LockSupport.park(this);
      check();
    }
    awaited = NOBODY_WAITS;
  }

  /** Throws what ends all waiting. */
  void check() throws InterruptedException {
    Throwable error = failure;
    if (error != null) {
      throw new IllegalStateException("the session has failed: " + error, error);
    }
    if (Thread.interrupted()) {
      throw new InterruptedException("interrupted while orders were on their way");
    }
  }
}
