package dev.decant.fix.record;

import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Counts memory that the garbage collector frees, and requests a collection when too much of it is closed and not
 * freed. An engine in steady state makes no garbage, so no collection happens by itself.
 *
 * <p>Closed memory is that of closed stores, and of segments that a running file store has deleted. Its limit is the
 * amount of open memory, but at least {@value #ALLOWED_BYTES} bytes. So a program that closes all of its stores causes
 * a few collections, not one per store. A small block counts as {@value #MIN_BLOCK_BYTES} bytes, because systems also
 * limit the number of mappings.
 *
 * <p>Memory survives a collection if {@code -XX:+DisableExplicitGC} is set, or if an application keeps a buffer. That
 * memory no longer counts against the limit. Otherwise each further block would cause another collection in vain.
 *
 * <p>Any thread. The lock is no monitor, because on Java 21 a virtual thread that waits in a monitor would keep its
 * carrier.
 */
public final class CollectedBlocks {
  static final CollectedBlocks OF_THE_JVM = new CollectedBlocks(System::gc);
  /** How much closed memory is allowed in any case. */
  public static final long ALLOWED_BYTES = 256L << 20;
  /** A smaller block counts as this many bytes. */
  public static final long MIN_BLOCK_BYTES = 256L << 10;

  /** How long to wait for the result of a collection. A thread of the JDK delivers it, usually within a millisecond. */
  private static final long WAIT_MILLIS = 100;

  /** A buffer that slices and duplicates refer to. When it is collected, all of them are gone. */
  static final class Block extends PhantomReference<ByteBuffer> {
    private final long bytes;
    /** True after its owner was closed. Guarded by the lock. */
    private boolean isClosed;

    private Block(ByteBuffer memory, ReferenceQueue<ByteBuffer> queue) {
      super(memory, queue);
      bytes = Math.max(memory.capacity(), MIN_BLOCK_BYTES);
    }
  }

  private final Runnable collector;
  private final ReentrantLock lock = new ReentrantLock();
  private final ReferenceQueue<ByteBuffer> collected = new ReferenceQueue<>();
  // Guarded by the lock.
  private final Set<Block> blocks = new HashSet<>();
  /** Bytes in use. */
  private long openBytes;
  /** Bytes that are closed and not collected. */
  private long closedBytes;
  /** Closed bytes that the last requested collection did not free. */
  private long survivedBytes;

  /**
   * Creates counts of zero.
   *
   * @param collector makes the JVM collect all unreachable objects
   */
  CollectedBlocks(Runnable collector) {
    this.collector = collector;
  }

  Block add(ByteBuffer memory) {
    lock.lock();
    try {
      Block block = new Block(memory, collected);
      blocks.add(block);
      openBytes += block.bytes;
      return block;
    } finally {
      lock.unlock();
    }
  }

  /** Counts blocks as closed, whose owner has dropped its buffers. */
  void close(List<Block> owned) {
    lock.lock();
    try {
      for (Block block : owned) {
        close(block);
      }
      collectIfNeeded();
    } finally {
      lock.unlock();
    }
  }

  private void close(Block block) {
    // If no buffer was left before the close, the block is collected and no longer counted. It was once counted as
    // closed for ever.
    if (blocks.contains(block)) {
      block.isClosed = true;
      openBytes -= block.bytes;
      closedBytes += block.bytes;
    }
  }

  /** Requests a collection, and waits for its result, if too much memory is closed and not freed. */
  void collectIfNeeded() {
    lock.lock();
    try {
      removeCollected();
      if (closedBytes > allowedBytes()) {
        survivedBytes = 0;
        collector.run();
        awaitCollected();
      }
    } finally {
      lock.unlock();
    }
  }

  private long allowedBytes() {
    return Math.max(ALLOWED_BYTES, openBytes) + survivedBytes;
  }

  private void removeCollected() {
    for (Reference<?> free = collected.poll(); free != null; free = collected.poll()) {
      remove(free);
    }
  }

  /** Waits until half of the limit is free again, so that the next collection is not due at once. */
  private void awaitCollected() {
    try {
      while (closedBytes > allowedBytes() / 2) {
        Reference<?> free = collected.remove(WAIT_MILLIS);
        if (free == null) {
          survivedBytes = closedBytes;
          return;
        }
        remove(free);
      }
    } catch (InterruptedException e) {
      survivedBytes = closedBytes;
      Thread.currentThread().interrupt();
    }
  }

  private void remove(Reference<?> free) {
    if (free instanceof Block block && blocks.remove(block)) {
      if (block.isClosed) {
        closedBytes -= block.bytes;
        survivedBytes = Math.min(survivedBytes, closedBytes);
      } else {
        openBytes -= block.bytes; // All buffers were collected before their owner was closed.
      }
    }
  }

  /** Returns the bytes in use, for tests. */
  long openBytes() {
    lock.lock();
    try {
      removeCollected();
      return openBytes;
    } finally {
      lock.unlock();
    }
  }

  /** Returns the bytes that are closed and not freed, for tests. */
  long closedBytes() {
    lock.lock();
    try {
      removeCollected();
      return closedBytes;
    } finally {
      lock.unlock();
    }
  }
}
