package dev.decant.lab.fix;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Counts orders as they arrive, checks that each is the expected one, and wakes the thread that waits for them. One
 * thread reports arrivals, one thread waits, any thread may read the count. Nothing is allocated.
 */
final class Arrivals {
  /** Number of checks by a spinning thread before it also checks for failures. */
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
  /** Response times. Written by the thread that reports arrivals; read after it has ended its work. */
  private final Histogram responseNanos;
  private volatile @Nullable Schedule schedule;
  private volatile @Nullable Throwable failure;
  private volatile @Nullable Thread waiting;
  private volatile long awaited = NOBODY_WAITS;
  /** Number of orders that have arrived. Written by the thread that reports arrivals. */
  private volatile long count;

  /**
   * Starts with no arrival.
   *
   * @param spinning true if the waiting thread spins instead of parking
   * @param responseNanos takes the time of each arrival since the order was due, while there is a schedule
   */
  Arrivals(boolean spinning, Histogram responseNanos) {
    this.spinning = spinning;
    this.responseNanos = responseNanos;
  }

  /** Sets the schedule from which arrivals are timed from now on; null for none. */
  void schedule(@Nullable Schedule schedule) {
    this.schedule = schedule;
  }

  /**
   * Counts an order.
   *
   * @param id number in the order's ClOrdID(11)
   */
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
    // publish the count before reading the waiting thread; the waiter works in the opposite order, so neither misses
    // the other
    count = now;
    if (now >= awaited) {
      LockSupport.unpark(waiting);
    }
  }

  /** Ends all waiting: no order can arrive any more. */
  void failed(Throwable error) {
    failure = error;
    LockSupport.unpark(waiting);
  }

  /** Returns true if no order can arrive any more. */
  boolean hasFailed() {
    return failure != null;
  }

  long count() {
    return (long) COUNT.getAcquire(this);
  }

  /**
   * Waits on the calling thread.
   *
   * @param wanted number of orders that must have arrived
   * @throws InterruptedException if the thread was interrupted
   * @throws IllegalStateException if no order can arrive any more
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

  /** Throws the failure that has ended all waiting. */
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
