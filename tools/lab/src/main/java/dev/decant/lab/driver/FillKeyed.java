package dev.decant.lab.driver;

import org.HdrHistogram.Histogram;

/** Writes a topic of records with keys, for the works with handlers. */
final class FillKeyed implements Work {
  private final MeasuredProducer producer;
  private final KeyedValues values;
  private final AckTimes times = new AckTimes();
  private long sent;

  FillKeyed(WorkSpec spec) throws InterruptedException {
    values = new KeyedValues(spec.load());
    producer = Producers.open(spec, times, false);
  }

  @Override
  public long run(long records, long deadlineNanos) throws Exception {
    long done = 0;
    for (; done < records && (!AckTimes.isSampled(done) || System.nanoTime() - deadlineNanos < 0); done++) {
      int key = values.nextKey();
      producer.sendWithKey(values.bytesOf(key), values.nextValue(key, 0));
    }
    sent += done;
    producer.flush();
    times.check();
    return done;
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
  public void close() {
    producer.close();
  }
}
