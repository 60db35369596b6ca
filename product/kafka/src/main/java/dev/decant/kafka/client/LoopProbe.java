package dev.decant.kafka.client;

import dev.decant.loop.EventLoop;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Whether a loop goes round, found out without waiting for it: each look gives it a task, and the next looks see when
 * that was, if the loop has not run it. Any thread.
 */
final class LoopProbe {
  static final long PATIENCE_NANOS = 5_000_000_000L;
  private static final long NONE = 0;

  private final EventLoop loop;
  /** When the task was given that has not run yet. */
  private final AtomicLong askedNanos = new AtomicLong(NONE);

  LoopProbe(EventLoop loop) {
    this.loop = loop;
  }

  /** For how long the loop has not run a task; 0 if there was none before this look. */
  long silentNanos() {
    long now = loop.clock().nanoTime();
    if (loop.isOwner()) {
      return 0;
    }
    long asked = askedNanos.get();
    if (asked != NONE) {
      return Math.max(0, now - asked);
    }
    if (askedNanos.compareAndSet(NONE, now | 1)) { // never NONE
      loop.execute(this::answer);
    }
    return 0;
  }

  private void answer() {
    askedNanos.set(NONE);
  }
}
