package dev.decant.lab.driver;

import java.time.Duration;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** Consumes what comes. */
final class Tail implements Work {
  /** How long nothing may come from who writes. */
  static final Duration PATIENCE = Duration.ofSeconds(20);

  private final MeasuredConsumer consumer;
  private final Touched touched = new Touched();

  Tail(WorkSpec spec) {
    consumer = MeasuredConsumer.open(spec, touched);
  }

  @Override
  public long run(long records, long deadlineNanos) throws InterruptedException {
    long first = touched.count;
    long seen = first;
    long patience = System.nanoTime() + PATIENCE.toNanos();
    while (touched.count - first < records && System.nanoTime() - deadlineNanos < 0) {
      touched.poll(consumer);
      if (touched.count > seen) {
        seen = touched.count;
        patience = System.nanoTime() + PATIENCE.toNanos();
      } else if (System.nanoTime() - patience >= 0) {
        throw new IllegalStateException("no record has come for " + PATIENCE);
      }
    }
    return touched.count - first;
  }

  @Override
  public long progress() {
    return touched.shown();
  }

  @Override
  public long checksum() {
    return touched.sum;
  }

  @Override
  public Histogram latency() {
    return touched.pollTimes;
  }

  @Override
  public void figures(long records, Map<String, Double> figures) {
    touched.figures(records, figures);
  }

  @Override
  public void close() {
    consumer.close();
  }
}
