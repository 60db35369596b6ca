package dev.decant.kafka.consumer;

import dev.decant.kafka.cluster.Waiters;
import dev.decant.kafka.cluster.Waiting;
import dev.decant.loop.EventLoop;
import java.util.function.BooleanSupplier;

/**
 * Calls of {@link Consumer#wakeup}. Each of them ends one poll; if the consumer is {@link ConsumerBuilder#exclusive},
 * one call of any kind that waits.
 */
final class Wakeups implements Waiting {
  private final EventLoop loop;
  private final Waiters waiters;
  private final boolean endsCalls;
  /** Set by any thread, cleared by the thread whose call it ends. */
  private volatile boolean set;

  Wakeups(EventLoop loop, Waiters waiters, boolean endsCalls) {
    this.loop = loop;
    this.waiters = waiters;
    this.endsCalls = endsCalls;
  }

  /** Any thread. */
  void wakeup() {
    set = true;
    loop.execute(waiters::signalAll);
  }

  boolean isSet() {
    return set;
  }

  /** Whether there was a wake-up, which has had its effect now. */
  boolean take() {
    boolean was = set;
    if (was) {
      set = false;
    }
    return was;
  }

  /** Waits for the condition in a call other than poll. */
  @Override
  public boolean await(BooleanSupplier done, long deadlineNanos) throws InterruptedException {
    if (!endsCalls) {
      return waiters.await(done, deadlineNanos);
    }
    boolean ended = waiters.await(() -> set || done.getAsBoolean(), deadlineNanos);
    if (done.getAsBoolean()) {
      return true;
    }
    if (ended && take()) {
      throw new WakeupException();
    }
    return false;
  }
}
