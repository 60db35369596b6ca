package dev.decant.lab.driver;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * Sends records without waiting, and when all are acknowledged reads the same records back, on one thread; and all that
 * {@value #TRIPS} times. What each thread allocates is told for either way, of the trip that allocated least: what
 * comes with each message is in every trip, and a pool that grows to what the machine's pauses need is not.
 */
final class ThereAndBack implements Work {
  /** The records of a run are divided by it. */
  static final int TRIPS = 3;

  private static final long FIRST_RECORDS = 100_000;

  private final MeasuredProducer producer;
  private final MeasuredConsumer consumer;
  private final Payloads payloads;
  private final AckTimes times = new AckTimes();
  private final ConsumeStats stats = new ConsumeStats();
  private final ThreadBytes there = new ThreadBytes(true);
  private final ThreadBytes back = new ThreadBytes(false);
  private final Map<String, Double> least = new HashMap<>();
  private long leastBytes;

  /** The work {@code there-and-back}. */
  public static final class Type extends WorkType {
    /** Made by {@link java.util.ServiceLoader}. */
    public Type() {
      super("there-and-back", "one poll that returned records", Topic.WRITTEN, spec -> new ThereAndBack(spec),
          Trait.COUNTED);
    }
  }

  ThereAndBack(WorkSpec spec) throws InterruptedException {
    WorkSpec.Load load = spec.load();
    payloads = new Payloads(load.payload(), load.recordSizeBytes(), load.seed());
    producer = Producers.open(spec, times, false);
    consumer = Consumers.open(spec, stats);
  }

  @Override
  public long run(long records, long deadlineNanos) throws Exception {
    int trips = records < TRIPS ? 1 : TRIPS;
    long each = records / trips;
    leastBytes = Long.MAX_VALUE;
    for (int i = 0; i < trips; i++) {
      there.begin();
      send(each);
      there.end();
      back.begin();
      receive(each);
      back.end();
      long bytes = there.bytes() + back.bytes();
      if (bytes < leastBytes) {
        leastBytes = bytes;
        there.figures("produce", least);
        back.figures("consume", least);
      }
    }
    return trips * each;
  }

  private void send(long records) throws Exception {
    for (long i = 0; i < records; i++) {
      producer.send(0, payloads.at(i), 0);
    }
    producer.flush();
    times.check();
  }

  private void receive(long records) throws InterruptedException {
    long end = stats.count + records;
    while (stats.count < end) {
      stats.poll(consumer);
    }
  }

  @Override
  public List<AllocationSite> sites(long records) throws Exception {
    try (AllocationSites sites = new AllocationSites()) {
      // once more without being looked at: classes are loaded, threads have their first sample behind them
      run(Math.min(records, FIRST_RECORDS), Long.MAX_VALUE);
      long trip = Math.max(1, records / TRIPS);
      sites.span("produce", () -> send(trip));
      sites.span("consume", () -> receive(trip));
      return sites.largest();
    }
  }

  @Override
  public long progress() {
    return times.count() + stats.shown();
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
    figures.putAll(least);
  }

  @Override
  public void close() {
    consumer.close();
    producer.close();
  }
}
