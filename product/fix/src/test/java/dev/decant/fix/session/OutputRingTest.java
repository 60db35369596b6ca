package dev.decant.fix.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages pass through an output whose memory follows the waiting messages, from a pool and within a limit. */
@Timeout(60)
class OutputRingTest {
  private static final int SMALL = 64;
  private static final int LARGE = 256;
  private static final int CAPACITY = 2_048;

  private final ChunkPool pool = new ChunkPool(SMALL, LARGE, 1 << 20);
  private final OutputRing ring = new OutputRing(CAPACITY, pool);

  private boolean publish(OutputRing to, int number, int bytes, int reserve) {
    int at = to.claim(bytes, reserve);
    if (at == OutputRing.NO_ROOM) {
      return false;
    }
    for (int i = 0; i < bytes; i++) {
      to.memory().put(at + i, (byte) number);
    }
    to.publish(bytes);
    return true;
  }

  private static List<Byte> bytes(ByteBuffer slice) {
    List<Byte> all = new ArrayList<>();
    for (int i = slice.position(); i < slice.limit(); i++) {
      all.add(slice.get(i));
    }
    return all;
  }

  @Test
  void outputThatKeepsUpStaysInOneSmallChunk() {
    for (int i = 0; i < 100; i++) {
      assertThat(publish(ring, i, 40, 0)).isTrue();
      assertThat(bytes(ring.takeSlice())).hasSize(40).containsOnly((byte) i);
      ring.sliceWritten();
    }
    assertThat(pool.keptBytes()).isZero();
    ring.shrink();
    assertThat(pool.keptBytes()).isEqualTo(SMALL);
  }

  /** The first output of a session after a pause takes what another one has given back. */
  @Test
  void memoryOfABacklogGoesBackToThePoolAndServesTheNextOne() {
    int sent = 0;
    while (publish(ring, sent, 100, 0)) {
      sent++;
    }
    assertThat(sent).isEqualTo(CAPACITY / 100);
    assertThat(ring.waitingBytes()).isEqualTo(2_000);
    while (ring.hasSlice()) {
      ring.takeSlice();
      ring.sliceWritten();
    }
    ring.shrink();
    long kept = pool.keptBytes();
    assertThat(kept).isBetween(2_000L, 2L * CAPACITY);
    OutputRing other = new OutputRing(CAPACITY, pool);
    for (int i = 0; i < sent; i++) {
      publish(other, i, 100, 0);
    }
    other.clear();
    assertThat(pool.keptBytes()).isEqualTo(kept);
  }

  /** A message may be as long as the bound, and leaves a chunk of its own. */
  @Test
  void messageThatIsLargerThanAnyChunkPasses() {
    publish(ring, 1, 10, 0);
    assertThat(publish(ring, 2, 1_500, 100)).isTrue();
    assertThat(publish(ring, 3, 600, 0)).isFalse();
    assertThat(bytes(ring.takeSlice())).hasSize(10).containsOnly((byte) 1);
    ring.sliceWritten();
    assertThat(bytes(ring.takeSlice())).hasSize(1_500).containsOnly((byte) 2);
    ring.sliceWritten();
    assertThat(publish(ring, 4, CAPACITY, 100)).as("an empty ring takes all that it can hold").isTrue();
    ring.takeSlice();
    ring.sliceWritten();
    assertThat(ring.isEmpty()).isTrue();
  }

  @Test
  void claimThatIsGivenUpCostsNothing() {
    publish(ring, 1, 60, 0);
    for (int i = 0; i < 10; i++) {
      assertThat(ring.claim(200, 0)).isZero();
    }
    assertThat(pool.keptBytes()).isZero();
    ring.clear();
    assertThat(pool.keptBytes()).isEqualTo(SMALL + LARGE);
  }

  /** What waits does not show while it is held back, and memory is not given back under it. */
  @Test
  void heldMessagesStay() {
    publish(ring, 1, 40, 0);
    ring.hold();
    for (int i = 2; i < 12; i++) {
      publish(ring, i, 40, 0);
    }
    assertThat(bytes(ring.takeSlice())).hasSize(40).containsOnly((byte) 1);
    ring.sliceWritten();
    assertThat(ring.hasSlice()).isFalse();
    ring.shrink();
    ring.release();
    List<Byte> rest = new ArrayList<>();
    while (ring.hasSlice()) {
      rest.addAll(bytes(ring.takeSlice()));
      ring.sliceWritten();
    }
    assertThat(rest).hasSize(400).startsWith((byte) 2).endsWith((byte) 11);
  }

  /** A hold outlasts the time in which nothing waits: what comes then is still held back. */
  @Test
  void shrinkingKeepsTheHold() {
    ring.hold();
    ring.shrink();
    publish(ring, 1, 40, 0);
    assertThat(ring.hasSlice()).isFalse();
    ring.release();
    assertThat(ring.hasSlice()).isTrue();
  }

  @RepeatedTest(50)
  void anyOrderOfStepsKeepsTheMessages() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    ArrayDeque<Byte> expected = new ArrayDeque<>();
    boolean held = false;
    int number = 0;
    for (int step = 0; step < 2_000; step++) {
      switch (random.nextInt(10)) {
        case 0 -> ring.shrink();
        case 1 -> {
          held = !held;
          if (held) {
            ring.hold();
          } else {
            ring.release();
          }
        }
        case 2 -> ring.claim(1 + random.nextInt(300), 0);
        case 3, 4, 5 -> take(random.nextInt(4) == 0, expected, seed);
        case 6 -> {
          if (random.nextInt(20) == 0) {
            checkRest(expected, seed);
            expected.clear();
            held = false;
          }
        }
        default -> {
          int bytes = 1 + random.nextInt(1 << random.nextInt(10));
          if (publish(ring, ++number, bytes, 16)) {
            for (int i = 0; i < bytes; i++) {
              expected.add((byte) number);
            }
          }
        }
      }
      assertThat(ring.waitingBytes()).as("seed %d", seed).isEqualTo(expected.size()).isLessThanOrEqualTo(CAPACITY);
    }
  }

  private void take(boolean isPutBack, ArrayDeque<Byte> expected, long seed) {
    if (!ring.hasSlice()) {
      return;
    }
    List<Byte> taken = bytes(ring.takeSlice());
    if (isPutBack) {
      ring.putBack();
      return;
    }
    for (byte next : taken) {
      assertThat(next).as("seed %d", seed).isEqualTo(expected.poll());
    }
    ring.sliceWritten();
  }

  private void checkRest(ArrayDeque<Byte> expected, long seed) {
    List<ByteBuffer> rest = new ArrayList<>();
    ring.release();
    ring.addRest(rest, ring.restFrom());
    List<Byte> all = new ArrayList<>();
    rest.forEach(part -> all.addAll(bytes(part)));
    assertThat(all).as("seed %d", seed).containsExactlyElementsOf(expected);
    ring.clear();
  }
}
