package dev.decant.kafka.work;

import dev.decant.buffer.BufferPool;
import dev.decant.buffer.PooledBuffer;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Memory that copies of records share. It goes back to the pool when the last of them is done. The loop only. */
final class RecordPage {
  /** Size of a page; a larger record has a page of its own. */
  static final int BYTES = 64 * 1024;

  final ByteBuffer memory;
  private final @Nullable PooledBuffer lease;
  private int used;
  private int live;

  private RecordPage(ByteBuffer memory, @Nullable PooledBuffer lease) {
    this.memory = memory;
    this.lease = lease;
  }

  /** Returns a page with room for a record of {@code bytes}; null if the pool has no memory. */
  static @Nullable RecordPage open(BufferPool pool, int bytes) {
    PooledBuffer lease = bytes <= BYTES ? pool.tryLease(BYTES) : pool.tryLeaseLarge(bytes);
    return lease == null ? null : new RecordPage(lease.buffer(), lease);
  }

  /** Returns a page on the heap, for one record that is larger than the pool. */
  static RecordPage outside(int bytes) {
    return new RecordPage(ByteBuffer.allocate(bytes), null);
  }

  boolean hasRoom(int bytes) {
    return memory.capacity() - used >= bytes;
  }

  /** Takes room for a record of {@code bytes}. Returns where it begins. */
  int take(int bytes) {
    int at = used;
    used += bytes;
    live++;
    return at;
  }

  /** Counts out a record that is done. Returns true if it was the last. */
  boolean drop() {
    live--;
    if (live > 0) {
      return false;
    }
    used = 0;
    return true;
  }

  boolean isUnused() {
    return live == 0;
  }

  void close() {
    if (lease != null) {
      lease.release();
    }
  }
}
