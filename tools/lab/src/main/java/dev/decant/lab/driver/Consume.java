package dev.decant.lab.driver;

import java.util.Map;
import org.HdrHistogram.Histogram;

/** Consumes a whole topic, again and again. */
public final class Consume implements Work {
  private final MeasuredConsumer consumer;
  private final long topicRecords;
  private final long ratePerSecond;
  private final ConsumeStats stats = new ConsumeStats();

  /** The work {@code consume}. */
  public static final class Type extends WorkType {
    /** Made by {@link java.util.ServiceLoader}. */
    public Type() {
      super("consume", "one poll that returned records", Topic.READ_AGAIN, spec -> new Consume(spec, Consumers::open),
          Trait.SEVERAL_TOPICS);
    }
  }

  /**
   * Opens the consumer.
   *
   * @param spec says how large the topic is, and at which rate it is read
   * @param opening opens the consumer of the client that this JVM is for
   */
  public Consume(WorkSpec spec, MeasuredConsumer.Opening opening) {
    topicRecords = spec.amount().topicRecords();
    ratePerSecond = spec.load().ratePerSecond();
    consumer = opening.open(spec, stats);
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
