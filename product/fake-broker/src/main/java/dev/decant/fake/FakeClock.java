package dev.decant.fake;

import dev.decant.fake.cluster.ClusterClock;
import dev.decant.loop.EventLoop;
import java.time.Duration;
import java.time.Instant;

/**
 * The time of a fake cluster: of its timestamps and of all time-outs of its brokers. It is that of the machine until a
 * test moves or stops it. Clients have their own time. Any thread.
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

  /** The time now. */
  public Instant now() {
    return Instant.ofEpochMilli(clock.epochMillis());
  }

  /**
   * Moves the time forward; what is due then has happened when this returns, unless the cluster's own thread calls it.
   *
   * @param duration how far, not negative
   */
  public void advance(Duration duration) {
    if (duration.isNegative()) {
      throw new IllegalArgumentException("duration: " + duration + " is negative; the time only goes forward");
    }
    clock.advance(duration.toNanos());
    owner.awaitDueTimers();
  }

  /** Has the time stand still but for {@link #advance}. Responses that wait for a time wait until it is reached. */
  public void stop() {
    clock.stop();
    loop.signal();
  }

  /** Has the time run again, from where it stands. */
  public void resume() {
    clock.resume();
    loop.signal();
  }
}
