package dev.decant.lab.driver;

import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * Sends records without waiting, and when all are acknowledged reads the same records back, on one thread. What each
 * thread allocates is told for either way.
 */
final class ThereAndBack implements Work {
  private static final long FIRST_RECORDS = 100_000;

  private final MeasuredProducer producer;
  private final MeasuredConsumer consumer;
  private final Payloads payloads;
  private final AckTimes times = new AckTimes();
  private final Touched touched = new Touched();
  private final ThreadBytes there = new ThreadBytes(true);
  private final ThreadBytes back = new ThreadBytes(false);

  ThereAndBack(WorkSpec spec) throws InterruptedException {
    WorkSpec.Load load = spec.load();
    payloads = new Payloads(load.payload(), load.recordSizeBytes(), load.seed());
    producer = MeasuredProducer.open(spec, times, false);
    consumer = MeasuredConsumer.open(spec, touched);
  }

  @Override
  public long run(long records, long deadlineNanos) throws Exception {
    there.begin();
    send(records);
    there.end();
    back.begin();
    receive(records);
    back.end();
    return records;
  }

  private void send(long records) throws Exception {
    for (long i = 0; i < records; i++) {
      producer.send(payloads.at(i), 0);
    }
    producer.flush();
    times.check();
  }

  private void receive(long records) throws InterruptedException {
    long end = touched.count + records;
    while (touched.count < end) {
      touched.poll(consumer);
    }
  }

  @Override
  public List<AllocationSite> sites(long records) throws Exception {
    try (AllocationSites sites = new AllocationSites()) {
      // once more without being looked at: classes are loaded, threads have their first sample behind them
      run(Math.min(records, FIRST_RECORDS), Long.MAX_VALUE);
      sites.span("produce", () -> send(records));
      sites.span("consume", () -> receive(records));
      return sites.largest();
    }
  }

  @Override
  public long progress() {
    return times.count() + touched.shown();
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
    there.figures("produce", figures);
    back.figures("consume", figures);
  }

  @Override
  public void close() {
    consumer.close();
    producer.close();
  }
}
