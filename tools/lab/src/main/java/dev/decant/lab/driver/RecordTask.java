package dev.decant.lab.driver;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.AtomicHistogram;
import org.HdrHistogram.Histogram;

/**
 * The work of a handler on a record, in every runtime: it sleeps, fails for some records, and counts. A handler that
 * takes no time only counts. Any thread; but the runtime must call it for the records of one key one after another, and
 * each call must see the writes of the call before.
 */
public final class RecordTask {
  /** Number of failures of each record that fails. */
  private static final int FAILURES = 2;
  private static final int PERCENT = 100;

  private final int millis;
  private final int failPercent;
  private final boolean hasHotKey;
  private final LongAdder handled = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private final LongAdder misordered = new LongAdder();
  /** For each key, the number of the last handled record; empty if the order is not checked. */
  private final int[] last;
  /** For each record, the number of its failures. */
  private final byte[] failures;
  private final Histogram latency = new AtomicHistogram(Nanos.MOST, 3);
  private final Histogram hotLatency = new AtomicHistogram(Nanos.MOST, 3);

  /** True while handlers wait before they begin. Written under this object's monitor, read by all. */
  private volatile boolean isHeld;

  /** The exception with which a handler fails. */
  static final class TaskFailure extends RuntimeException {
    private static final long serialVersionUID = 1;

    private TaskFailure() {
      // no stack trace: its cost would be the lab's, not the runtime's
      super("the record fails by the lab's wish", null, false, false);
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
   * Makes a task for the records of a topic. It checks the order of each key's records, unless that would cost as much
   * as the handler itself.
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
   * @return for threads without a client
   */
  public static RecordTask alone(WorkSpec spec) {
    WorkSpec.Handlers handlers = spec.load().handlers();
    return new RecordTask(new WorkSpec.Handlers("none", handlers.millis(), 0, 0), false, 0, 0);
  }

  /**
   * Handles a record.
   *
   * @param key index of the key
   * @param number number of the record in its topic
   * @param intendedNanos when the record was due to be sent; 0 if that is not known
   * @throws TaskFailure if the record must be tried again
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

  /** Makes handlers wait before they begin, so that nothing is handled outside of the measurement. */
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
   * Returns the number of handled records since the start. Any thread.
   *
   * @return the count, also of records before {@link #begin}
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

  /** Resets the times and the count of failures. */
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
