package dev.decant.lab.driver;

import java.util.Map;
import org.HdrHistogram.Histogram;

/** Consumes records as another JVM writes them. */
final class Tail implements Work {
  private final MeasuredConsumer consumer;
  private final ConsumeStats stats = new ConsumeStats();

  /** The work {@code tail}. */
  public static final class Type extends WorkType {
    /** Made by {@link java.util.ServiceLoader}. */
    public Type() {
      super("tail", "one poll that returned records", Topic.FED, spec -> new Tail(spec));
    }
  }

  Tail(WorkSpec spec) {
    consumer = Consumers.open(spec, stats);
  }

  @Override
  public long run(long records, long deadlineNanos) throws InterruptedException {
    long first = stats.count;
    long seen = first;
    long patience = System.nanoTime() + WorkSpec.FEED_PATIENCE.toNanos();
    while (stats.count - first < records && System.nanoTime() - deadlineNanos < 0) {
      stats.poll(consumer);
      if (stats.count > seen) {
        seen = stats.count;
        patience = System.nanoTime() + WorkSpec.FEED_PATIENCE.toNanos();
      } else if (System.nanoTime() - patience >= 0) {
        throw new IllegalStateException("no record has come for " + WorkSpec.FEED_PATIENCE);
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
