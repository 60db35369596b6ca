package dev.decant.kafka.cluster;

import dev.decant.loop.EventLoop;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Threads that wait for something the owner of the loop changes. A platform thread drives the loop meanwhile; a virtual
 * one, or one that finds the loop borrowed, parks until {@link #signalAll}.
 */
public final class Waiters implements Waiting {
  private final EventLoop loop;
  private final CopyOnWriteArrayList<Thread> parked = new CopyOnWriteArrayList<>();
  /** The loop is closed: what is waited for never comes. */
  private volatile boolean ended;

  /**
   * Nobody waits yet.
   *
   * @param loop the loop whose owner changes what is waited for
   */
  public Waiters(EventLoop loop) {
    this.loop = loop;
  }

  /**
   * Waits until the condition holds, or the client is closed.
   *
   * @param done cheap and safe to call from the waiting thread
   * @param deadlineNanos in monotonic nanoseconds
   * @return whether the condition held at the end
   * @throws IllegalStateException if the owner of the loop would have to wait: for itself
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

  /** Nothing changes any more, since the loop is being closed: every wait ends. Any thread. */
  public void end() {
    ended = true;
    parked.forEach(LockSupport::unpark);
  }

  /** Wakes every waiting thread, which looks at its condition again. Owner of the loop only. */
  public void signalAll() {
    if (!parked.isEmpty()) {
      parked.forEach(loop::unparkAfterRound);
    }
  }
}
