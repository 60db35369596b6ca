package dev.decant.lab.driver;

import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;

/**
 * The times of records that are sent and received in one JVM, by the {@link Stamps} in them. One thread at a time,
 * except {@link #count}.
 */
public final class StampTimes implements MeasuredConsumer.StampSink {
  /** The time from when a record was due to be sent until it was received. */
  private final Histogram latency = new Histogram(Nanos.MOST, 3);
  /** The time from when a record was sent until it was received. */
  private final Histogram service = new Histogram(Nanos.MOST, 3);
  // Written by the receiving thread, read by any.
  private final AtomicLong received = new AtomicLong();

  @Override
  public void value(long intendedNanos, long sentNanos) {
    long now = System.nanoTime();
    latency.recordValue(Nanos.between(intendedNanos, now));
    service.recordValue(Nanos.between(sentNanos, now));
    received.lazySet(received.getPlain() + 1);
  }

  /**
   * Returns the time from when a record was due to be sent until it was received.
   *
   * @return nanoseconds
   */
  public Histogram latency() {
    return latency;
  }

  /**
   * Returns the number of received records since the start. Any thread.
   *
   * @return the count, also of records before {@link #forget}
   */
  public long count() {
    return received.get();
  }

  /** Resets all times. */
  public void forget() {
    latency.reset();
    service.reset();
  }

  /**
   * Adds the percentiles of the service time, which begins when a record was sent.
   *
   * @param figures takes the figures
   */
  public void figures(Map<String, Double> figures) {
    figures.put("service_p50_us", service.getValueAtPercentile(50) / 1e3);
    figures.put("service_p99_us", service.getValueAtPercentile(99) / 1e3);
    figures.put("service_p999_us", service.getValueAtPercentile(99.9) / 1e3);
    figures.put("service_p9999_us", service.getValueAtPercentile(99.99) / 1e3);
  }
}
