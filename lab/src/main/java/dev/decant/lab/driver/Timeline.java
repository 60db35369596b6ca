package dev.decant.lab.driver;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Looks at a work's progress ten times a second, on a thread of its own. */
final class Timeline implements AutoCloseable {
  private static final long STEP_NANOS = 100_000_000;

  private final Work work;
  private final List<Long> recordsPerStep = new ArrayList<>();
  private final Thread thread;
  private volatile boolean ended;

  Timeline(Work work) {
    this.work = work;
    thread = Thread.ofPlatform().name("timeline").daemon(true).start(this::run);
  }

  private void run() {
    long last = work.progress();
    long next = System.nanoTime() + STEP_NANOS;
    while (!ended) {
      LockSupport.parkNanos(next - System.nanoTime());
      if (System.nanoTime() - next >= 0) {
        long now = work.progress();
        recordsPerStep.add(now - last);
        last = now;
        next += STEP_NANOS;
      }
    }
  }

  /** Ends the thread and tells records per second in each tenth of a second. */
  List<Long> end() throws InterruptedException {
    close();
    thread.join();
    return recordsPerStep.stream().map(records -> records * (1_000_000_000 / STEP_NANOS)).toList();
  }

  @Override
  public void close() {
    ended = true;
    LockSupport.unpark(thread);
  }
}
