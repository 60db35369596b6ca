package dev.decant.fix.session;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * Guards the step that numbers, stores and queues a message of a session. Not reentrant, not fair.
 *
 * <pre>
 *   state       unlock
 *   FREE
 *   HELD        FREE; no thread parks
 *   CONTENDED   FREE, and wakes the threads that park
 * </pre>
 *
 * <p>The holder runs no user code. It blocks only where a store does: at the end of a segment, or in a full ring. So a
 * thread spins for a few microseconds before it parks. A lock of java.util.concurrent would allocate for each thread
 * that waits.
 *
 * <p>No wake-up is lost. A thread adds itself to the waiting threads before it sets CONTENDED. The holder releases the
 * lock by one exchange, and if that returns CONTENDED, it looks for waiting threads. A thread that gets the lock after
 * a wait leaves CONTENDED, since others may wait, too.
 */
public final class SessionLock {
  private static final int FREE = 0;
  private static final int HELD = 1;
  private static final int CONTENDED = 2;
  /** How often a thread tries before it parks. With one processor, spinning would only keep the holder from running. */
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
  /** One of the three constants. Changed by any thread, through STATE. */
  private volatile int state = FREE;

  /** Creates a free lock. */
  public SessionLock() {}

  /** Acquires the lock, and waits until it is free. */
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
        interrupted |= Thread.interrupted(); // A thread whose interrupt flag is set would not park again.
      }
    } finally {
      waiting.remove();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Releases the lock. Only its holder may call this. */
  public void unlock() {
    if ((int) STATE.getAndSet(this, FREE) == CONTENDED) {
      waiting.signal();
    }
  }
}
