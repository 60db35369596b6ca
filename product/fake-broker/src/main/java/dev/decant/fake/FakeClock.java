package dev.decant.fake;

import dev.decant.fake.cluster.ClusterClock;
import dev.decant.loop.EventLoop;
import java.time.Duration;
import java.time.Instant;

/**
 * The time of a fake cluster, for its timestamps and for all timeouts of its brokers. It follows the machine's clock
 * until a test moves or stops it. Clients have their own time. Any thread.
 */
public final class FakeClock {
  private final ClusterClock clock;
  private final EventLoop loop;
  private final OwnerThread owner;

  FakeClock(ClusterClock clock, EventLoop loop, OwnerThread owner) {
    this.clock = clock;
    this.loop = loop;
    this.owner = owner;
  }

  /** Returns the current time. */
  public Instant now() {
    return Instant.ofEpochMilli(clock.epochMillis());
  }

  /**
   * Moves the time forward. Everything that is due by then has happened when this method returns, unless the cluster's
   * own thread calls it.
   *
   * @param duration length of the move, not negative
   */
  public void advance(Duration duration) {
    if (duration.isNegative()) {
      throw new IllegalArgumentException("duration: " + duration + " is negative; the time only goes forward");
    }
    clock.advance(duration.toNanos());
    owner.awaitDueTimers();
  }

  /**
   * Stops the time, which only {@link #advance} moves then. Responses that are due at a time wait until it is reached.
   */
  public void stop() {
    clock.stop();
    loop.signal();
  }

  /** Starts the time again, from where it stands. */
  public void resume() {
    clock.resume();
    loop.signal();
  }
}
