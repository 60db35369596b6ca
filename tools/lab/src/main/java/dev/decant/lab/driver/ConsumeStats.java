package dev.decant.lab.driver;

import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;

/** Counts the records of a consumer and sums up the bytes it has read. One thread at a time, except {@link #shown}. */
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

  /** Polls once, and records the duration if there were records. */
  void poll(MeasuredConsumer consumer) throws InterruptedException {
    long started = System.nanoTime();
    if (consumer.poll() > 0) {
      pollTimes.recordValue(Nanos.since(started));
      shown.lazySet(count);
    }
  }

  /** Returns the number of records up to the last poll. Any thread. */
  long shown() {
    return shown.get();
  }

  void figures(long records, Map<String, Double> figures) {
    figures.put("records_per_poll", records / (double) pollTimes.getTotalCount());
  }
}
