package dev.decant.lab.driver;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Looks at a count that grows ten times a second, on a thread of its own. */
public final class Timeline implements AutoCloseable {
  private static final long STEP_NANOS = 100_000_000;
  /** Of ten minutes; more are made room for. */
  private static final int STEPS = 6000;

  private static final int STEPS_PER_SECOND = 10;

  private final LongSupplier progress;
  private final @Nullable RateLine told;
  // Written by the thread below, read when it has ended. It boxes nothing: what threads allocate may be measured.
  private long[] recordsPerStep = new long[STEPS];
  private int steps;
  private final Thread thread;
  private volatile boolean ended;

  /**
   * Begins.
   *
   * @param progress the count; read on another thread
   * @param told tells the parent each second by how much it has grown; null if nobody wants to know
   */
  public Timeline(LongSupplier progress, @Nullable RateLine told) {
    this.progress = progress;
    this.told = told;
    thread = Thread.ofPlatform().name("timeline").daemon(true).start(this::run);
  }

  private void run() {
    long last = progress.getAsLong();
    long lastTold = last;
    long next = System.nanoTime() + STEP_NANOS;
    while (!ended) {
      LockSupport.parkNanos(next - System.nanoTime());
      if (System.nanoTime() - next >= 0) {
        long now = progress.getAsLong();
        if (steps == recordsPerStep.length) {
          recordsPerStep = Arrays.copyOf(recordsPerStep, 2 * steps);
        }
        recordsPerStep[steps++] = now - last;
        last = now;
        next += STEP_NANOS;
        if (told != null && steps % STEPS_PER_SECOND == 0) {
          told.tell(now - lastTold);
          lastTold = now;
        }
      }
    }
  }

  /**
   * Ends the thread.
   *
   * @return records per second in each tenth of a second
   * @throws InterruptedException if the calling thread was interrupted
   */
  public List<Long> end() throws InterruptedException {
    close();
    thread.join();
    return Arrays.stream(recordsPerStep, 0, steps).mapToObj(records -> records * (1_000_000_000 / STEP_NANOS)).toList();
  }

  @Override
  public void close() {
    ended = true;
    LockSupport.unpark(thread);
  }
}
