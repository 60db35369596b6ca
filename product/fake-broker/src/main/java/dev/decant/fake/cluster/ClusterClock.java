package dev.decant.fake.cluster;

import dev.decant.time.Clock;
import java.util.concurrent.TimeUnit;

/**
 * The time of the cluster: that of the machine, or what a test has made of it. All timers of the cluster, those of
 * sockets too, follow it. Any thread.
 */
public final class ClusterClock implements Clock {
  private volatile Reading reading = new Reading(false, 0, 0);

  /** While stopped the time itself, otherwise what to add to that of the machine. */
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

  /** Has the time stand still but for {@link #advance}. */
  public synchronized void stop() {
    if (!reading.isStopped()) {
      reading = new Reading(true, nanoTime(), epochMillis());
    }
  }

  /** Has the time run again, from where it stands. */
  public synchronized void resume() {
    Reading r = reading;
    if (r.isStopped()) {
      reading = new Reading(false, r.nanos() - System.nanoTime(), r.millis() - System.currentTimeMillis());
    }
  }
}
