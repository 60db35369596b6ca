package dev.decant.fix.session;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * Lets one thread at a time number, store and queue the messages of a session. Not reentrant, not fair.
 *
 * <pre>
 *   state       unlock
 *   FREE
 *   HELD        FREE; no thread parks
 *   CONTENDED   FREE, and wakes the threads that park
 * </pre>
 *
 * <p>Its holder does not block, except where a store does: at the end of a segment, or in a full ring. No user code
 * runs under it. So a thread spins for a few microseconds before it parks. A lock of java.util.concurrent allocates for
 * each thread that waits; this one does not.
 *
 * <p>A thread that parks has added itself to the waiting threads before it sets CONTENDED. The holder gives the lock
 * back by one exchange, and looks for threads if that finds CONTENDED. So the wake-up is never lost. The thread that
 * gets the lock after a wait leaves CONTENDED, since others may wait, too.
 */
public final class SessionLock {
  private static final int FREE = 0;
  private static final int HELD = 1;
  private static final int CONTENDED = 2;
  /** With a single processor the holder cannot run while this thread spins. */
  private static final int SPINS = Runtime.getRuntime().availableProcessors() > 1 ? 200 : 0;
  private static final VarHandle STATE;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(SessionLock.class, "state", int.class).withInvokeExactBehavior();
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final ParkedThreads waiting = new ParkedThreads();
  /** Changed by any thread, through STATE. */
  private volatile int state = FREE;

  /** Makes a lock that is free. */
  public SessionLock() {}

  /** Takes the lock, when it is free. */
  public void lock() {
    if (!STATE.compareAndSet(this, FREE, HELD)) {
      lockSlowPath();
    }
  }

  private void lockSlowPath() {
    for (int i = 0; i < SPINS; i++) {
      if (state == FREE && STATE.compareAndSet(this, FREE, HELD)) {
        return;
      }
      Thread.onSpinWait();
    }
    boolean interrupted = false;
    waiting.add();
    try {
      while ((int) STATE.getAndSet(this, CONTENDED) != FREE) {
        LockSupport.park(this);
        interrupted |= Thread.interrupted(); // or it would not park again
      }
    } finally {
      waiting.remove();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Gives the lock back. Its holder only. */
  public void unlock() {
    if ((int) STATE.getAndSet(this, FREE) == CONTENDED) {
      waiting.signal();
    }
  }
}
