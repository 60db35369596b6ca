package dev.decant.loop;

import dev.decant.time.Clock;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Measures how long a loop has waited for the network, and how long it was busy. The measurement begins with {@link
 * #start}; before that the loop reads no clock for it. While it measures, each sleep and each hand-back of the loop
 * costs one reading.
 *
 * <p>Inline runs of other threads while the owner sleeps count as waiting. Written by the owner, read by any thread.
 */
public final class LoopTimes {
  private static final VarHandle POLLS;
  private static final VarHandle WAIT;
  private static final VarHandle BUSY;
  /** The owner sleeps, or no thread drives. */
  private static final int IDLE = 0;
  private static final int RUNNING = 1;
  private static final int UNKNOWN = 2;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      POLLS = lookup.findVarHandle(LoopTimes.class, "polls", long.class);
      WAIT = lookup.findVarHandle(LoopTimes.class, "waitNanos", long.class);
      BUSY = lookup.findVarHandle(LoopTimes.class, "busyNanos", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private volatile boolean on;
  private long polls;
  private long waitNanos;
  private long busyNanos;
  // Owner only: the current state, and when it began.
  private int state = UNKNOWN;
  private long sinceNanos;

  LoopTimes() {}

  /** Begins the measurement. Any thread. */
  public void start() {
    on = true;
  }

  /** Returns how often the loop has polled the network since the first {@link #start}. Any thread. */
  public long polls() {
    return (long) POLLS.getOpaque(this);
  }

  /**
   * Returns how long the loop has waited for the network or for a thread to drive it, in nanoseconds since the first
   * {@link #start}. Any thread.
   */
  public long waitNanos() {
    return (long) WAIT.getOpaque(this);
  }

  /** Returns how long the loop had something to do, in nanoseconds since the first {@link #start}. Any thread. */
  public long busyNanos() {
    return (long) BUSY.getOpaque(this);
  }

  /** Notes that a round begins, or that the owner has slept. Owner only. */
  void runs(long nowNanos) {
    if (on) {
      change(RUNNING, nowNanos);
    }
  }

  /** Notes that the owner is about to sleep, or hands the loop back. Owner only. */
  void rests(Clock clock) {
    if (on) {
      change(IDLE, clock.nanoTime());
    }
  }

  /** Counts a poll of the network. Owner only. */
  void polled() {
    if (on) {
      POLLS.setOpaque(this, polls + 1);
    }
  }

  private void change(int to, long nowNanos) {
    long nanos = nowNanos - sinceNanos;
    if (state == RUNNING) {
      BUSY.setOpaque(this, busyNanos + nanos);
    } else if (state == IDLE) {
      WAIT.setOpaque(this, waitNanos + nanos);
    }
    state = to;
    sinceNanos = nowNanos;
  }
}
