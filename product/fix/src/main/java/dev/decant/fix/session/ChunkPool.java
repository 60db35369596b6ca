package dev.decant.fix.session;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Pools direct memory for the output of the sessions of a loop. A session with nothing to send holds none. So memory
 * follows the messages that wait, not the number of sessions: 2,000 sessions with rings of their own took 2.7 GB.
 *
 * <p>The pool keeps returned chunks up to a limit, and the garbage collector gets the rest. The limit grows with the
 * number of sessions, since all of them fall behind together when their loop gets no processor for a while. Each time a
 * session falls behind further, its next chunk has twice the size. When each of 2,000 sessions took 64 KiB at once, the
 * pool was too small, and each of these moments caused new allocations.
 *
 * <p>Any thread. The lock is held for a few nanoseconds.
 */
final class ChunkPool {
  /** Enough for the next messages of a session whose output keeps up. */
  private static final int SMALL_BYTES = 4 * 1024;
  /** The size for streams and for messages that wait for a slow counterparty: the most that one write takes. */
  private static final int LARGE_BYTES = 64 * 1024;
  private static final int KEPT_BYTES = 16 << 20;
  private static final int KEPT_BYTES_PER_SESSION = 4 * SMALL_BYTES;

  /** A piece of memory, either in the output of one session or in the pool. */
  static final class Chunk {
    private static final VarHandle NEXT;

    static {
      try {
        NEXT = MethodHandles.lookup().findVarHandle(Chunk.class, "next", Chunk.class);
      } catch (ReflectiveOperationException e) {
        throw new ExceptionInInitializerError(e);
      }
    }

    final ByteBuffer memory;
    /** A view of the memory for the socket, which moves its position. */
    final ByteBuffer slice;
    /** The position of the chunk's first byte in the output. Guarded by the lock of that session. */
    long base;
    /**
     * The next chunk in the pool, or in the output of a session. The owner of the session reads it without the lock,
     * through NEXT.
     */
    private @Nullable Chunk next;

    private Chunk(int bytes) {
      memory = ByteBuffer.allocateDirect(bytes);
      slice = memory.duplicate();
    }

    int bytes() {
      return memory.capacity();
    }

    /** Returns the chunk behind this one in the output, whose base is set; null if there is none yet. */
    @Nullable
    Chunk next() {
      return (Chunk) NEXT.getAcquire(this);
    }

    /** Links the chunk behind this one in the output. Its base must be set before. */
    void next(Chunk follower) {
      NEXT.setRelease(this, follower);
    }
  }

  private final int smallBytes;
  private final int largeBytes;
  private final long maxKeptBytes;
  private final IntSupplier sessions;
  private final SessionLock lock = new SessionLock();
  // Guarded by the lock.
  /** Free chunks by the binary logarithm of their size, each the head of a list: the chunk that was returned last. */
  private final @Nullable Chunk[] free = new Chunk[Integer.SIZE];
  private long keptBytes;

  /** Creates the pool of a loop, which has this number of sessions now. */
  ChunkPool(IntSupplier sessions) {
    this(SMALL_BYTES, LARGE_BYTES, KEPT_BYTES, sessions);
  }

  /** Creates a pool with other sizes, for tests. Each size is a power of two. */
  ChunkPool(int smallBytes, int largeBytes, long maxKeptBytes) {
    this(smallBytes, largeBytes, maxKeptBytes, () -> 0);
  }

  private ChunkPool(int smallBytes, int largeBytes, long maxKeptBytes, IntSupplier sessions) {
    this.smallBytes = smallBytes;
    this.largeBytes = largeBytes;
    this.maxKeptBytes = maxKeptBytes;
    this.sessions = sessions;
  }

  /**
   * Takes a chunk for resent messages, as {@link #take} does. Many of them follow each other, so the chunk is large.
   */
  Chunk takeLarge(int bytes) {
    return take(bytes, largeBytes);
  }

  /**
   * Takes a chunk. Throws OutOfMemoryError if the process has no direct memory.
   *
   * @param bytes the least that the chunk has to hold
   * @param fullBytes the size of the chunk that is full and not written yet, since more messages are likely to follow;
   *     0 if there is none
   */
  Chunk take(int bytes, int fullBytes) {
    int least = Math.max(bytes, 2 * Math.min(fullBytes, largeBytes / 2));
    int wanted = least <= smallBytes ? smallBytes : Integer.highestOneBit(least - 1) << 1;
    int index = Integer.numberOfTrailingZeros(wanted);
    Chunk found;
    lock.lock();
    try {
      found = free[index];
      if (found != null) {
        free[index] = found.next;
        keptBytes -= wanted;
      }
    } finally {
      lock.unlock();
    }
    if (found == null) {
      return new Chunk(wanted);
    }
    found.next = null;
    return found;
  }

  /** Takes back a chunk that no one reads or writes any longer. */
  void give(Chunk chunk) {
    int index = Integer.numberOfTrailingZeros(chunk.bytes());
    long most = maxKeptBytes + (long) sessions.getAsInt() * KEPT_BYTES_PER_SESSION;
    lock.lock();
    try {
      if (keptBytes + chunk.bytes() <= most) {
        keptBytes += chunk.bytes();
        chunk.next = free[index];
        free[index] = chunk;
      }
    } finally {
      lock.unlock();
    }
  }

  /** Returns the bytes of the free chunks in the pool. Any thread. */
  long keptBytes() {
    lock.lock();
    try {
      return keptBytes;
    } finally {
      lock.unlock();
    }
  }
}
