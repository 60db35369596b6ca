package dev.decant.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Records get room in one piece, in order, and never over a record that the consumer still reads. */
@Timeout(60)
class ByteRingTest {
  private static final int CAPACITY = 64;

  private final ByteRing ring = new ByteRing(CAPACITY);

  /** Publishes a record. Returns its position, or NO_ROOM. */
  private long put(int bytes) {
    long claim = ring.claim(bytes);
    if (claim != ByteRing.NO_ROOM) {
      ring.publishVolatile(claim + bytes);
    }
    return claim;
  }

  @Test
  void recordsFollowEachOtherUntilTheRingIsFull() {
    assertThat(put(24)).isZero();
    assertThat(put(40)).isEqualTo(24);
    assertThat(ring.size()).isEqualTo(CAPACITY);
    assertThat(put(8)).isEqualTo(ByteRing.NO_ROOM);

    ring.release(24);

    assertThat(put(24)).isEqualTo(CAPACITY);
    assertThat(ring.index(CAPACITY)).isZero();
    assertThat(put(8)).isEqualTo(ByteRing.NO_ROOM);
  }

  @Test
  void recordThatDoesNotFitBeforeTheEndBeginsAtTheStart() {
    put(40);
    ring.release(40);

    assertThat(ring.claim(32)).isEqualTo(CAPACITY);
    assertThat(ring.producerTail()).isEqualTo(40); // 24 bytes are skipped
    assertThat(ring.claim(24)).isEqualTo(40);
  }

  /** The skipped bytes count: otherwise the record at the start would overwrite one that is still read. */
  @Test
  void skippedBytesNeedRoomToo() {
    put(40);
    ring.release(24);

    assertThat(ring.claim(32)).isEqualTo(ByteRing.NO_ROOM);
    ring.release(32);
    assertThat(ring.claim(32)).isEqualTo(CAPACITY);
  }

  @Test
  void abandonedClaimLeavesNoTrace() {
    put(16);
    assertThat(ring.claim(40)).isEqualTo(16);

    assertThat(ring.tail()).isEqualTo(16);
    assertThat(ring.size()).isEqualTo(16);
    assertThat(put(48)).isEqualTo(16);
  }

  @Test
  void emptyRingHasRoomForHalfOfItAtAnyPosition() {
    for (int i = 0; i < CAPACITY; i++) {
      ByteRing at = new ByteRing(CAPACITY, i, i);
      assertThat(at.claim(CAPACITY / 2)).as("from %d", i).isGreaterThanOrEqualTo(i);
    }
  }

  @Test
  void numberOfUsedBytesIsExactAboveTheLimit() {
    put(32);
    ring.release(32);

    assertThat(ring.used(32)).isEqualTo(32); // no exact number is needed
    assertThat(ring.used(31)).isZero();
    assertThat(ring.used(0)).isZero();
  }

  @Test
  void ringThatWasLeftByAnotherProcessHasItsRecords() {
    ByteRing left = new ByteRing(CAPACITY, 1_000, 1_040);

    assertThat(left.size()).isEqualTo(40);
    assertThat(left.consumerHead()).isEqualTo(1_000);
    assertThat(left.claim(32)).isEqualTo(ByteRing.NO_ROOM);
    left.release(1_040);
    assertThat(left.claim(32)).isEqualTo(1_040);
  }

  @Test
  void capacityIsAPowerOfTwo() {
    assertThatThrownBy(() -> new ByteRing(48)).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("48");
    assertThatThrownBy(() -> new ByteRing(Integer.MIN_VALUE)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new ByteRing(0)).isInstanceOf(IllegalArgumentException.class);
  }

  /** A model keeps the place of each record. No two that are not released overlap. */
  @RepeatedTest(20)
  void randomRecordsNeverOverlap() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    ArrayDeque<long[]> waiting = new ArrayDeque<>();
    boolean[] used = new boolean[CAPACITY];
    for (int step = 0; step < 2_000; step++) {
      if (random.nextBoolean()) {
        int bytes = 1 + random.nextInt(CAPACITY / 2);
        long claim = ring.claim(bytes);
        assertThat(claim != ByteRing.NO_ROOM || !waiting.isEmpty()).as("room in an empty ring, seed %d", seed).isTrue();
        if (claim != ByteRing.NO_ROOM && random.nextInt(4) > 0) { // otherwise the claim is abandoned
          for (int i = 0; i < bytes; i++) {
            int index = ring.index(claim) + i;
            assertThat(used[index]).as("index %d is in use, seed %d, step %d", index, seed, step).isFalse();
            used[index] = true;
          }
          waiting.add(new long[] {claim, claim + bytes});
          ring.publish(claim + bytes);
        }
      } else if (!waiting.isEmpty()) {
        long[] oldest = waiting.remove();
        for (long p = oldest[0]; p < oldest[1]; p++) {
          used[ring.index(p)] = false;
        }
        ring.release(oldest[1]);
        assertThat(ring.head()).isEqualTo(oldest[1]);
      }
    }
  }
}
