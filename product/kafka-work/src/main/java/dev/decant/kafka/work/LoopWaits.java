package dev.decant.kafka.work;

import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How the loop waits, in a poll or for room, and how other threads wake it. A thread that needs the loop sets a flag
 * and then reads {@link #where}. The loop sets {@link #where} and then reads the flag. So no wake-up is missed, and
 * none is spent on a busy loop.
 */
final class LoopWaits {
  /** Stands for no number: finished records do not wake the loop. */
  static final int NONE = Integer.MAX_VALUE;

  private enum Where {
    NOWHERE,
    POLL,
    /** The loop is in a poll while a partition is paused at its bound. */
    POLL_FOR_ROOM,
    PARKED
  }

  private volatile Where where = Where.NOWHERE;
  private volatile boolean isNeeded;
  private volatile int wakeAt = NONE;
  private volatile @Nullable Thread thread;
  private volatile Runnable wakePoll = () -> {};

  /** Sets what ends a poll that waits. */
  void connect(Runnable wakesPoll) {
    wakePoll = wakesPoll;
  }

  void begin(Thread loop) {
    thread = loop;
  }

  /** Returns true if the calling thread is the loop. */
  boolean isLoop() {
    return Thread.currentThread().equals(thread);
  }

  /** Clears the flag before a step of the loop, which looks at everything. */
  void beginStep() {
    isNeeded = false;
  }

  /** Wakes the loop. Any thread. */
  void need() {
    if (isNeeded) {
      return; // the thread that has set the flag first wakes the loop
    }
    isNeeded = true;
    switch (where) {
      case POLL, POLL_FOR_ROOM -> wakePoll.run();
      case PARKED -> LockSupport.unpark(thread);
      case NOWHERE -> {
      }
    }
  }

  /** Wakes the loop if a finished record is urgent, or enough are finished. Called by workers. */
  void finished(int depth, boolean isUrgent) {
    if (isUrgent || depth >= wakeAt) {
      need();
    }
  }

  /** Wakes a loop that waits for room: finished records give it room for records that an idle worker can begin. */
  void workerIdle(IntSupplier done) {
    Where at = where;
    if ((at == Where.PARKED || at == Where.POLL_FOR_ROOM) && done.getAsInt() > 0) {
      need();
    }
  }

  /** Announces a wait in a poll, for room too if {@code isForRoom}. Returns false if the loop must not wait. */
  boolean beginPoll(int wakesAt, boolean isForRoom, IntSupplier done) {
    return mayWait(isForRoom ? Where.POLL_FOR_ROOM : Where.POLL, wakesAt, done);
  }

  /**
   * Ends the poll in which a listener of a rebalance was called: the listener may have changed when the loop is due.
   */
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

  /** Waits for room until the time is over, the loop is needed, or {@code wakesAt} records are finished. The loop. */
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
