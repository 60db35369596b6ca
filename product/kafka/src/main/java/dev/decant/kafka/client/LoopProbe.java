package dev.decant.kafka.client;

import dev.decant.loop.EventLoop;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Finds out, without waiting, whether a loop runs its tasks. Each call submits a task unless one is waiting, and
 * returns how long that one has been waiting. Any thread.
 */
final class LoopProbe {
  static final long PATIENCE_NANOS = 5_000_000_000L;
  private static final long NONE = 0;

  private final EventLoop loop;
  /** The time of the task that has not run yet; {@link #NONE} if there is none. */
  private final AtomicLong submittedNanos = new AtomicLong(NONE);

  LoopProbe(EventLoop loop) {
    this.loop = loop;
  }

  /** Returns for how long the loop has not run a task; 0 if no task was waiting before this call. */
  long silentNanos() {
    long now = loop.clock().nanoTime();
    if (loop.isOwner()) {
      return 0;
    }
    long submitted = submittedNanos.get();
    if (submitted != NONE) {
      return Math.max(0, now - submitted);
    }
    if (submittedNanos.compareAndSet(NONE, now | 1)) { // an odd time is never NONE
      loop.execute(this::onRun);
    }
    return 0;
  }

  private void onRun() {
    submittedNanos.set(NONE);
  }
}
