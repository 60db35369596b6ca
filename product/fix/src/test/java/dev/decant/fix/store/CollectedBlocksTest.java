package dev.decant.fix.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is held of memory that the collector gives back, on any Java release: when a collection is asked for. */
@Timeout(60)
class CollectedBlocksTest {
  private static final int BLOCK = 8 << 20;
  private static final int ALLOWED_BLOCKS = (int) (CollectedBlocks.ALLOWED_BYTES / BLOCK);
  private static final int ALLOWED_SMALL_BLOCKS = (int) (CollectedBlocks.ALLOWED_BYTES
      / CollectedBlocks.MIN_BLOCK_BYTES);

  private final AtomicInteger collections = new AtomicInteger();
  private final CollectedBlocks collecting = new CollectedBlocks(() -> {
    collections.incrementAndGet();
    System.gc();
  });
  /** As with -XX:+DisableExplicitGC. */
  private final CollectedBlocks refusing = new CollectedBlocks(collections::incrementAndGet);

  private static ByteBuffer openAndClose(CollectedBlocks blocks, int bytes) {
    try (CollectedMemory memory = new CollectedMemory(blocks)) {
      return memory.allocate(bytes);
    }
  }

  @Test
  void closedMemoryIsBounded() {
    for (int i = 0; i < 4 * ALLOWED_BLOCKS; i++) {
      openAndClose(collecting, BLOCK);
      assertThat(collecting.closedBytes()).isLessThanOrEqualTo(CollectedBlocks.ALLOWED_BYTES);
    }
    assertThat(collections.get()).isBetween(1, 4);
  }

  @Test
  void littleClosedMemoryCausesNoCollection() {
    for (int i = 0; i < ALLOWED_BLOCKS; i++) {
      openAndClose(collecting, BLOCK);
    }
    assertThat(collections.get()).isZero();
  }

  @Test
  void smallBlocksAreBoundedInNumber() {
    for (int i = 0; i < 3 * ALLOWED_SMALL_BLOCKS; i++) {
      openAndClose(collecting, 1);
      assertThat(collecting.closedBytes()).isLessThanOrEqualTo(CollectedBlocks.ALLOWED_BYTES);
    }
    assertThat(collections.get()).isBetween(1, 3);
  }

  @Test
  void asMuchMayBeClosedAsIsOpen() {
    Deque<CollectedMemory> open = new ArrayDeque<>();
    Deque<ByteBuffer> buffers = new ArrayDeque<>();
    for (int i = 0; i < 4 * ALLOWED_SMALL_BLOCKS; i++) {
      CollectedMemory memory = new CollectedMemory(collecting);
      buffers.add(memory.allocate(1));
      open.add(memory);
    }
    while (!open.isEmpty()) {
      assertThat(buffers.remove().capacity()).isEqualTo(1);
      open.remove().close();
    }
    // after a half, and after half of the rest
    assertThat(collections.get()).isBetween(1, 4);
    assertThat(collecting.closedBytes()).isLessThanOrEqualTo(CollectedBlocks.ALLOWED_BYTES);
  }

  /** Memory that was collected first was once counted as closed for ever. */
  @Test
  void memoryThatWasCollectedBeforeItsOwnerWasClosedIsNotCounted() {
    CollectedMemory owner = new CollectedMemory(collecting);
    owner.allocate(BLOCK);
    Await.until("the collection of what was open", () -> {
      System.gc();
      return collecting.openBytes() == 0;
    });
    owner.close();
    assertThat(collecting.closedBytes()).isZero();
    assertThat(collecting.openBytes()).isZero();
  }

  @Test
  void collectionsInVainBecomeRare() {
    List<ByteBuffer> kept = new ArrayList<>();
    try {
      for (int i = 0; i < 3 * ALLOWED_SMALL_BLOCKS; i++) {
        kept.add(openAndClose(refusing, 1));
      }
      assertThat(collections.get()).isBetween(1, 3);
    } finally {
      Reference.reachabilityFence(kept);
    }
  }

  @Test
  void memoryThatWasKeptHasNoOtherOwnerLater() {
    ByteBuffer kept = openAndClose(collecting, BLOCK);
    kept.putInt(0, 42);
    for (int i = 0; i < 2 * ALLOWED_BLOCKS; i++) {
      openAndClose(collecting, BLOCK).putInt(0, 1);
    }
    assertThat(kept.getInt(0)).isEqualTo(42);
    assertThat(collections.get()).isPositive();
  }

  @Test
  void ownerThatWasNeverClosedIsForgotten() {
    for (int i = 0; i < 2 * ALLOWED_BLOCKS; i++) {
      new CollectedMemory(collecting).allocate(BLOCK / 4);
    }
    Await.until("the collection of what was open", () -> {
      System.gc();
      return collecting.openBytes() == 0;
    });
    assertThat(collecting.closedBytes()).isZero();
  }
}
