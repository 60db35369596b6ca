package dev.decant.kafka.producer;

import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Chunks that wait for another use, for all producers of a client. A topic leaves its chunks to the others after its
 * peak. Any thread.
 *
 * <p>A chunk keeps arrays for its records, up to about twice as large as its memory was. Chunks are therefore kept by
 * the size of that memory, as a power of two: a small chunk would have to grow in a large batch. The memory that all
 * kept chunks had is bounded. If sizes change, chunks of the most frequent size are dropped.
 */
final class SpareChunks {
  private final List<ArrayDeque<Chunk>> chunks = Stream.generate(ArrayDeque<Chunk>::new).limit(Integer.SIZE).toList();
  private final long mostBytes;
  /** Memory that the kept chunks had. */
  private final AtomicLong bytes = new AtomicLong();

  /**
   * Begins without chunks.
   *
   * @param mostBytes bound of the memory that all kept chunks had
   */
  SpareChunks(long mostBytes) {
    this.mostBytes = mostBytes;
  }

  private static int sizeClass(int capacity) {
    return Integer.SIZE - 1 - Integer.numberOfLeadingZeros(capacity);
  }

  /** Takes a chunk for memory of this size; null if none is kept. */
  @Nullable
  Chunk take(int capacity) {
    return takeOfClass(sizeClass(capacity), true);
  }

  private @Nullable Chunk takeOfClass(int sizeClass, boolean last) {
    ArrayDeque<Chunk> spare = chunks.get(sizeClass);
    Chunk chunk;
    synchronized (spare) {
      chunk = last ? spare.pollLast() : spare.pollFirst();
    }
    if (chunk != null) {
      bytes.addAndGet(-(1L << sizeClass));
    }
    return chunk;
  }

  /** Keeps or drops a chunk without memory, which had {@code capacity} bytes. */
  void give(Chunk chunk, int capacity) {
    int own = sizeClass(capacity);
    long size = 1L << own;
    if (bytes.addAndGet(size) > mostBytes && !makeRoom(own)) {
      bytes.addAndGet(-size);
      return;
    }
    ArrayDeque<Chunk> spare = chunks.get(own);
    synchronized (spare) {
      spare.addLast(chunk);
    }
  }

  /** Drops chunks of other sizes, those that were used longest ago first. */
  private boolean makeRoom(int own) {
    while (bytes.get() > mostBytes) {
      int fullest = own;
      long most = 0;
      for (int c = 0; c < chunks.size(); c++) {
        long kept = c == own ? 0 : keptBytes(c);
        if (kept > most) {
          most = kept;
          fullest = c;
        }
      }
      if (fullest == own || takeOfClass(fullest, false) == null) {
        return false;
      }
    }
    return true;
  }

  private long keptBytes(int sizeClass) {
    ArrayDeque<Chunk> spare = chunks.get(sizeClass);
    synchronized (spare) {
      return (long) spare.size() << sizeClass;
    }
  }

  /** Memory that the kept chunks had. */
  long bytes() {
    return bytes.get();
  }
}
