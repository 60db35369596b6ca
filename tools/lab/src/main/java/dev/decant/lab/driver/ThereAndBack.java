package dev.decant.lab.driver;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * Sends records without waiting, waits for all acknowledgements, and reads the same records back, on one thread; all
 * that {@value #TRIPS} times. The work reports the allocation of each thread on the trip that allocated least: the
 * bytes of each message are in every trip, and a pool that grows during a pause of the machine is in one only.
 */
final class ThereAndBack implements Work {
  /** Number of trips in a run; the records are divided among them. */
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
      // run once without sampling: this loads classes and takes the threads' first samples
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
