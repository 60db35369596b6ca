package dev.decant.lab.driver;

import java.util.Map;
import org.HdrHistogram.Histogram;

/** Consumes a whole topic, again and again. */
final class Consume implements Work {
  private final MeasuredConsumer consumer;
  private final long topicRecords;
  private final long ratePerSecond;
  private final Touched touched = new Touched();

  Consume(WorkSpec spec) {
    topicRecords = spec.amount().topicRecords();
    ratePerSecond = spec.load().ratePerSecond();
    consumer = MeasuredConsumer.open(spec, touched);
  }

  @Override
  public long run(long records, long deadlineNanos) throws InterruptedException {
    long first = touched.count;
    Pace pace = new Pace(ratePerSecond);
    while (touched.count - first < records && System.nanoTime() - deadlineNanos < 0) {
      long end = touched.count + topicRecords;
      consumer.seekToBeginning();
      while (touched.count < end) {
        if (ratePerSecond > 0) {
          pace.awaitExactly(touched.count - first);
        }
        touched.poll(consumer);
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
