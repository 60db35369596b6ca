package dev.decant.completion;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A one-shot result that one thread may wait for, used again and again. Each use has a ticket with a generation of its
 * own, so a late outcome of an earlier use changes nothing.
 *
 * <p>{@link #begin} is for the owner of the object; {@link #complete} and {@link #fail} for any thread. The first of
 * them decides the outcome. At most one thread waits. No method allocates.
 *
 * <pre>
 *   state, one word:
 *   63              2 1      0
 *   +----------------+--------+
 *   | generation     | phase  |   0 pending, 1 being written, 2 done
 *   +----------------+--------+
 * </pre>
 */
public final class Completion {
  private static final int PHASE_BITS = 2;
  private static final long WRITING = 1;
  private static final long DONE = 2;

  private static final VarHandle STATE;
  private static final VarHandle WAITER;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(Completion.class, "state", long.class);
      WAITER = MethodHandles.lookup().findVarHandle(Completion.class, "waiter", Thread.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private volatile long state = DONE;
  /**
   * The waiting thread. Written by the waiter before it reads the state; read by the completing thread after it wrote
   * the state. Clearing it needs no fence.
   */
  private volatile @Nullable Thread waiter;
  // Written by the completing thread before the state becomes done, read after that.
  private long value;
  private @Nullable Throwable failure;

  /** Makes a completion that waits to be begun. */
  public Completion() {}

  /**
   * Arms the completion for a new use. The use before must be over, and no thread may wait for it any more. The
   * ticket may reach another thread only by safe publication.
   *
   * @return the ticket of this use
   */
  public long begin() {
    long ticket = (state >>> PHASE_BITS) + 1;
    value = 0;
    failure = null;
    WAITER.setOpaque(this, null);
    STATE.setRelease(this, ticket << PHASE_BITS);
    return ticket;
  }

  /**
   * Completes a use and unparks its waiter. Any thread.
   *
   * @param ticket of the use
   * @return false if the use has an outcome already or is not the current one
   */
  public boolean complete(long ticket, long result) {
    if (!tryFinish(ticket, result, null)) {
      return false;
    }
    LockSupport.unpark(waiter);
    return true;
  }

  /**
   * Fails a use and unparks its waiter. Any thread.
   *
   * @param ticket of the use
   * @return false if the use has an outcome already or is not the current one
   */
  public boolean fail(long ticket, Throwable cause) {
    if (!tryFinish(ticket, 0, cause)) {
      return false;
    }
    LockSupport.unpark(waiter);
    return true;
  }

  /**
   * Completes a use without unparking, for a caller that unparks several threads together. Any thread.
   *
   * @param ticket of the use
   * @return the thread to unpark; null if no thread waits, or if the use had an outcome already
   */
  public @Nullable Thread completeQuietly(long ticket, long result) {
    return tryFinish(ticket, result, null) ? waiter : null;
  }

  /**
   * Fails a use without unparking, for a caller that unparks several threads together. Any thread.
   *
   * @param ticket of the use
   * @return the thread to unpark; null if no thread waits, or if the use had an outcome already
   */
  public @Nullable Thread failQuietly(long ticket, Throwable cause) {
    return tryFinish(ticket, 0, cause) ? waiter : null;
  }

  private boolean tryFinish(long ticket, long result, @Nullable Throwable cause) {
    long pending = ticket << PHASE_BITS;
    if (!STATE.compareAndSet(this, pending, pending | WRITING)) {
      return false;
    }
    value = result;
    failure = cause;
    // A volatile write. Either we read the waiter, which was written before the waiter read our state, or the waiter
    // reads DONE.
    state = pending | DONE;
    return true;
  }

  /** Returns true once {@link #value()} and {@link #failure()} of this use may be read. */
  public boolean isDone(long ticket) {
    return state == (ticket << PHASE_BITS | DONE);
  }

  /**
   * Waits for the outcome. The caller may be a platform or a virtual thread. Spurious wake-ups do not end the wait.
   *
   * @param ticket of the current use
   * @param deadlineNanos in terms of {@link System#nanoTime()}
   * @return false if the deadline has passed first
   * @throws InterruptedException if the thread was interrupted; the use continues and may be awaited again
   */
  public boolean await(long ticket, long deadlineNanos) throws InterruptedException {
    if (isDone(ticket)) {
      return true;
    }
    waiter = Thread.currentThread();
    try {
      while (!isDone(ticket)) {
        long left = deadlineNanos - System.nanoTime();
        if (left <= 0) {
          return false;
        }
        LockSupport.parkNanos(this, left);
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
      }
      return true;
    } finally {
      WAITER.setOpaque(this, null);
    }
  }

  /**
   * Waits for an outcome whose deadline another thread keeps. When a virtual thread parks with a deadline of its own,
   * the JDK allocates and cancels a task each time. Spurious wake-ups do not end the wait.
   *
   * @param ticket of the current use
   * @throws InterruptedException if the thread was interrupted; the use continues and may be awaited again
   */
  public void await(long ticket) throws InterruptedException {
    if (isDone(ticket)) {
      return;
    }
    waiter = Thread.currentThread();
    try {
      while (!isDone(ticket)) {
        LockSupport.park(this);
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
      }
    } finally {
      WAITER.setOpaque(this, null);
    }
  }

  /** Returns the result of the use that is done; 0 if it failed. */
  public long value() {
    return value;
  }

  /** Returns the failure of the use that is done; null if it was completed. */
  public @Nullable Throwable failure() {
    return failure;
  }
}
