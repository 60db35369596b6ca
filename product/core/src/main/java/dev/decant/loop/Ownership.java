package dev.decant.loop;

import dev.decant.time.Clock;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The lock that the owner of a loop holds, and the claim of a borrower. The I/O thread takes the lock while no borrower
 * claims the loop; one borrower at a time has the claim. A borrower claims first and locks then. It waits for the I/O
 * thread to end its round, or for a borrower that is leaving, but never for a borrower that drives. A second thread's
 * claim fails at once. Queued for the lock instead, that thread would sleep until the first borrower's deadline,
 * although its own result is there.
 */
final class Ownership {
  private final ReentrantLock lock = new ReentrantLock();
  /** True while a thread borrows the loop or waits for the I/O thread to leave it. */
  private final AtomicBoolean claimed = new AtomicBoolean();
  /** The thread that has claimed the loop and waits for the lock. */
  private volatile @Nullable Thread claimant;

  /** Returns true if the calling thread owns the loop. */
  boolean isHeld() {
    return lock.isHeldByCurrentThread();
  }

  /** Returns true if a borrower has the loop, or waits for it. Any thread. */
  boolean isClaimed() {
    return claimed.get();
  }

  /**
   * Makes the calling thread the borrower. Returns false if there is a borrower, or if the thread owns the loop
   * already.
   */
  boolean claim() {
    return !lock.isHeldByCurrentThread() && claimed.compareAndSet(false, true);
  }

  /** Withdraws the claim. Borrower only. */
  void disclaim() {
    claimed.set(false);
  }

  /** Takes the lock if it is free. */
  boolean tryLock() {
    return lock.tryLock();
  }

  /** Waits for the lock and takes it. */
  void lock() {
    lock.lock();
  }

  /**
   * Waits for the lock until the deadline. Borrower only, so there is one waiter. The lock's own wait would allocate a
   * node each time.
   */
  boolean awaitLock(Clock clock, long deadlineNanos) throws InterruptedException {
    claimant = Thread.currentThread();
    try {
      // Either we find the lock free here, or the thread that holds it finds us in `claimant` after it has unlocked.
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

  /** Releases the lock, and unparks a borrower that waits for it. */
  void release() {
    lock.unlock();
    Thread next = claimant;
    if (next != null) {
      LockSupport.unpark(next);
    }
  }
}
