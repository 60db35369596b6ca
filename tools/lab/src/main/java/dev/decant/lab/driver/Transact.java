package dev.decant.lab.driver;

import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;

/**
 * Commits one transaction after another, each with the same number of records, which go to the topic's partitions in
 * turns, so that every client's transactions span the same partitions. A run ends with a whole transaction.
 */
final class Transact implements Work {
  private final MeasuredProducer producer;
  private final Payloads payloads;
  private final int partitions;
  private final int recordsEach;
  private final AckTimes outcomes = new AckTimes();
  private final Histogram latency = new Histogram(Nanos.MOST, 3);
  private final AtomicLong committed = new AtomicLong();

  /** The work {@code transact}. */
  public static final class Type extends WorkType {
    /** Made by {@link java.util.ServiceLoader}. */
    public Type() {
      super("transact", "one transaction, from its begin until it is committed", Topic.WRITTEN,
          spec -> new Transact(spec), Trait.TRANSACTIONAL);
    }
  }

  Transact(WorkSpec spec) throws InterruptedException {
    WorkSpec.Load load = spec.load();
    payloads = new Payloads(load.payload(), load.recordSizeBytes(), load.seed());
    partitions = spec.partitions();
    recordsEach = spec.amount().transactionRecords();
    producer = Producers.open(spec, outcomes, false);
  }

  @Override
  public long run(long records, long deadlineNanos) throws Exception {
    long done = 0;
    while (done < records) {
      long started = System.nanoTime();
      if (started - deadlineNanos >= 0) {
        break;
      }
      producer.begin();
      for (int i = 0; i < recordsEach; i++) {
        producer.sendTo((int) ((done + i) % partitions), payloads.at(done + i));
      }
      producer.commit();
      latency.recordValue(Nanos.between(started, System.nanoTime()));
      done += recordsEach;
      committed.addAndGet(recordsEach);
    }
    outcomes.check();
    return done;
  }

  @Override
  public long progress() {
    return committed.get();
  }

  @Override
  public long checksum() {
    return committed.get();
  }

  @Override
  public Histogram latency() {
    return latency;
  }

  @Override
  public void figures(long records, Map<String, Double> figures) {
    figures.put(Measured.RECORDS_PER_TRANSACTION, (double) recordsEach);
  }

  @Override
  public void close() {
    producer.close();
  }
}
