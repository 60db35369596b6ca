package dev.decant.kafka.work;

import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How the loop waits, in a poll or for room, and how others end that. A thread that needs the loop sets a flag and
 * then reads whether the loop waits; the loop sets that it waits and then reads the flag. So no wake-up is missed, and
 * none is spent on a loop that is busy.
 */
final class LoopWaits {
  /** No number of finished records wakes the loop. */
  static final int NONE = Integer.MAX_VALUE;

  private enum Where {
    NOWHERE,
    POLL,
    /** In a poll, while a partition takes nothing since it is at its bound. */
    POLL_FOR_ROOM,
    PARKED
  }

  private volatile Where where = Where.NOWHERE;
  private volatile boolean isNeeded;
  private volatile int wakeAt = NONE;
  private volatile @Nullable Thread thread;
  private volatile Runnable wakePoll = () -> {};

  /** What ends a poll that waits. */
  void connect(Runnable wakesPoll) {
    wakePoll = wakesPoll;
  }

  void begin(Thread loop) {
    thread = loop;
  }

  /** Whether the calling thread is the loop. */
  boolean isLoop() {
    return Thread.currentThread().equals(thread);
  }

  /** The loop looks at everything behind this. */
  void beginStep() {
    isNeeded = false;
  }

  /** The loop is needed. Any thread. */
  void need() {
    if (isNeeded) {
      return; // whoever has said so first wakes it
    }
    isNeeded = true;
    switch (where) {
      case POLL, POLL_FOR_ROOM -> wakePoll.run();
      case PARKED -> LockSupport.unpark(thread);
      case NOWHERE -> {
      }
    }
  }

  /** Records are finished, so many with those before. A worker. */
  void finished(int depth, boolean isUrgent) {
    if (isUrgent || depth >= wakeAt) {
      need();
    }
  }

  /** A worker has nothing to do; a loop that waits for room may have some for it. */
  void workerIdle(IntSupplier done) {
    Where at = where;
    if ((at == Where.PARKED || at == Where.POLL_FOR_ROOM) && done.getAsInt() > 0) {
      need();
    }
  }

  /** The loop is going to wait in a poll, for room too if it says so; false if it must not. */
  boolean beginPoll(int wakesAt, boolean isForRoom, IntSupplier done) {
    return mayWait(isForRoom ? Where.POLL_FOR_ROOM : Where.POLL, wakesAt, done);
  }

  /** A listener of a rebalance was called in a poll, and may have changed when the loop is due: the poll ends. */
  void endPoll() {
    isNeeded = true;
    wakePoll.run();
  }

  void end() {
    where = Where.NOWHERE;
    wakeAt = NONE;
  }

  private boolean mayWait(Where place, int wakesAt, IntSupplier done) {
    wakeAt = wakesAt;
    where = place;
    if (isNeeded || done.getAsInt() >= wakesAt) {
      end();
      return false;
    }
    return true;
  }

  /** Waits for room, for so long at most, or until so many records are finished. The loop. */
  void park(long nanos, int wakesAt, IntSupplier done) {
    if (nanos > 0 && mayWait(Where.PARKED, wakesAt, done)) {
      long end = System.nanoTime() + nanos;
      long left = nanos;
      while (!isNeeded && left > 0) {
        LockSupport.parkNanos(this, left);
        if (Thread.currentThread().isInterrupted()) {
          break;
        }
        left = end - System.nanoTime();
      }
      end();
    }
  }
}
