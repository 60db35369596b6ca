package dev.decant.loop;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Lets another thread work in place of the owner of a loop, while that one sleeps in its wait for the network.
 *
 * <pre>
 *   state    the owner              next, by whom
 *   AWAKE    works                  ASLEEP (owner leaves)
 *   ASLEEP   waits                  AWAKE (owner comes back), VISITED (visitor enters)
 *   VISITED  waits, another works   ASLEEP (visitor exits), AWAITED (owner comes back)
 *   AWAITED  parks, another works   AWAKE (visitor exits)
 * </pre>
 *
 * <p>A visit does not block, so the owner that wakes up during one waits no longer than for a round of its own.
 */
final class Visits {
  private static final int AWAKE = 0;
  private static final int ASLEEP = 1;
  private static final int VISITED = 2;
  private static final int AWAITED = 3;

  private final AtomicInteger state = new AtomicInteger(AWAKE);
  /** Written before the owner leaves. */
  private @Nullable Thread owner;
  private volatile @Nullable Thread visitor;

  /** Whether the owner sleeps, or is about to: then a wake-up is needed to have it look at anything. Any thread. */
  boolean ownerSleeps() {
    return state.get() != AWAKE;
  }

  /** The owner is about to sleep. */
  void leave() {
    owner = Thread.currentThread();
    state.set(ASLEEP);
  }

  /** The owner is awake; waits for a visitor to go. Does nothing if it is back already. */
  void comeBack() {
    if (state.get() == AWAKE || state.compareAndSet(ASLEEP, AWAKE)) {
      return;
    }
    awaitExitSlowPath();
  }

  private void awaitExitSlowPath() {
    boolean interrupted = false;
    while (!state.compareAndSet(ASLEEP, AWAKE) && state.get() != AWAKE) {
      if (state.compareAndSet(VISITED, AWAITED) || state.get() == AWAITED) {
        LockSupport.park(this);
        interrupted |= Thread.interrupted(); // or it would not park again
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Begins a visit, if the owner sleeps and nobody else visits. Any thread but the owner. */
  boolean enter() {
    if (state.get() != ASLEEP || !state.compareAndSet(ASLEEP, VISITED)) {
      return false;
    }
    visitor = Thread.currentThread();
    return true;
  }

  /** Ends a visit. The visitor only. */
  void exit() {
    Thread waiting = owner;
    visitor = null;
    if (!state.compareAndSet(VISITED, ASLEEP)) {
      state.set(AWAKE);
      LockSupport.unpark(waiting);
    }
  }

  /** Whether the calling thread is in a visit. */
  boolean isVisitor() {
    return Thread.currentThread().equals(visitor);
  }
}
