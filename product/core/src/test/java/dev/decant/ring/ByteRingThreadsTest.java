package dev.decant.ring;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A producer and a consumer stream records of different lengths through a small ring. */
@Timeout(60)
class ByteRingThreadsTest {
  private static final int CAPACITY = 256;
  private static final int RECORDS = 200_000;
  private static final int LENGTH_BYTES = Integer.BYTES;
  /** A length that marks the rest before the end of the memory. */
  private static final int PADDING = -1;
  private static final int MAX_WORDS = 16;

  private final ByteRing ring = new ByteRing(CAPACITY);
  private final ByteBuffer memory = ByteBuffer.allocateDirect(CAPACITY);

  /** Writes a record whose words all have its number. */
  private void put(int number, int words) {
    int bytes = LENGTH_BYTES + words * Integer.BYTES;
    long claim = ring.claim(bytes);
    while (claim == ByteRing.NO_ROOM) {
      Thread.onSpinWait();
      claim = ring.claim(bytes);
    }
    long tail = ring.producerTail();
    if (claim != tail) {
      memory.putInt(ring.index(tail), PADDING);
    }
    int at = ring.index(claim);
    memory.putInt(at, words);
    for (int i = 1; i <= words; i++) {
      memory.putInt(at + i * Integer.BYTES, number);
    }
    ring.publish(claim + bytes);
  }

  /** Reads all published records. Returns the number that follows; adds what is wrong to a list. */
  private int takeAll(int expected, List<String> wrong) {
    int number = expected;
    long p = ring.consumerHead();
    long end = ring.tail();
    while (p < end) {
      int at = ring.index(p);
      int words = memory.getInt(at);
      if (words == PADDING) {
        p += CAPACITY - at;
        continue;
      }
      for (int i = 1; i <= words; i++) {
        int word = memory.getInt(at + i * Integer.BYTES);
        if (word != number && wrong.size() < 10) {
          wrong.add("record " + number + " has " + word + " at " + i + " of " + words);
        }
      }
      number++;
      p += LENGTH_BYTES + (long) words * Integer.BYTES;
      ring.release(p);
    }
    return number;
  }

  @Test
  void everyRecordArrivesOnceWholeAndInOrder() throws Exception {
    long seed = System.nanoTime();
    CompletableFuture<Void> produced = CompletableFuture.runAsync(() -> {
      Random random = new Random(seed);
      for (int i = 0; i < RECORDS; i++) {
        put(i, 1 + random.nextInt(MAX_WORDS));
      }
    }, task -> Thread.ofPlatform().start(task));
    List<String> wrong = new ArrayList<>();
    int next = 0;
    while (next < RECORDS && wrong.isEmpty() && !produced.isCompletedExceptionally()) {
      int taken = takeAll(next, wrong);
      if (taken == next) {
        Thread.onSpinWait();
      }
      next = taken;
    }
    assertThat(wrong).as("seed %d", seed).isEmpty();
    produced.get(30, TimeUnit.SECONDS);
    assertThat(next).isEqualTo(RECORDS);
    assertThat(ring.size()).isZero();
  }
}
