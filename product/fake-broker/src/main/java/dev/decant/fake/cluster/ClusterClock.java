package dev.decant.fake.cluster;

import dev.decant.time.Clock;
import java.util.concurrent.TimeUnit;

/**
 * The time of the cluster: the machine's, or the time that a test has set. All timers of the cluster follow it, also
 * those of sockets. Any thread.
 */
public final class ClusterClock implements Clock {
  private volatile Reading reading = new Reading(false, 0, 0);

  /** The time itself while the clock is stopped; otherwise the difference to the machine's. */
  private record Reading(boolean isStopped, long nanos, long millis) {}

  @Override
  public long nanoTime() {
    Reading r = reading;
    return r.isStopped() ? r.nanos() : System.nanoTime() + r.nanos();
  }

  @Override
  public long epochMillis() {
    Reading r = reading;
    return r.isStopped() ? r.millis() : System.currentTimeMillis() + r.millis();
  }

  /** Moves the time forward. */
  public synchronized void advance(long nanos) {
    Reading r = reading;
    reading = new Reading(r.isStopped(), r.nanos() + nanos, r.millis() + TimeUnit.NANOSECONDS.toMillis(nanos));
  }

  /** Stops the time, which only {@link #advance} moves then. */
  public synchronized void stop() {
    if (!reading.isStopped()) {
      reading = new Reading(true, nanoTime(), epochMillis());
    }
  }

  /** Starts the time again, from where it stands. */
  public synchronized void resume() {
    Reading r = reading;
    if (r.isStopped()) {
      reading = new Reading(false, r.nanos() - System.nanoTime(), r.millis() - System.currentTimeMillis());
    }
  }
}
