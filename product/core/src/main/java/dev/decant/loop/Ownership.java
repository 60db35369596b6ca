package dev.decant.loop;

import dev.decant.time.Clock;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The owner of a loop holds its lock. The I/O thread takes the lock when nobody claims the loop; one borrower at a time
 * has the claim. A borrower claims first and locks then. It waits for the I/O thread to end its round, or for a
 * borrower that is leaving, but never behind a borrower that drives. A second thread's claim fails at once.
 */
final class Ownership {
  private final ReentrantLock lock = new ReentrantLock();
  /** True while a thread borrows the loop or waits for the I/O thread to leave it. */
  private final AtomicBoolean claimed = new AtomicBoolean();
  /** The thread that has claimed the loop and waits for the lock. */
  private volatile @Nullable Thread claimant;

  /** Whether the calling thread owns the loop. */
  boolean isHeld() {
    return lock.isHeldByCurrentThread();
  }

  /** Whether a borrower has the loop, or waits for it. Any thread. */
  boolean isClaimed() {
    return claimed.get();
  }

  /** Makes the calling thread the one borrower; false if there is one, or if it owns the loop already. */
  boolean claim() {
    return !lock.isHeldByCurrentThread() && claimed.compareAndSet(false, true);
  }

  /** Gives the claim up. The borrower only. */
  void disclaim() {
    claimed.set(false);
  }

  /** Takes the lock if it is free. */
  boolean tryLock() {
    return lock.tryLock();
  }

  /** Takes the lock when it is free. */
  void lock() {
    lock.lock();
  }

  /**
   * Waits for the lock. The borrower only, so there is one waiter; the lock's own wait would make an object each time.
   */
  boolean awaitLock(Clock clock, long deadlineNanos) throws InterruptedException {
    claimant = Thread.currentThread();
    try {
      // Either we find the lock free here, or the thread that holds it finds us in `claimant` after it has let go.
      while (!lock.tryLock()) {
        long leftNanos = deadlineNanos - clock.nanoTime();
        if (leftNanos <= 0) {
          return false;
        }
        LockSupport.parkNanos(this, leftNanos);
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
      }
      return true;
    } finally {
      claimant = null;
    }
  }

  /** Lets go of the lock, and wakes a borrower that waits for it. */
  void release() {
    lock.unlock();
    Thread next = claimant;
    if (next != null) {
      LockSupport.unpark(next);
    }
  }
}
