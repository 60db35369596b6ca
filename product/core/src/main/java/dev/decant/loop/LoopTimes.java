package dev.decant.loop;

import dev.decant.time.Clock;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * How long a loop has waited for the network, and how long it was busy. It measures from {@link #start} on; before that
 * it reads no clock. While it measures, each sleep and each thread that hands the loop back costs one reading.
 *
 * <p>What other threads do inline while the owner sleeps counts as waiting. Written by the owner, read by any thread.
 */
public final class LoopTimes {
  private static final VarHandle LOOKS;
  private static final VarHandle WAIT;
  private static final VarHandle BUSY;
  /** Whether the owner sleeps, or nobody drives. */
  private static final int IDLE = 0;
  private static final int RUNNING = 1;
  private static final int UNKNOWN = 2;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      LOOKS = lookup.findVarHandle(LoopTimes.class, "looks", long.class);
      WAIT = lookup.findVarHandle(LoopTimes.class, "waitNanos", long.class);
      BUSY = lookup.findVarHandle(LoopTimes.class, "busyNanos", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private volatile boolean on;
  private long looks;
  private long waitNanos;
  private long busyNanos;
  // Owner only: what it does since when.
  private int state = UNKNOWN;
  private long sinceNanos;

  LoopTimes() {}

  /** Begins to measure. Any thread. */
  public void start() {
    on = true;
  }

  /**
   * How often the loop has looked at the network. Any thread.
   *
   * @return since the first {@link #start}
   */
  public long looks() {
    return (long) LOOKS.getOpaque(this);
  }

  /**
   * How long the loop has waited for the network, or for a thread to drive it. Any thread.
   *
   * @return nanoseconds since the first {@link #start}
   */
  public long waitNanos() {
    return (long) WAIT.getOpaque(this);
  }

  /**
   * How long the loop had something to do. Any thread.
   *
   * @return nanoseconds since the first {@link #start}
   */
  public long busyNanos() {
    return (long) BUSY.getOpaque(this);
  }

  /** A round begins, or the owner has slept. */
  void runs(long nowNanos) {
    if (on) {
      change(RUNNING, nowNanos);
    }
  }

  /** The owner is about to sleep, or hands the loop back. */
  void rests(Clock clock) {
    if (on) {
      change(IDLE, clock.nanoTime());
    }
  }

  /** The loop has looked at the network. */
  void looked() {
    if (on) {
      LOOKS.setOpaque(this, looks + 1);
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
