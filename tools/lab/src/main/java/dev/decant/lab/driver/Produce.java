package dev.decant.lab.driver;

import java.util.Map;
import org.HdrHistogram.Histogram;

/** Sends without waiting, to the topics in turns. */
final class Produce implements Work {
  private final MeasuredProducer producer;
  private final Payloads payloads;
  private final long ratePerSecond;
  private final int topics;
  private final AckTimes times = new AckTimes();
  private final CallerThreads callers;
  private long sent;

  /** The work {@code produce}. */
  public static final class Type extends WorkType {
    /** Made by {@link java.util.ServiceLoader}. */
    public Type() {
      super("produce", "send (at a rate: when it was due) to acknowledgement, one record in 64;"
          + " as fast as can be that is mostly queueing", Topic.WRITTEN,
          spec -> spec.load().keys().count() > 0 ? new FillKeyed(spec) : new Produce(spec), Trait.SEVERAL_TOPICS);
    }
  }

  Produce(WorkSpec spec) throws InterruptedException {
    WorkSpec.Load load = spec.load();
    payloads = new Payloads(load.payload(), load.recordSizeBytes(), load.seed());
    ratePerSecond = load.ratePerSecond();
    topics = spec.topics().count();
    callers = new CallerThreads(load);
    producer = Producers.open(spec, times, false);
  }

  @Override
  public long run(long records, long deadlineNanos) throws Exception {
    Pace pace = new Pace(ratePerSecond);
    long done = callers.run(records, (first, share) -> send(first, share, deadlineNanos, pace));
    sent += done;
    producer.flush();
    times.check();
    return done;
  }

  private long send(long first, long records, long deadlineNanos, Pace pace) {
    int topic = (int) (first % topics);
    for (long i = 0; i < records; i++) {
      long tag = 0;
      pace.await(i);
      if (AckTimes.isSampled(first + i)) {
        tag = pace.begun(i);
        if (System.nanoTime() - deadlineNanos >= 0) {
          return i;
        }
      }
      Delay.pass();
      producer.send(topic, payloads.at(first + i), tag);
      topic = topic + 1 == topics ? 0 : topic + 1;
    }
    return records;
  }

  @Override
  public long progress() {
    return times.count();
  }

  @Override
  public long checksum() {
    return sent;
  }

  @Override
  public Histogram latency() {
    return times.histogram;
  }

  @Override
  public void begin() {
    Work.super.begin();
    callers.forget();
  }

  @Override
  public void figures(long records, Map<String, Double> figures) {
    callers.addAllocation(records, figures);
  }

  @Override
  public void close() {
    producer.close();
  }
}
