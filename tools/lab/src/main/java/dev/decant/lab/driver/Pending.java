package dev.decant.lab.driver;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * Measures the memory of a producer that has one record pending in each partition. Afterwards it flushes the records,
 * so that the broker can count them. {@code linger.ms} must be longer than the measurement.
 */
final class Pending implements Work {
  private static final double MIB = 1 << 20;

  private final WorkSpec spec;
  private final Payloads payloads;
  private final AckTimes times = new AckTimes();
  private final Histogram latency = new Histogram(2);
  private long heapBytes;
  private long directBytes;

  /** The work {@code pending}. */
  public static final class Type extends WorkType {
    /** Made by {@link java.util.ServiceLoader}. */
    public Type() {
      super("pending", "nothing", Topic.WRITTEN, spec -> new Pending(spec), Trait.COUNTED);
    }
  }

  Pending(WorkSpec spec) {
    this.spec = spec;
    payloads = new Payloads(spec.load().payload(), spec.load().recordSizeBytes(), spec.load().seed());
  }

  @Override
  public long run(long records, long deadlineNanos) throws Exception {
    long heapBefore = heapInUse();
    long directBefore = directInUse();
    try (MeasuredProducer producer = Producers.open(spec, times, false)) {
      for (int partition = 0; partition < spec.partitions(); partition++) {
        producer.sendTo(partition, payloads.at(partition));
      }
      heapBytes = heapInUse() - heapBefore;
      directBytes = directInUse() - directBefore;
      if (times.count() % spec.partitions() != 0) {
        throw new IllegalStateException(times.count() + " records were acknowledged already: raise producer.linger.ms");
      }
      producer.flush();
    }
    times.check();
    return spec.partitions();
  }

  private static long heapInUse() {
    System.gc(); // the heap in use is known only after a collection
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  private static long directInUse() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct")).mapToLong(BufferPoolMXBean::getMemoryUsed).sum();
  }

  /** Runs once, to load all classes; the work has no rate, so nothing else needs a warm-up. */
  @Override
  public long warmUp(WorkSpec.Amount amount) throws Exception {
    return run(amount.warmUpRecords(), Long.MAX_VALUE);
  }

  @Override
  public long progress() {
    return times.count();
  }

  @Override
  public long checksum() {
    return times.count();
  }

  @Override
  public Histogram latency() {
    return latency;
  }

  @Override
  public void figures(long records, Map<String, Double> figures) {
    figures.put("heap_growth_mib", heapBytes / MIB);
    figures.put("direct_growth_mib", directBytes / MIB);
    figures.put("memory_growth_mib", (heapBytes + directBytes) / MIB);
  }

  @Override
  public void close() {
    // each run closes its producer
  }
}
