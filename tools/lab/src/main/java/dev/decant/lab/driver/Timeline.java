package dev.decant.lab.driver;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Samples a growing count ten times a second, on its own thread. */
public final class Timeline implements AutoCloseable {
  private static final long STEP_NANOS = 100_000_000;
  /** Number of steps in ten minutes; the array grows for more. */
  private static final int STEPS = 6000;

  private static final int STEPS_PER_SECOND = 10;

  private final LongSupplier progress;
  private final @Nullable RateLine rates;
  // Written by the thread below, read after it has ended. An array, since boxing would allocate while allocation is
  // measured.
  private long[] recordsPerStep = new long[STEPS];
  private int steps;
  private final Thread thread;
  private volatile boolean ended;

  /**
   * Starts the thread.
   *
   * @param progress the count; read on another thread
   * @param rates reports the growth of each second to the parent; null for no reports
   */
  public Timeline(LongSupplier progress, @Nullable RateLine rates) {
    this.progress = progress;
    this.rates = rates;
    thread = Thread.ofPlatform().name("timeline").daemon(true).start(this::run);
  }

  private void run() {
    long last = progress.getAsLong();
    long lastReported = last;
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
        if (rates != null && steps % STEPS_PER_SECOND == 0) {
          rates.report(now - lastReported);
          lastReported = now;
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
