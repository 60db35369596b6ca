package dev.decant.lab.driver;

import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * Each thread sends a record and waits for its acknowledgement before the next. With one thread the work also measures
 * <em>wait waste</em>: the time from when the client's I/O thread knows the result until the caller runs again.
 */
final class SendAndWait implements Work {
  private final MeasuredProducer producer;
  private final Payloads payloads;
  private final boolean watched;
  private final long measuredPollMillis;
  // 0 during the warm-up, which would take too long with polls.
  private long pollMillis;
  private final CallerThreads callers;
  private final AtomicLong answered = new AtomicLong();
  private final Histogram latency = new ConcurrentHistogram(Nanos.MOST, 3);
  private final Histogram waste = new Histogram(Nanos.MOST, 3);

  /** The work {@code send-and-wait}. */
  public static final class Type extends WorkType {
    /** Made by {@link java.util.ServiceLoader}. */
    public Type() {
      super("send-and-wait", "one call that sends and waits", Topic.WRITTEN, spec -> new SendAndWait(spec),
          Trait.ONE_BY_ONE, Trait.POLLED);
    }
  }

  SendAndWait(WorkSpec spec) throws InterruptedException {
    WorkSpec.Load load = spec.load();
    payloads = new Payloads(load.payload(), load.recordSizeBytes(), load.seed());
    callers = new CallerThreads(load);
    watched = load.threads() == 1;
    measuredPollMillis = load.pollMillis();
    producer = Producers.open(spec, new AckTimes(), watched);
  }

  @Override
  public long run(long records, long deadlineNanos) throws Exception {
    return callers.run(records, (first, share) -> sendAndWait(first, share, deadlineNanos));
  }

  private long sendAndWait(long first, long records, long deadlineNanos) throws Exception {
    for (long i = 0; i < records; i++) {
      long started = System.nanoTime();
      if (started - deadlineNanos >= 0) {
        return i;
      }
      producer.sendAndWait(payloads.at(first + i), pollMillis);
      long ended = System.nanoTime();
      latency.recordValue(Nanos.between(started, ended));
      if (watched) {
        waste.recordValue(Nanos.between(producer.resultNanos(), ended));
      }
      answered.incrementAndGet();
    }
    return records;
  }

  @Override
  public long progress() {
    return answered.get();
  }

  @Override
  public long checksum() {
    return answered.get();
  }

  @Override
  public Histogram latency() {
    return latency;
  }

  @Override
  public void begin() {
    Work.super.begin();
    pollMillis = measuredPollMillis;
    waste.reset();
    callers.forget();
  }

  @Override
  public void figures(long records, Map<String, Double> figures) {
    if (watched) {
      Measured.PERCENTILES.forEach(percentile -> figures.put(Measured.wasteAt(percentile),
          waste.getValueAtPercentile(percentile) / 1e3));
    }
    callers.addAllocation(records, figures);
  }

  @Override
  public void close() {
    producer.close();
  }
}
