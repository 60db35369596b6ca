package dev.decant.kafka.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BacklogLimitTest {
  private static final long MIB = 1 << 20;
  private static final long MAX = 32 * MIB;
  private static final long INTERVAL = TimeUnit.MILLISECONDS.toNanos(100);

  private final BacklogLimit limit = new BacklogLimit(MAX, 0);
  private long now;

  /** Runs an interval with a number of batches, of which some were in flight at a time; returns the limit. */
  private long interval(int batches, int atATime, long batchBytes, boolean wanted) {
    for (int i = 0; i < batches; i++) {
      limit.sent(batchBytes, 0);
      if (i >= atATime - 1) {
        limit.finished(batchBytes);
      }
    }
    for (int i = 0; i < Math.min(batches, atATime - 1); i++) {
      limit.finished(batchBytes);
    }
    now += INTERVAL;
    return limit.next(wanted, now);
  }

  @Test
  void sendersThatOutpaceTheBrokersHaveTwiceThePeakInFlightAndTenMillisecondsMore() {
    assertThat(interval(100, 2, MIB / 10, true)).isEqualTo(2 * 2 * (MIB / 10) + 100 * (MIB / 10) / 10);
    assertThat(interval(50, 5, MIB, true)).isEqualTo(2 * 5 * MIB + 50 * MIB / 10);
  }

  @Test
  void itIsNoMoreThanTheBoundAndNoLessThanAMebibyte() {
    assertThat(interval(100, 30, MIB, true)).isEqualTo(MAX);
    assertThat(interval(10, 1, 1000, true)).isEqualTo(MIB);
    assertThat(new BacklogLimit(MIB / 2, 0).next(true, INTERVAL)).as("a bound that is smaller").isEqualTo(MIB / 2);
  }

  @Test
  void allMemoryIsTheLimitIfNobodyWantsMore() {
    assertThat(interval(10, 1, 1000, true)).isEqualTo(MIB);
    assertThat(interval(10, 1, 1000, false)).isEqualTo(MAX);
  }

  @Test
  void allMemoryIsTheLimitWhileBrokersAreSilent() {
    assertThat(interval(10, 1, 1000, true)).isEqualTo(MIB);
    now += 2 * INTERVAL;
    limit.sent(MIB, 0);
    limit.finished(MIB);
    assertThat(limit.isDue(now)).isTrue();
    assertThat(limit.next(true, now)).isEqualTo(MAX);
    assertThat(limit.isDue(now + INTERVAL - 1)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anIntervalMayEndInTheRoundInWhichItBegan(boolean wanted) {
    // The loop reads its clock once a round. The division by no time at all once ended the round in the middle of a
    // batch.
    limit.sent(MIB, 0);
    limit.finished(MIB);
    assertThat(limit.next(wanted, 0)).isLessThanOrEqualTo(MAX);
    assertThat(limit.next(wanted, 0)).isEqualTo(wanted ? MIB : MAX);
  }

  @Test
  void eachPartitionHasABatch() {
    limit.sent(MIB, 6 * MIB);
    assertThat(limit.next(true, INTERVAL)).isEqualTo(2 * MIB + 6 * MIB);
    assertThat(limit.next(true, 2 * INTERVAL)).as("one that nothing is sent to").isEqualTo(2 * MIB);
  }

  @Test
  void bytesStillInFlightCountInTheNextInterval() {
    limit.sent(4 * MIB, 0);
    limit.next(true, INTERVAL);
    limit.finished(4 * MIB);
    assertThat(limit.next(true, 2 * INTERVAL)).isEqualTo(2 * 4 * MIB + 4 * MIB / 10);
    assertThat(limit.next(true, 3 * INTERVAL)).isEqualTo(MIB);
  }
}
