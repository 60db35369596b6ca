package dev.decant.fix.store;

import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Counts memory that the collector gives back. Asks for a collection when too much of it is closed and still held: an
 * engine in steady state makes no garbage, so no collection comes by itself.
 *
 * <p>Closed memory is that of closed stores, and that of segments which a running file store has deleted. As much may
 * be closed as is open, and {@value #ALLOWED_BYTES} bytes at least. So a program that closes all of its stores causes a
 * handful of collections, not one per store. A small block counts as {@value #MIN_BLOCK_BYTES} bytes, because systems
 * also bound the number of mappings.
 *
 * <p>Memory survives a collection if {@code -XX:+DisableExplicitGC} is set, or if an application keeps a buffer. It is
 * allowed from then on. Otherwise each further block would cost another collection in vain.
 *
 * <p>Any thread. The lock is no monitor: a virtual thread that waits for a collection keeps no carrier.
 */
final class CollectedBlocks {
  static final CollectedBlocks OF_THE_JVM = new CollectedBlocks(System::gc);
  static final long ALLOWED_BYTES = 256L << 20;
  static final long MIN_BLOCK_BYTES = 256L << 10;

  /** How long a collection's result may take. The JDK's own thread hands it over, usually within a millisecond. */
  private static final long WAIT_MILLIS = 100;

  /** A buffer from the JDK that slices and duplicates refer to: all of them are gone when it is. */
  static final class Block extends PhantomReference<ByteBuffer> {
    private final long bytes;
    /** Guarded by the lock. */
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
  private long openBytes;
  private long closedBytes;
  private long survivedBytes;

  /**
   * Counts from zero.
   *
   * @param collector has the JVM collect all that is unreachable
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

  /** The owner of blocks has dropped its buffers. */
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
    if (blocks.contains(block)) { // else no buffer was left before the end, and it is collected already
      block.isClosed = true;
      openBytes -= block.bytes;
      closedBytes += block.bytes;
    }
  }

  /** Asks for a collection, and waits for its result, if too much is closed and still held. */
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

  /** Waits until half of what is allowed is free again, so that the next collection is not due at once. */
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
        openBytes -= block.bytes; // all buffers have gone before the owner was closed
      }
    }
  }

  /** Bytes that are in use; for tests. */
  long openBytes() {
    lock.lock();
    try {
      removeCollected();
      return openBytes;
    } finally {
      lock.unlock();
    }
  }

  /** Bytes that are closed and not collected; for tests. */
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
