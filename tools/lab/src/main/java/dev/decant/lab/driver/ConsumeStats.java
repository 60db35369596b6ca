package dev.decant.lab.driver;

import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;

/** What a consumer has seen. One thread, but for {@link #shown}. */
final class ConsumeStats implements MeasuredConsumer.Sink {
  final Histogram pollTimes = new Histogram(Nanos.MOST, 3);
  private final AtomicLong shown = new AtomicLong();
  long count;
  long sum;

  @Override
  public void value(int length, byte first, byte last) {
    count++;
    sum += length + first + last;
  }

  /** Polls once, and remembers how long it took if there were records. */
  void poll(MeasuredConsumer consumer) throws InterruptedException {
    long started = System.nanoTime();
    if (consumer.poll() > 0) {
      pollTimes.recordValue(Nanos.since(started));
      shown.lazySet(count);
    }
  }

  /** How many records there have been, for any thread. */
  long shown() {
    return shown.get();
  }

  void figures(long records, Map<String, Double> figures) {
    figures.put("records_per_poll", records / (double) pollTimes.getTotalCount());
  }
}
