package dev.decant.lab.driver;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;

/** Polls partitions to which nothing is written. Each second counts as a record. */
final class Idle implements Work {
  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private final MeasuredConsumer consumer;
  private final AtomicLong seconds = new AtomicLong();
  private final Histogram latency = new Histogram(2);

  /** The work {@code idle}. */
  public static final class Type extends WorkType {
    /** Made by {@link java.util.ServiceLoader}. */
    public Type() {
      super("idle", "nothing", Topic.EMPTY, spec -> new Idle(spec));
    }
  }

  Idle(WorkSpec spec) {
    consumer = Consumers.open(spec, (length, first, last) -> {
      throw new IllegalStateException("somebody writes to the topic: a value of " + length + " bytes has come");
    });
  }

  @Override
  public long run(long wanted, long deadlineNanos) throws InterruptedException {
    long started = System.nanoTime();
    long done = 0;
    for (long now = started; done < wanted && now - deadlineNanos < 0; now = System.nanoTime()) {
      consumer.poll();
      done = (System.nanoTime() - started) / SECOND;
      seconds.lazySet(done);
    }
    return Math.max(1, done);
  }

  /**
   * Polls for a number of seconds: the default warm-up waits for the compiler, which takes very long with so little
   * work.
   */
  @Override
  public long warmUp(WorkSpec.Amount amount) throws InterruptedException {
    return run(amount.warmUpRecords(), System.nanoTime() + amount.warmUpRecords() * 2 * SECOND);
  }

  @Override
  public long progress() {
    return seconds.get();
  }

  @Override
  public long checksum() {
    return 0;
  }

  @Override
  public Histogram latency() {
    return latency;
  }

  @Override
  public void close() {
    consumer.close();
  }
}
