package dev.decant.fix.session;

import dev.decant.fix.session.ChunkPool.Chunk;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Messages under new numbers on their way to the socket, whole and in the order of their numbers. Threads append under
 * the session's lock; the owner takes slices without it.
 *
 * <pre>
 *   positions only grow; a position p is at p - base of its chunk
 *
 *   chunk                      chunk                         chunk
 *   +-----------+------------+ +----------------+----------+ +------+--------+
 *   | written   | at socket  | | released       | held     | | held | free   |
 *   +-----------+------------+ +----------------+----------+ +------+--------+
 *               head       sliceEnd             holdFrom            tail
 * </pre>
 *
 * <p>A message is never split: one that does not fit in the last chunk begins the next one. Chunks come from a pool and
 * go back when they are written. When all is written, the next message begins at the start of the last chunk, so an
 * output that keeps up stays in one. {@link #shrink} gives that back, too. While older messages are sent again, later
 * ones are held back.
 *
 * <p>The thread that appends sets the base of a chunk, and links it, before the tail passes its first byte. The owner
 * looks at a chunk only for bytes in front of the tail.
 */
final class OutputRing {
  /** Of {@link #claim}: there is no room. */
  static final int NO_ROOM = -1;

  private static final VarHandle HEAD;
  private static final VarHandle TAIL;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      HEAD = lookup.findVarHandle(OutputRing.class, "head", long.class).withInvokeExactBehavior();
      TAIL = lookup.findVarHandle(OutputRing.class, "tail", long.class).withInvokeExactBehavior();
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final int capacity;
  private final ChunkPool pool;
  /** Before this position all is written. Set by the owner, read by any thread, through HEAD. */
  @SuppressWarnings("UnusedVariable")
  private long head;
  /** After the last message. Set under the lock, read by any thread, through TAIL. */
  @SuppressWarnings("UnusedVariable")
  private long tail;

  // With the lock.
  /** Where messages are appended; null if there is no chunk. */
  private @Nullable Chunk last;
  /** Where the message is encoded that was claimed: the last chunk, or the one that follows it. */
  private @Nullable Chunk claimed;
  /** Of the claimed message, within its chunk. */
  private int claimedAt;
  /** The first chunk, for an owner that has none. Read by the owner behind TAIL. */
  private @Nullable Chunk entry;

  // Owner only.
  private @Nullable Chunk first;
  private long sliceEnd;
  private boolean isHeld;
  private long holdFrom;

  /**
   * Makes an empty ring.
   *
   * @param bytes bounds the messages that wait
   * @param pool where their memory comes from
   */
  OutputRing(int bytes, ChunkPool pool) {
    this.capacity = bytes;
    this.pool = pool;
  }

  // Any thread with the session's lock.

  /** The memory of the message that was claimed last. */
  ByteBuffer memory() {
    Chunk chunk = claimed;
    if (chunk == null) {
      throw new IllegalStateException("nothing was claimed");
    }
    return chunk.memory;
  }

  /**
   * Finds room for a message, for {@link #publish}; a claim without it is given up by the next one.
   *
   * @param bytes the most that it takes
   * @param reserve what is to stay free behind it, unless the ring is empty
   * @return where in {@link #memory} it begins; {@link #NO_ROOM} if there is too little
   */
  int claim(int bytes, int reserve) {
    long at = (long) TAIL.get(this);
    long written = (long) HEAD.getAcquire(this);
    if (!hasRoom(at, written, bytes, reserve)) {
      return NO_ROOM;
    }
    Chunk chunk = last;
    int used = chunk == null || written == at ? 0 : (int) (at - chunk.base);
    if (chunk == null || chunk.bytes() - used < bytes) {
      return claimNext(bytes, chunk == null || written == at ? 0 : chunk.bytes());
    }
    giveUpClaim();
    claimed = chunk;
    claimedAt = used;
    return used;
  }

  private int claimNext(int bytes, int fullBytes) {
    Chunk unused = claimed;
    if (unused == null || unused == last || unused.bytes() < bytes) {
      giveUpClaim();
      claimed = pool.take(bytes, fullBytes);
    }
    claimedAt = 0;
    return 0;
  }

  /** Gives back a chunk that was claimed for a message that has not come. */
  private void giveUpClaim() {
    Chunk unused = claimed;
    claimed = null;
    if (unused != null && unused != last) {
      pool.give(unused);
    }
  }

  /** An empty ring takes every message that is not longer than it. */
  private boolean hasRoom(long at, long written, int bytes, int reserve) {
    return at + bytes - written <= capacity - reserve || (written == at && bytes <= capacity);
  }

  /** Shows the message that was claimed to the owner, which sees all of its bytes. */
  void publish(int bytes) {
    Chunk chunk = claimed;
    if (chunk == null) {
      throw new IllegalStateException("nothing was claimed");
    }
    claimed = null;
    long at = (long) TAIL.get(this);
    if (claimedAt == 0) {
      chunk.base = at;
      append(chunk);
    }
    TAIL.setRelease(this, at + bytes);
  }

  /** Puts a chunk behind the last one, if it is another. */
  private void append(Chunk chunk) {
    Chunk before = last;
    if (before == chunk) {
      return; // all is written, and it is used again from its start
    }
    last = chunk;
    if (before == null) {
      entry = chunk;
    } else {
      before.next(chunk);
    }
  }

  // Any thread.

  /** Tells whether there seems to be room for a message. */
  boolean seemsToHaveRoom(int bytes, int reserve) {
    long at = (long) TAIL.getAcquire(this);
    return hasRoom(at, (long) HEAD.getAcquire(this), bytes, reserve);
  }

  /** How much waits to be written, with the slice at the socket and what is held back. */
  long waitingBytes() {
    long written = (long) HEAD.getAcquire(this); // first, or it could be past the tail
    return (long) TAIL.getAcquire(this) - written;
  }

  // Owner only.

  /** Holds back what is published from now on. */
  void hold() {
    isHeld = true;
    holdFrom = (long) TAIL.getAcquire(this);
  }

  /** Releases what was held back, and holds nothing back any more. */
  void release() {
    isHeld = false;
  }

  private long limit() {
    long end = (long) TAIL.getAcquire(this);
    return isHeld ? Math.min(end, holdFrom) : end;
  }

  /** Tells whether all released messages are written. */
  boolean isEmpty() {
    return (long) HEAD.get(this) >= limit();
  }

  boolean sliceIsAtSocket() {
    return sliceEnd > (long) HEAD.get(this);
  }

  /** Tells whether {@link #takeSlice} would give something. */
  boolean hasSlice() {
    return !sliceIsAtSocket() && !isEmpty();
  }

  /**
   * Takes the released messages of a chunk: {@link #hasSlice} is true. Their memory stays untouched until
   * {@link #sliceWritten}.
   *
   * @return from position to limit; the same object for each slice of a chunk
   */
  ByteBuffer takeSlice() {
    long limit = limit();
    long from = (long) HEAD.get(this);
    Chunk chunk = firstChunk();
    long end = end(chunk, limit);
    while (end <= from) { // all of it is written, and the next one has bytes in front of the limit
      Chunk next = next(chunk);
      pool.give(chunk);
      chunk = next;
      end = end(chunk, limit);
    }
    first = chunk;
    sliceEnd = end;
    return chunk.slice.clear().limit((int) (end - chunk.base)).position((int) (from - chunk.base));
  }

  private Chunk firstChunk() {
    Chunk chunk = first == null ? entry : first;
    if (chunk == null) {
      throw new IllegalStateException("there is no slice");
    }
    return chunk;
  }

  private static Chunk next(Chunk chunk) {
    Chunk next = chunk.next();
    if (next == null) {
      throw new IllegalStateException("messages without a chunk");
    }
    return next;
  }

  /** Where the messages of a chunk end, as far as they are in front of a limit. */
  private static long end(Chunk chunk, long limit) {
    Chunk next = chunk.next();
    return next == null ? limit : Math.min(limit, next.base);
  }

  /** The slice is not written now: the next one begins with it. */
  void putBack() {
    sliceEnd = (long) HEAD.get(this);
  }

  void sliceWritten() {
    HEAD.setRelease(this, sliceEnd);
  }

  /** Where the messages behind the slice at the socket begin. */
  long restFrom() {
    return Math.max(sliceEnd, (long) HEAD.get(this));
  }

  /** Adds the released messages from a position on, for the end of a connection; returns where they end. */
  long addRest(List<ByteBuffer> rest, long position) {
    long limit = limit();
    long at = position;
    Chunk chunk = at < limit ? firstChunk() : null;
    while (chunk != null && at < limit) {
      long end = end(chunk, limit);
      if (end > at) {
        rest.add(chunk.memory.duplicate().limit((int) (end - chunk.base)).position((int) (at - chunk.base)));
        at = end;
      }
      chunk = chunk.next();
    }
    return at;
  }

  // The owner, with the session's lock.

  /** Gives all memory back if nothing waits: the session is idle. */
  void shrink() {
    if ((long) HEAD.get(this) == (long) TAIL.get(this)) {
      giveBack();
    }
  }

  /** Forgets everything, and gives all memory back: the connection has ended, and has written what it was given. */
  void clear() {
    giveBack();
    forget();
  }

  private void giveBack() {
    giveUpClaim();
    Chunk chunk = first == null ? entry : first;
    while (chunk != null) {
      Chunk next = chunk.next();
      pool.give(chunk);
      chunk = next;
    }
    leaveChunks();
  }

  private void leaveChunks() {
    first = null;
    entry = null;
    last = null;
  }

  /** Forgets everything, and leaves the memory to a connection that has not written all of it. */
  void renew() {
    giveUpClaim();
    leaveChunks();
    forget();
  }

  private void forget() {
    isHeld = false;
    sliceEnd = (long) TAIL.get(this);
    HEAD.setRelease(this, sliceEnd);
  }
}
