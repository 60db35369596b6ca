package dev.decant.kafka.interleaving;

import dev.decant.time.Clock;
import java.util.concurrent.TimeUnit;

/** A clock that stands until it is moved. One thread. */
final class SimulatedClock implements Clock {
  private long millis = 1_000_000;

  void forward(int byMillis) {
    millis += byMillis;
  }

  long millis() {
    return millis;
  }

  @Override
  public long nanoTime() {
    return TimeUnit.MILLISECONDS.toNanos(millis);
  }

  @Override
  public long epochMillis() {
    return millis;
  }
}
