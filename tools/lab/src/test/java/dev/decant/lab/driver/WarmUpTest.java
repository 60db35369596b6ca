package dev.decant.lab.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class WarmUpTest {
  /** Works until its deadline, or reports that it has done all at once. */
  private static final class Worker implements Work {
    final List<Long> slices = new ArrayList<>();
    private final boolean endless;

    Worker(boolean endless) {
      this.endless = endless;
    }

    @Override
    public long run(long records, long deadlineNanos) {
      slices.add(records);
      while (endless && System.nanoTime() - deadlineNanos < 0) {
        Thread.onSpinWait();
      }
      return endless ? 1 : records;
    }

    @Override
    public long progress() {
      return 0;
    }

    @Override
    public long checksum() {
      return 0;
    }

    @Override
    public Histogram latency() {
      return new Histogram(2);
    }

    @Override
    public void close() {
      // nothing is open
    }
  }

  @Test
  void theWholeWarmUpIsDoneInSlicesUntilTheCompilerRests() throws Exception {
    Worker worker = new Worker(false);

    long done = WarmUp.run(worker::run, 400, 0);

    assertThat(worker.slices).hasSizeBetween(4, 16).containsOnly(100L);
    assertThat(done).isEqualTo(100L * worker.slices.size());
  }

  @Test
  void aBoundEndsItBeforeThat() throws Exception {
    Worker worker = new Worker(true);

    long done = WarmUp.run(worker::run, 400, 5);

    assertThat(worker.slices).hasSize(1);
    assertThat(done).isEqualTo(1);
  }
}
