package dev.decant.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.time.Clock;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Measures of how long a loop waits and works. */
@Timeout(30)
class LoopTimesTest {
  /** A clock whose readings are a millisecond apart. */
  private static final class TickingClock implements Clock {
    private final AtomicLong nanos = new AtomicLong();

    @Override
    public long nanoTime() {
      return nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(1));
    }

    @Override
    public long epochMillis() {
      return 0;
    }
  }

  private final TickingClock clock = new TickingClock();

  @Test
  void timeIsWaitingWhileTheOwnerRestsAndWorkOtherwise() {
    LoopTimes times = new LoopTimes();
    times.start();
    times.runs(clock.nanoTime());
    times.runs(clock.nanoTime() + 2_000_000);
    assertThat(times.busyNanos()).isEqualTo(3_000_000);
    clock.nanos.addAndGet(2_000_000);
    times.rests(clock);
    assertThat(times.busyNanos()).isEqualTo(4_000_000);
    times.runs(clock.nanoTime() + 9_000_000);
    times.polled();
    assertThat(times.waitNanos()).isEqualTo(10_000_000);
    assertThat(times.busyNanos()).isEqualTo(4_000_000);
    assertThat(times.polls()).isEqualTo(1);
  }

  @Test
  void nothingIsMeasuredAndNoClockIsReadUnlessSomebodyAsks() {
    LoopTimes times = new LoopTimes();
    times.runs(1);
    times.rests(clock);
    times.polled();
    times.runs(5);
    assertThat(clock.nanos).hasValue(0);
    assertThat(times.waitNanos() + times.busyNanos() + times.polls()).isZero();
  }

  @Test
  void loopTellsItsSleepsFromItsWork() throws InterruptedException {
    try (EventLoop loop = EventLoop.withoutThread("measured", clock)) {
      loop.times().start();
      AtomicInteger fired = new AtomicInteger();
      AtomicInteger looks = new AtomicInteger();
      loop.execute(() -> loop.schedule(new Timer(fired::incrementAndGet),
          loop.nowNanos() + TimeUnit.MILLISECONDS.toNanos(8)));
      assertThat(loop.driveUntil(() -> fired.get() > 0 && looks.incrementAndGet() > 0, Long.MAX_VALUE / 2)).isTrue();
      assertThat(loop.times().polls()).isPositive();
      assertThat(loop.times().waitNanos()).as("asleep until the timer was due").isPositive();
      assertThat(loop.times().busyNanos()).as("its task and the timer").isPositive();
      assertThat(loop.times().waitNanos() + loop.times().busyNanos()).isLessThanOrEqualTo(clock.nanos.get());
    }
  }
}
