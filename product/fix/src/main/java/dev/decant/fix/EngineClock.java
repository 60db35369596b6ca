package dev.decant.fix;

import dev.decant.time.Clock;
import java.util.concurrent.TimeUnit;

/**
 * Nanoseconds since the epoch, from the monotonic clock. The machine's time of day has milliseconds only. It is read
 * ten times a second, to follow changes of it. The largest difference of the two that was seen is the right one, since
 * the time of day is cut off. Any thread: two that look at the same time find the same.
 */
final class EngineClock {
  private static final long NANOS_PER_MILLI = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  /** A time of day that is this far behind was set back. */
  private static final long SET_BACK_NANOS = 3 * NANOS_PER_MILLI;

  private final Clock clock;
  private volatile long offsetNanos;
  private volatile long lookedNanos;

  EngineClock(Clock clock) {
    this.clock = clock;
    lookedNanos = clock.nanoTime();
    offsetNanos = clock.epochMillis() * NANOS_PER_MILLI - clock.nanoTime();
  }

  long epochNanos(long nowNanos) {
    if (nowNanos - lookedNanos > LOOK_AGAIN_NANOS) {
      look();
    }
    return nowNanos + offsetNanos;
  }

  /** A thread may stand still between the clocks: the difference is at least the first, and at most the second. */
  private void look() {
    long before = clock.nanoTime();
    long epoch = clock.epochMillis() * NANOS_PER_MILLI;
    long after = clock.nanoTime();
    if (epoch - after > offsetNanos || epoch - before < offsetNanos - SET_BACK_NANOS) {
      offsetNanos = epoch - after;
    }
    lookedNanos = after;
  }
}
