package dev.decant.loop;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Lets another thread run a task in place of a loop's owner while the owner sleeps in its wait for the network.
 *
 * <pre>
 *   state    the owner               next, by whom
 *   AWAKE    works                   ASLEEP (owner falls asleep)
 *   ASLEEP   waits                   AWAKE (owner wakes up), RUNNING (runner begins)
 *   RUNNING  waits, a runner works   ASLEEP (runner ends), AWAITED (owner wakes up)
 *   AWAITED  parks, a runner works   AWAKE (runner ends)
 * </pre>
 *
 * <p>An inline run does not block. An owner that wakes up during one waits no longer than for a round of its own.
 */
final class InlineRuns {
  private static final int AWAKE = 0;
  private static final int ASLEEP = 1;
  private static final int RUNNING = 2;
  private static final int AWAITED = 3;

  private final AtomicInteger state = new AtomicInteger(AWAKE);
  /** The thread that sleeps or awaits the end of an inline run. Written by the owner before it falls asleep. */
  private @Nullable Thread owner;
  private volatile @Nullable Thread runner;

  /**
   * Returns true if the owner sleeps or is about to. A sleeping owner checks for work only after a wake-up. Any thread.
   */
  boolean ownerSleeps() {
    return state.get() != AWAKE;
  }

  /** Announces that the owner is about to sleep. Owner only. */
  void fallAsleep() {
    owner = Thread.currentThread();
    state.set(ASLEEP);
  }

  /**
   * Announces that the owner is awake, after an inline run has ended. Has no effect if the owner is awake already.
   * Owner only.
   */
  void wakeUp() {
    if (state.get() == AWAKE || state.compareAndSet(ASLEEP, AWAKE)) {
      return;
    }
    awaitEndSlowPath();
  }

  private void awaitEndSlowPath() {
    boolean interrupted = false;
    while (!state.compareAndSet(ASLEEP, AWAKE) && state.get() != AWAKE) {
      if (state.compareAndSet(RUNNING, AWAITED) || state.get() == AWAITED) {
        LockSupport.park(this);
        interrupted |= Thread.interrupted(); // an interrupted thread would not park again
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Begins an inline run if the owner sleeps and no other thread runs inline. Any thread but the owner. */
  boolean begin() {
    if (state.get() != ASLEEP || !state.compareAndSet(ASLEEP, RUNNING)) {
      return false;
    }
    runner = Thread.currentThread();
    return true;
  }

  /** Ends an inline run. Only the thread that began it. */
  void end() {
    Thread waiting = owner;
    runner = null;
    if (!state.compareAndSet(RUNNING, ASLEEP)) {
      state.set(AWAKE);
      LockSupport.unpark(waiting);
    }
  }

  /** Returns true if the calling thread runs inline now. */
  boolean isRunner() {
    return Thread.currentThread().equals(runner);
  }
}
