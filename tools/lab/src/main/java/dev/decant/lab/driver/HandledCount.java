package dev.decant.lab.driver;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/** Waits until handlers have done a number of records. One thread at a time. */
final class HandledCount {
  /** Time between two checks: so rare that they cost nothing beside the work. */
  private static final long LOOK_NANOS = 2_000_000;
  /** Time without a handled record after which the wait fails. The first wait includes joining a group. */
  private static final Duration STANDSTILL = Duration.ofSeconds(60);

  private final LongSupplier handled;
  private final long standstillNanos;

  HandledCount(LongSupplier handled) {
    this(handled, STANDSTILL);
  }

  HandledCount(LongSupplier handled, Duration standstill) {
    this.handled = handled;
    standstillNanos = standstill.toNanos();
  }

  /**
   * Waits for a count.
   *
   * @param count total number of handled records since the start
   * @param deadlineNanos monotonic time at which to end instead
   * @throws IllegalStateException if no record is handled for the time limit
   */
  void await(long count, long deadlineNanos) {
    long now = System.nanoTime();
    long seen = handled.getAsLong();
    long changed = now;
    while (seen < count && now - deadlineNanos < 0 && !Thread.currentThread().isInterrupted()) {
      LockSupport.parkNanos(LOOK_NANOS);
      now = System.nanoTime();
      long next = handled.getAsLong();
      if (next != seen) {
        seen = next;
        changed = now;
      } else if (now - changed >= standstillNanos) {
        throw new IllegalStateException(seen + " of " + count + " records were handled, and none for "
            + Duration.ofNanos(standstillNanos));
      }
    }
  }
}
