package dev.decant.lab.driver;

import java.time.Duration;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** Consumes what comes. */
final class Tail implements Work {
  /** How long nothing may come from who writes. */
  static final Duration PATIENCE = Duration.ofSeconds(20);

  private final MeasuredConsumer consumer;
  private final ConsumeStats stats = new ConsumeStats();

  Tail(WorkSpec spec) {
    consumer = MeasuredConsumer.open(spec, stats);
  }

  @Override
  public long run(long records, long deadlineNanos) throws InterruptedException {
    long first = stats.count;
    long seen = first;
    long patience = System.nanoTime() + PATIENCE.toNanos();
    while (stats.count - first < records && System.nanoTime() - deadlineNanos < 0) {
      stats.poll(consumer);
      if (stats.count > seen) {
        seen = stats.count;
        patience = System.nanoTime() + PATIENCE.toNanos();
      } else if (System.nanoTime() - patience >= 0) {
        throw new IllegalStateException("no record has come for " + PATIENCE);
      }
    }
    return stats.count - first;
  }

  @Override
  public long progress() {
    return stats.shown();
  }

  @Override
  public long checksum() {
    return stats.sum;
  }

  @Override
  public Histogram latency() {
    return stats.pollTimes;
  }

  @Override
  public void figures(long records, Map<String, Double> figures) {
    stats.figures(records, figures);
  }

  @Override
  public void close() {
    consumer.close();
  }
}
