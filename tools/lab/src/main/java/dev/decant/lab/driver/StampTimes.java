package dev.decant.lab.driver;

import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;

/**
 * What is measured of records that are sent and received in one JVM, by the {@link Stamps} in them. One thread, but for
 * {@link #count}.
 */
public final class StampTimes implements MeasuredConsumer.StampSink {
  /** From when a record was due to be sent until it was received. */
  private final Histogram latency = new Histogram(Nanos.MOST, 3);
  /** From when it was sent. */
  private final Histogram service = new Histogram(Nanos.MOST, 3);
  // Written by the thread that receives, read by any.
  private final AtomicLong received = new AtomicLong();

  @Override
  public void value(long intendedNanos, long sentNanos) {
    long now = System.nanoTime();
    latency.recordValue(Nanos.between(intendedNanos, now));
    service.recordValue(Nanos.between(sentNanos, now));
    received.lazySet(received.getPlain() + 1);
  }

  /**
   * Returns the time of each record from when it was due to be sent until it was received.
   *
   * @return nanoseconds
   */
  public Histogram latency() {
    return latency;
  }

  /**
   * Returns the number of records since the start. Any thread.
   *
   * @return also those before {@link #forget}
   */
  public long count() {
    return received.get();
  }

  /** Forgets all times. */
  public void forget() {
    latency.reset();
    service.reset();
  }

  /**
   * Adds the percentiles of the service time, which begins when a record was sent.
   *
   * @param figures to add to
   */
  public void figures(Map<String, Double> figures) {
    figures.put("service_p50_us", service.getValueAtPercentile(50) / 1e3);
    figures.put("service_p99_us", service.getValueAtPercentile(99) / 1e3);
    figures.put("service_p999_us", service.getValueAtPercentile(99.9) / 1e3);
    figures.put("service_p9999_us", service.getValueAtPercentile(99.99) / 1e3);
  }
}
