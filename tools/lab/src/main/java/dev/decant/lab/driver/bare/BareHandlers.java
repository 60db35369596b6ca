package dev.decant.lab.driver.bare;

import dev.decant.lab.driver.CallerThreads;
import dev.decant.lab.driver.RecordTask;
import dev.decant.lab.driver.Work;
import dev.decant.lab.driver.WorkSpec;
import dev.decant.lab.driver.WorkType;
import org.HdrHistogram.Histogram;

/** Threads that call the handler again and again: the rate that handlers reach without a client. */
final class BareHandlers implements Work {
  private final CallerThreads callers;
  private final RecordTask task;

  /** The work {@code handlers}. */
  public static final class Type extends WorkType {
    /** Made by {@link java.util.ServiceLoader}. */
    public Type() {
      super("handlers", "nothing", Topic.NONE, spec -> new BareHandlers(spec), Trait.OF_THE_JDK, Trait.HANDLERS_ALONE);
    }
  }

  BareHandlers(WorkSpec spec) {
    callers = new CallerThreads(spec.load());
    task = RecordTask.alone(spec);
  }

  @Override
  public long run(long records, long deadlineNanos) throws Exception {
    return callers.run(records, (first, share) -> call(share, deadlineNanos));
  }

  private long call(long times, long deadlineNanos) {
    for (long i = 0; i < times; i++) {
      if (System.nanoTime() - deadlineNanos >= 0) {
        return i;
      }
      task.handle(0, 0, 0);
    }
    return times;
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
  public void close() {
    // there is no client to close
  }
}
