package dev.decant.kafka.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class RetryBackoffTest {
  private static final int SAMPLES = 200;

  private final RetryBackoff backoff = new RetryBackoff(100, 1_000);

  @Test
  void eachWaitIsTwiceTheOneBeforeUpToTheBoundMoreOrLessAFifth() {
    long[] plain = {100, 200, 400, 800, 1_000, 1_000};
    for (int failures = 1; failures <= plain.length; failures++) {
      for (int i = 0; i < SAMPLES; i++) {
        assertThat(backoff.nanos(failures, i)).isBetween(plain[failures - 1] * 8 / 10, plain[failures - 1] * 12 / 10);
      }
    }
    assertThat(backoff.nanos(Integer.MAX_VALUE, SAMPLES)).isBetween(800L, 1_200L);
  }

  @Test
  void waitsOfClientsThatFailNanosecondsApartLieAllOverTheFifth() {
    long[] waits = IntStream.range(0, SAMPLES).mapToLong(i -> backoff.nanos(5, i)).toArray();
    assertThat(LongStream.of(waits).min().orElseThrow()).isLessThan(850);
    assertThat(LongStream.of(waits).max().orElseThrow()).isGreaterThan(1_150);
    assertThat(LongStream.of(waits).average().orElseThrow()).isCloseTo(1_000, Offset.offset(20.0));
  }

  @Test
  void waitAfterAFailureOfTheSameTimeIsTheSame() {
    assertThat(backoff.nanos(2, 77)).isEqualTo(backoff.nanos(2, 77));
  }

  @Test
  void noBackoffIsNone() {
    assertThat(new RetryBackoff(0, 0).nanos(3, 1)).isZero();
  }
}
