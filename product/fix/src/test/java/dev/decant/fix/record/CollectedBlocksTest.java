package dev.decant.fix.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fix.store.Await;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Memory that the garbage collector frees is limited on any Java release: at the limit, a collection is requested. */
@Timeout(60)
class CollectedBlocksTest {
  /** Small blocks, which count as more. */
  private static final int BLOCK = Integer.BYTES;
  private static final int ALLOWED_BLOCKS = (int) (CollectedBlocks.ALLOWED_BYTES / CollectedBlocks.MIN_BLOCK_BYTES);

  private final AtomicInteger collections = new AtomicInteger();
  private final CollectedBlocks collecting = new CollectedBlocks(() -> {
    collections.incrementAndGet();
    System.gc();
  });
  /** As with -XX:+DisableExplicitGC. */
  private final CollectedBlocks refusing = new CollectedBlocks(collections::incrementAndGet);

  private record Owner(CollectedMemory memory, ByteBuffer buffer) {}

  private static ByteBuffer openAndClose(CollectedBlocks blocks, int bytes) {
    try (CollectedMemory memory = new CollectedMemory(blocks)) {
      return memory.allocate(bytes);
    }
  }

  /** The JDK's own thread hands a collection's result over, and may get no processor for a while. */
  private void awaitBounded() {
    Await.until("closed memory is within the bound",
        () -> collecting.closedBytes() <= CollectedBlocks.ALLOWED_BYTES);
  }

  @Test
  void closedMemoryIsBounded() {
    for (int i = 0; i < 4 * ALLOWED_BLOCKS; i++) {
      openAndClose(collecting, BLOCK);
      awaitBounded();
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
  void largeBlockCountsWithItsBytesAndASmallOneWithMore() {
    List<ByteBuffer> kept = new ArrayList<>();
    kept.add(openAndClose(refusing, 3 << 20));
    kept.add(openAndClose(refusing, 1));
    assertThat(refusing.closedBytes()).isEqualTo((3 << 20) + CollectedBlocks.MIN_BLOCK_BYTES);
    assertThat(kept).hasSize(2);
  }

  @Test
  void asMuchMayBeClosedAsIsOpen() {
    Deque<Owner> open = new ArrayDeque<>();
    for (int i = 0; i < 4 * ALLOWED_BLOCKS; i++) {
      CollectedMemory memory = new CollectedMemory(collecting);
      open.add(new Owner(memory, memory.allocate(BLOCK)));
    }
    while (!open.isEmpty()) {
      open.remove().memory.close();
    }
    // after a half, and after half of the rest
    assertThat(collections.get()).isBetween(1, 4);
    awaitBounded();
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
    for (int i = 0; i < 3 * ALLOWED_BLOCKS; i++) {
      kept.add(openAndClose(refusing, BLOCK));
    }
    assertThat(collections.get()).isBetween(1, 3);
    assertThat(kept).hasSize(3 * ALLOWED_BLOCKS);
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
      new CollectedMemory(collecting).allocate(BLOCK);
    }
    Await.until("the collection of what was open", () -> {
      System.gc();
      return collecting.openBytes() == 0;
    });
    assertThat(collecting.closedBytes()).isZero();
  }
}
