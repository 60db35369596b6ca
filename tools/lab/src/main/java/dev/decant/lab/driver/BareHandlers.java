package dev.decant.lab.driver;

import org.HdrHistogram.Histogram;

/** Threads that call the handler again and again: what handlers can do without a client. */
final class BareHandlers implements Work {
  private final CallerThreads callers;
  private final RecordTask task;

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
    // there is no client
  }
}
