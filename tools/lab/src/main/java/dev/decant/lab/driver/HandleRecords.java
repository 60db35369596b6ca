package dev.decant.lab.driver;

import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * Lets handlers work on the records of a topic, from the first one on. Handlers wait between warm-up and measurement;
 * the runtime fetches as many records meanwhile as it can hold.
 */
final class HandleRecords implements Work {
  private static final long NEVER = 1L << 62;

  private final RecordTask task;
  private final HandledCount count;
  private final HandlerRuntime runtime;
  private final long topicRecords;

  /** The work {@code work-key}: no handler fails. */
  public static final class KeyType extends WorkType {
    /** Made by {@link java.util.ServiceLoader}. */
    public KeyType() {
      super("work-key", "nothing", Topic.READ_FIRST, spec -> new HandleRecords(spec), Trait.OF_HANDLERS);
    }
  }

  /** The work {@code work-retry}: handlers fail for some records. */
  public static final class RetryType extends WorkType {
    /** Made by {@link java.util.ServiceLoader}. */
    public RetryType() {
      super("work-retry", "nothing", Topic.READ_FIRST, spec -> new HandleRecords(spec), Trait.OF_HANDLERS,
          Trait.FAILING);
    }
  }

  HandleRecords(WorkSpec spec) throws InterruptedException {
    topicRecords = spec.amount().topicRecords();
    task = RecordTask.of(spec);
    count = new HandledCount(task::handled);
    runtime = HandlerRuntimes.open(spec, task);
    runTo(1, System.nanoTime() + NEVER); // join the group first: the time for that would be measured otherwise
  }

  /**
   * Handles records, but leaves those that are measured, and the last quarter of the topic, which no measurement
   * reaches.
   */
  @Override
  public long warmUp(WorkSpec.Amount amount) throws Exception {
    long most = topicRecords * WorkSpec.READ_OF_TOPIC / WorkSpec.WHOLE_TOPIC - amount.records();
    return WarmUp.run((records, deadlineNanos) -> runTo(Math.min(task.handled() + records, most), deadlineNanos),
        amount.warmUpRecords(), amount.warmUpMillis());
  }

  /** Handles records up to the end of the topic at most. */
  @Override
  public long run(long records, long deadlineNanos) {
    return runTo(Math.min(task.handled() + records, topicRecords), deadlineNanos);
  }

  private long runTo(long end, long deadlineNanos) {
    long first = task.handled();
    task.release();
    try {
      count.await(end, deadlineNanos);
    } finally {
      // On a busy machine handlers once read a small topic to its end between warm-up and measurement.
      task.hold();
    }
    return task.handled() - first;
  }

  @Override
  public long progress() {
    return task.handled();
  }

  @Override
  public long checksum() {
    return task.handled();
  }

  @Override
  public Histogram latency() {
    return task.latency();
  }

  @Override
  public void begin() {
    task.begin();
  }

  @Override
  public void figures(long records, Map<String, Double> figures) {
    task.figures(figures);
  }

  @Override
  public void close() {
    task.release(); // a runtime may wait for its handlers
    runtime.close();
  }
}
