package dev.decant.lab.driver;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.AtomicHistogram;
import org.HdrHistogram.Histogram;

/**
 * What a handler does with a record, whichever runtime calls it: it sleeps, fails for some records, and counts. A
 * handler that takes no time only counts. Any number of threads, but those that work on records of one key come one
 * after another, and each sees what those before it have written.
 */
public final class RecordTask {
  /** How often a record fails that does. */
  private static final int FAILURES = 2;
  private static final int PERCENT = 100;

  private final int millis;
  private final int failPercent;
  private final boolean hasHotKey;
  private final LongAdder handled = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private final LongAdder misordered = new LongAdder();
  /** For each key the number of the last record that was handled; empty if nothing is checked. */
  private final int[] last;
  /** For each record how often it has failed. */
  private final byte[] failures;
  private final Histogram latency = new AtomicHistogram(Nanos.MOST, 3);
  private final Histogram hotLatency = new AtomicHistogram(Nanos.MOST, 3);

  /** Whether handlers wait before they begin. Written under the lock of this, read by all. */
  private volatile boolean isHeld;

  /** What a handler throws. */
  static final class TaskFailure extends RuntimeException {
    private static final long serialVersionUID = 1;

    private TaskFailure() {
      super("the record fails by the lab's wish", null, false, false); // no stack: that would be the lab's cost
    }
  }

  private RecordTask(WorkSpec.Handlers handlers, boolean hasHotKey, int checkedKeys, int records) {
    this.hasHotKey = hasHotKey;
    millis = handlers.millis();
    failPercent = handlers.failPercent();
    last = new int[checkedKeys];
    Arrays.fill(last, -1);
    failures = new byte[records];
  }

  /**
   * A task on the records of a topic. The order of records of one key is checked, unless that would cost as much as the
   * handler.
   */
  static RecordTask of(WorkSpec spec) {
    WorkSpec.Handlers handlers = spec.load().handlers();
    WorkSpec.Keys keys = spec.load().keys();
    boolean isChecked = handlers.millis() > 0 && !handlers.order().equals("none");
    return new RecordTask(handlers, keys.hotPercent() > 0, isChecked ? keys.count() : 0,
        handlers.failPercent() > 0 ? Math.toIntExact(spec.amount().topicRecords()) : 0);
  }

  /**
   * Makes a task without records: it sleeps and counts.
   *
   * @param spec says how long it sleeps
   * @return for threads that have no client
   */
  public static RecordTask alone(WorkSpec spec) {
    WorkSpec.Handlers handlers = spec.load().handlers();
    return new RecordTask(new WorkSpec.Handlers("none", handlers.millis(), 0, 0), false, 0, 0);
  }

  /**
   * Works on a record.
   *
   * @param key index of its key
   * @param number of the record in its topic
   * @param intendedNanos when it should have been sent; 0 if that is not known
   * @throws TaskFailure if it must be tried again
   */
  public void handle(int key, int number, long intendedNanos) {
    if (isHeld) {
      awaitRelease();
    }
    if (millis > 0) {
      work(key, number);
    }
    if (intendedNanos != 0) {
      (hasHotKey && key == 0 ? hotLatency : latency).recordValue(Nanos.since(intendedNanos));
    }
    handled.increment();
  }

  private synchronized void awaitRelease() {
    try {
      while (isHeld) {
        wait();
      }
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  private static IllegalStateException interrupted(InterruptedException cause) {
    Thread.currentThread().interrupt();
    return new IllegalStateException("a handler was interrupted", cause);
  }

  /** Has handlers wait before they begin, so that nothing is handled while nothing is measured. */
  synchronized void hold() {
    isHeld = true;
  }

  /** Lets handlers go on. */
  synchronized void release() {
    isHeld = false;
    notifyAll();
  }

  private void work(int key, int number) {
    boolean isChecked = last.length > 0;
    if (isChecked && number <= last[key]) {
      misordered.increment();
    }
    try {
      Thread.sleep(millis); // parkNanos would end early if a runtime has unparked the thread before
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
    if (failures.length > 0 && number % PERCENT < failPercent && failures[number] < FAILURES) {
      failures[number]++;
      failed.increment();
      throw new TaskFailure();
    }
    if (isChecked) {
      last[key] = number;
    }
  }

  /**
   * Returns the number of records that were handled since the start. Any thread.
   *
   * @return also those before {@link #begin}
   */
  public long handled() {
    return handled.sum();
  }

  /**
   * Returns the time from when a record was due to be sent until it was handled, without records of the hot key.
   *
   * @return nanoseconds; empty without a rate
   */
  public Histogram latency() {
    return latency;
  }

  /** Forgets what was measured before. */
  void begin() {
    latency.reset();
    hotLatency.reset();
    failed.reset();
  }

  void figures(Map<String, Double> figures) {
    if (last.length > 0) {
      figures.put("misordered_records", (double) misordered.sum());
    }
    if (failures.length > 0) {
      figures.put("failed_attempts", (double) failed.sum());
    }
    if (hasHotKey) {
      figures.put("hot_key_p50_us", hotLatency.getValueAtPercentile(50) / 1e3);
      figures.put("hot_key_p99_us", hotLatency.getValueAtPercentile(99) / 1e3);
    }
  }
}
