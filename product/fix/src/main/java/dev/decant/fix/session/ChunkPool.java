package dev.decant.fix.session;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Pieces of direct memory for the output of sessions. A session that has nothing to send has none, so memory follows
 * the messages that wait, not the number of sessions.
 *
 * <p>Chunks that come back are kept up to a bound, and used again. The garbage collector gets the others. So the bound
 * grows with the number of sessions: all of them fall behind together when their loop gets no processor for a while. A
 * session that falls behind takes chunks of twice the size each time, and the largest ones only if it stays behind.
 *
 * <p>Any thread; two take turns for some nanoseconds.
 */
final class ChunkPool {
  /** What most sessions need: the next messages, which leave at once. */
  private static final int SMALL_BYTES = 4 * 1024;
  /** For messages that wait for a slow counterparty, and for streams: one write takes so much. */
  private static final int LARGE_BYTES = 64 * 1024;
  private static final int KEPT_BYTES = 16 << 20;
  private static final int KEPT_BYTES_PER_SESSION = 4 * SMALL_BYTES;

  /** A piece of memory, in the output of one session or in the pool. */
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
    /** For the socket, which moves its position. */
    final ByteBuffer slice;
    /** The position in the output of the first byte. Of the session's output. */
    long base;
    /** The next one in the pool, or in the output of a session. There the owner reads it without the lock. */
    private @Nullable Chunk next;

    private Chunk(int bytes) {
      memory = ByteBuffer.allocateDirect(bytes);
      slice = memory.duplicate();
    }

    int bytes() {
      return memory.capacity();
    }

    /** The chunk behind this one in the output, with the base that it has there; null for none yet. */
    @Nullable
    Chunk next() {
      return (Chunk) NEXT.getAcquire(this);
    }

    /** Links the chunk behind this one in the output, whose base is set. */
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
  /** By the logarithm of their size: the chunk that came last, and through it the others. */
  private final @Nullable Chunk[] free = new Chunk[Integer.SIZE];
  private long keptBytes;

  /** A pool for the sessions of a loop, as many as there are now. */
  ChunkPool(IntSupplier sessions) {
    this(SMALL_BYTES, LARGE_BYTES, KEPT_BYTES, sessions);
  }

  /** For tests: other sizes, each a power of two. */
  ChunkPool(int smallBytes, int largeBytes, long maxKeptBytes) {
    this(smallBytes, largeBytes, maxKeptBytes, () -> 0);
  }

  private ChunkPool(int smallBytes, int largeBytes, long maxKeptBytes, IntSupplier sessions) {
    this.smallBytes = smallBytes;
    this.largeBytes = largeBytes;
    this.maxKeptBytes = maxKeptBytes;
    this.sessions = sessions;
  }

  /** As {@link #take}, for messages that are sent again: many follow each other. */
  Chunk takeLarge(int bytes) {
    return take(bytes, largeBytes);
  }

  /**
   * Takes a chunk; an OutOfMemoryError where the process has no direct memory.
   *
   * @param bytes what it has to hold at least
   * @param fullBytes the size of the chunk that is full and not written yet, since more messages are likely to follow;
   *     0 if none waits
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

  /** Takes a chunk back: nobody reads or writes it any more. */
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

  /** How much memory is here, and in no session's output. Any thread. */
  long keptBytes() {
    lock.lock();
    try {
      return keptBytes;
    } finally {
      lock.unlock();
    }
  }
}
