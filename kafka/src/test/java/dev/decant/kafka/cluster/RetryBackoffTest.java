package dev.decant.kafka.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RetryBackoffTest {
  private static final int SAMPLES = 200;

  private final RetryBackoff backoff = new RetryBackoff(100, 1_000);

  @Test
  void eachWaitIsTwiceTheOneBeforeUpToTheBoundMoreOrLessAFifth() {
    long[] plain = {100, 200, 400, 800, 1_000, 1_000};
    for (int failures = 1; failures <= plain.length; failures++) {
      for (int i = 0; i < SAMPLES; i++) {
        assertThat(backoff.nanos(failures)).isBetween(plain[failures - 1] * 8 / 10, plain[failures - 1] * 12 / 10);
      }
    }
    assertThat(backoff.nanos(Integer.MAX_VALUE)).isBetween(800L, 1_200L);
  }

  @Test
  void waitsDiffer() {
    assertThat(java.util.stream.IntStream.range(0, SAMPLES).mapToLong(i -> backoff.nanos(5)).distinct().count())
        .isGreaterThan(1);
  }

  @Test
  void noBackoffIsNone() {
    assertThat(new RetryBackoff(0, 0).nanos(3)).isZero();
  }
}
