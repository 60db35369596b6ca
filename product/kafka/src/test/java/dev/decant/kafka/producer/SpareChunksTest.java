package dev.decant.kafka.producer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each topic kept the chunks of its peak, of each size, as long as its producer was open. */
class SpareChunksTest {
  private static final int SMALL = 2 * 1024;
  private static final int LARGE = 64 * 1024;
  private static final int MOST = 4 * LARGE;

  private final SpareChunks spare = new SpareChunks(MOST);

  private void giveBytes(int bytes, int capacity) {
    for (int i = 0; i < bytes / capacity; i++) {
      spare.give(new Chunk(), capacity);
    }
  }

  @Test
  void aChunkIsUsedAgainForMemoryOfItsSizeAlone() {
    Chunk chunk = new Chunk();
    spare.give(chunk, SMALL);
    assertThat(spare.take(LARGE)).isNull();
    assertThat(spare.take(SMALL)).isSameAs(chunk);
    assertThat(spare.take(SMALL)).isNull();
    assertThat(spare.bytes()).isZero();
  }

  @Test
  void noMoreIsKeptThanTheBoundWhateverTheSizes() {
    giveBytes(3 * MOST, SMALL);
    assertThat(spare.bytes()).isEqualTo(MOST);
    giveBytes(3 * MOST, LARGE);
    assertThat(spare.bytes()).isEqualTo(MOST);
    giveBytes(SMALL, SMALL);
    assertThat(spare.bytes()).isLessThanOrEqualTo(MOST);
  }

  @Test
  void chunksOfASizeThatIsNotUsedAnyMoreGiveWay() {
    giveBytes(MOST, SMALL);
    List<Chunk> large = new ArrayList<>();
    for (int i = 0; i < MOST / LARGE; i++) {
      large.add(new Chunk());
      spare.give(large.getLast(), LARGE);
    }
    assertThat(spare.take(SMALL)).isNull();
    for (int i = large.size() - 1; i >= 0; i--) { // the one that was used last is in the processor's cache
      assertThat(spare.take(LARGE)).isSameAs(large.get(i));
    }
  }
}
