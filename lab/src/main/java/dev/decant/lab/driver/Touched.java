package dev.decant.lab.driver;

import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;

/** What a consumer has seen. One thread, but for {@link #shown}. */
final class Touched {
  private static final long MAX_NANOS = 300_000_000_000L;

  final Histogram pollTimes = new Histogram(MAX_NANOS, 3);
  private final AtomicLong shown = new AtomicLong();
  long count;
  long sum;

  void value(int length, byte first, byte last) {
    count++;
    sum += length + first + last;
  }

  void onPolled(long startedNanos) {
    pollTimes.recordValue(Math.clamp(System.nanoTime() - startedNanos, 0, MAX_NANOS));
    shown.lazySet(count);
  }

  long shown() {
    return shown.get();
  }
}
