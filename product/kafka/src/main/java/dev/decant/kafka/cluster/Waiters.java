package dev.decant.kafka.cluster;

import dev.decant.loop.EventLoop;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Threads that wait for a change by the owner of the loop. A waiting platform thread drives the loop
 * (docs/decisions/0001). A virtual thread, or a thread that finds the loop borrowed, parks until {@link #signalAll}.
 */
public final class Waiters implements Waiting {
  private final EventLoop loop;
  private final CopyOnWriteArrayList<Thread> parked = new CopyOnWriteArrayList<>();
  /**
   * True once the loop is closed: no condition changes any more. A thread that waited for a closed client once slept
   * until its own deadline.
   */
  private volatile boolean ended;

  /** Makes an empty set of waiters. */
  public Waiters(EventLoop loop) {
    this.loop = loop;
  }

  /**
   * Waits until the condition holds, or the client is closed.
   *
   * @param done cheap, and safe to call from the waiting thread
   * @param deadlineNanos in monotonic nanoseconds
   * @return true if the condition held at the end
   * @throws IllegalStateException if the caller owns the loop: it would wait for itself
   * @throws InterruptedException if the thread was interrupted
   */
  @Override
  public boolean await(BooleanSupplier done, long deadlineNanos) throws InterruptedException {
    if (loop.isOwner()) {
      if (done.getAsBoolean()) {
        return true;
      }
      throw new IllegalStateException("not from within a listener: it would wait for what listeners hold up");
    }
    if (loop.driveUntil(done, deadlineNanos)) {
      return true;
    }
    parked.add(Thread.currentThread());
    try {
      loop.parkUntil(() -> ended || done.getAsBoolean(), deadlineNanos);
      return done.getAsBoolean();
    } finally {
      parked.remove(Thread.currentThread());
    }
  }

  /** Ends all waits, because the loop is being closed. Any thread. */
  public void end() {
    ended = true;
    parked.forEach(LockSupport::unpark);
  }

  /** Wakes all waiting threads, which check their conditions again. Owner of the loop only. */
  public void signalAll() {
    if (!parked.isEmpty()) {
      parked.forEach(loop::unparkAfterRound);
    }
  }
}
