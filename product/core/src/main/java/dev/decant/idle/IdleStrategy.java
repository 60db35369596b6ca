package dev.decant.idle;

import java.time.Duration;

/**
 * How a thread waits for the network: for how long it polls before it sleeps. Spinning saves the time that a sleeping
 * processor takes to wake up, and costs a whole processor meanwhile.
 *
 * <p>In a process with a single processor no thread spins, whatever the strategy: the peer may need that processor.
 *
 * @param spinNanos how long to spin after the last work, in nanoseconds; 0 sleeps at once, {@link
 *     Long#MAX_VALUE} never sleeps
 */
public record IdleStrategy(long spinNanos) {
  private static final IdleStrategy BLOCK = new IdleStrategy(0);
  private static final IdleStrategy SPIN = new IdleStrategy(Long.MAX_VALUE);

  /** Checks the duration. */
  public IdleStrategy {
    if (spinNanos < 0) {
      throw new IllegalArgumentException("spinNanos: " + spinNanos + " is negative; 0 does not spin");
    }
  }

  /**
   * Returns the strategy that sleeps until the network or a timer has something to do. This is the default.
   *
   * @return the strategy
   */
  public static IdleStrategy block() {
    return BLOCK;
  }

  /**
   * Returns the strategy that never sleeps, for a thread with a processor of its own.
   *
   * @return the strategy
   */
  public static IdleStrategy spin() {
    return SPIN;
  }

  /**
   * Returns a strategy that spins for a time after the last work, and then sleeps.
   *
   * @param duration how long to spin; with durations beyond 292 years the thread never sleeps
   * @return the strategy
   * @throws IllegalArgumentException if the duration is negative
   */
  public static IdleStrategy spinThenBlock(Duration duration) {
    if (duration.isNegative()) {
      throw new IllegalArgumentException("duration: " + duration + " is negative");
    }
    boolean forEver = duration.compareTo(Duration.ofNanos(Long.MAX_VALUE)) >= 0;
    return forEver ? SPIN : new IdleStrategy(duration.toNanos());
  }

  @Override
  public String toString() {
    if (spinNanos == 0) {
      return "block";
    }
    return spinNanos == Long.MAX_VALUE ? "spin" : "spin " + Duration.ofNanos(spinNanos) + ", then block";
  }
}
