package dev.decant.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class TimeoutsTest {
  private static final Duration HUGE = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);

  @Test
  void durationsOfUsualLengthAreExact() {
    assertThat(Timeouts.nanos(Duration.ofNanos(1_234_567))).isEqualTo(1_234_567);
    assertThat(Timeouts.millis(Duration.ofNanos(1_999_999))).isEqualTo(1);
    assertThat(Timeouts.millis(Duration.ofSeconds(-2))).isEqualTo(-2_000);
    assertThat(Timeouts.deadline(5, Duration.ofNanos(7))).isEqualTo(12);
  }

  @Test
  void durationsBeyondCountingNeverEnd() {
    assertThat(Timeouts.nanos(HUGE)).isEqualTo(Timeouts.FOR_EVER);
    assertThat(Timeouts.nanos(HUGE.negated())).isEqualTo(-Timeouts.FOR_EVER);
    assertThat(Timeouts.millis(HUGE)).isEqualTo(Timeouts.FOR_EVER / 1_000_000);
  }

  @Test
  void deadlinesFarAheadStandInOrderWhateverTheClockBeganWith() {
    for (long now : new long[] {0, Long.MAX_VALUE - 1, Long.MIN_VALUE}) {
      assertThat(Timeouts.deadline(now, HUGE) - now).isPositive();
      assertThat(Timeouts.deadline(now, HUGE.negated()) - now).isNegative();
    }
  }
}
