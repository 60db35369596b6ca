package dev.decant.lab.driver;

import java.util.Map;
import org.HdrHistogram.Histogram;

/** Consumes a whole topic, again and again. */
final class Consume implements Work {
  private final MeasuredConsumer consumer;
  private final long topicRecords;
  private final long ratePerSecond;
  private final ConsumeStats stats = new ConsumeStats();

  Consume(WorkSpec spec) {
    topicRecords = spec.amount().topicRecords();
    ratePerSecond = spec.load().ratePerSecond();
    consumer = MeasuredConsumer.open(spec, stats);
  }

  @Override
  public long run(long records, long deadlineNanos) throws InterruptedException {
    long first = stats.count;
    Pace pace = new Pace(ratePerSecond);
    while (stats.count - first < records && System.nanoTime() - deadlineNanos < 0) {
      long end = stats.count + topicRecords;
      consumer.seekToBeginning();
      while (stats.count < end) {
        if (ratePerSecond > 0) {
          pace.awaitExactly(stats.count - first);
        }
        stats.poll(consumer);
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
