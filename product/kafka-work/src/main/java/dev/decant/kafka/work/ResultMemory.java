package dev.decant.kafka.work;

import dev.decant.buffer.BufferPool;
import dev.decant.buffer.PooledBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Holds results until their transaction ends. Any thread. Handlers must not wait for this memory, because transactions
 * give it back and wait for handlers. If the pool has no room, results are allocated on the heap, and the loop takes no
 * records meanwhile ({@link RecordMemory#addResults}).
 */
final class ResultMemory implements AutoCloseable {
  private static final int SMALLEST = 1024;

  private final BufferPool pool;
  private final int mostBytes;

  ResultMemory(long mostBytes) {
    this.mostBytes = (int) Math.min(Math.max(mostBytes, SMALLEST), 1 << 30);
    this.pool = new BufferPool(this.mostBytes, SMALLEST);
  }

  /** The most bytes that the results of one record may take. */
  int mostBytes() {
    return mostBytes;
  }

  /** Returns memory of the pool; null if the pool has none. */
  @Nullable
  PooledBuffer tryLease(int bytes) {
    return bytes > pool.largestLeaseBytes() ? null : pool.tryLease(bytes);
  }

  long leasedBytes() {
    return pool.leasedBytes();
  }

  @Override
  public void close() {
    if (pool.leasedBytes() == 0) { // else a handler may still write, and the garbage collector frees the memory
      pool.close();
    }
  }
}
