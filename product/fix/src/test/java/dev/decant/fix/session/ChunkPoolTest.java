package dev.decant.fix.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fix.session.ChunkPool.Chunk;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Two thousand sessions of a loop that got no processor for a while fell behind together. Each took 64 KiB for twenty
 * messages. The pool kept 256 of these chunks, and the garbage collector got the others, each time anew.
 */
class ChunkPoolTest {
  private static final int SESSIONS = 3_000;
  private static final int SMALL = 4 * 1024;
  private static final int LARGE = 64 * 1024;
  private static final int MESSAGE = 200;

  private final ChunkPool pool = new ChunkPool(() -> SESSIONS);

  private static OutputRing ringWith(ChunkPool pool, int messages) {
    OutputRing ring = new OutputRing(1 << 20, pool);
    for (int i = 0; i < messages; i++) {
      assertThat(ring.claim(MESSAGE, 0)).isNotEqualTo(OutputRing.NO_ROOM);
      ring.publish(MESSAGE);
    }
    return ring;
  }

  private List<OutputRing> allFallBehind() {
    List<OutputRing> rings = new ArrayList<>();
    for (int i = 0; i < SESSIONS; i++) {
      rings.add(ringWith(pool, 30));
    }
    return rings;
  }

  /** Takes all chunks of a size that the pool has, and one that it makes. */
  private static List<Chunk> chunksOf(ChunkPool pool, int bytes) {
    List<Chunk> chunks = new ArrayList<>();
    long before = pool.keptBytes();
    Chunk taken = pool.take(bytes, 0);
    while (pool.keptBytes() < before) {
      chunks.add(taken);
      before = pool.keptBytes();
      taken = pool.take(bytes, 0);
    }
    return chunks;
  }

  @Test
  void sessionsThatFallBehindTogetherFindTheirMemoryAgain() {
    allFallBehind().forEach(OutputRing::clear);
    long kept = pool.keptBytes();
    assertThat(kept).as("a small chunk and the next size for each").isEqualTo(SESSIONS * 3L * SMALL);
    List<OutputRing> again = allFallBehind();
    assertThat(pool.keptBytes()).as("nothing was made").isZero();
    again.forEach(OutputRing::clear);
    assertThat(pool.keptBytes()).isEqualTo(kept);
  }

  @Test
  void sessionThatStaysBehindTakesLargerChunks() {
    OutputRing ring = ringWith(pool, 2_000);
    ring.clear();
    List<Integer> sizes = new ArrayList<>();
    Set<Chunk> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    for (int bytes = SMALL; bytes <= LARGE; bytes *= 2) {
      for (Chunk chunk : chunksOf(pool, bytes)) {
        assertThat(seen.add(chunk)).isTrue();
        sizes.add(chunk.bytes() / 1024);
      }
    }
    assertThat(sizes).startsWith(4, 8, 16, 32, 64).doesNotContain(128);
    assertThat(sizes.subList(4, sizes.size())).containsOnly(64);
  }

  @Test
  void sizesFollowMessagesAndWhatIsFull() {
    assertThat(pool.take(MESSAGE, 0).bytes()).isEqualTo(SMALL);
    assertThat(pool.take(MESSAGE, SMALL).bytes()).isEqualTo(2 * SMALL);
    assertThat(pool.take(MESSAGE, LARGE).bytes()).isEqualTo(LARGE);
    assertThat(pool.take(MESSAGE, 1 << 30).bytes()).isEqualTo(LARGE);
    assertThat(pool.take(SMALL + 1, 0).bytes()).isEqualTo(2 * SMALL);
    assertThat(pool.take(LARGE + 1, 0).bytes()).isEqualTo(2 * LARGE);
    assertThat(pool.takeLarge(MESSAGE).bytes()).isEqualTo(LARGE);
  }
}
