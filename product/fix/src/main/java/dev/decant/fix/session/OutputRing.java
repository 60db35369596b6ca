package dev.decant.fix.session;

import dev.decant.fix.session.ChunkPool.Chunk;
import dev.decant.ring.RingPositions;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * New messages on their way to the socket, whole and in the order of their numbers. Threads append under the session's
 * lock; the owner takes slices without it.
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
 * <p>The memory is no {@link dev.decant.ring.ByteRing}, which has its largest size from the start, in each session.
 * Chunks follow the number of messages that wait, see {@link ChunkPool}.
 *
 * <p>A message is never split: if it does not fit into the last chunk, it begins the next one. Chunks come from a pool,
 * and return to it when they are written. When everything is written, the next message begins at the start of the last
 * chunk. So an output that keeps up needs one chunk. {@link #shrink} returns that one, too. During a replay, newer
 * messages are held back.
 *
 * <p>The appending thread sets the base of a chunk, and links it, before the tail passes its first byte. The owner
 * reads a chunk only up to the tail.
 */
final class OutputRing {
  /** {@link #claim} returns this if there is no room. */
  static final int NO_ROOM = -1;

  private final int capacity;
  private final ChunkPool pool;
  /** The lock orders the producers. The owner is the consumer: all bytes before the head are written to the socket. */
  private final RingPositions positions = new RingPositions(0, 0);

  // Guarded by the lock.
  /** The chunk that messages are appended to; null if there is none. */
  private @Nullable Chunk last;
  /** The chunk of the claimed message: the last chunk, or the next one after it. Null if nothing is claimed. */
  private @Nullable Chunk claimed;
  /** Index of the claimed message in its chunk. */
  private int claimedAt;
  /** The first chunk, for an owner whose {@link #first} is null. The owner reads it after the tail. */
  private @Nullable Chunk entry;

  // Owner only.
  private @Nullable Chunk first;
  /** The position after the slice at the socket; not above the head if there is none. */
  private long sliceEnd;
  /** True while newer messages are held back. */
  private boolean isHeld;
  /** The position of the first message that is held back. */
  private long holdFrom;

  /**
   * Creates an empty ring.
   *
   * @param bytes limit of the messages that wait
   * @param pool provides the memory
   */
  OutputRing(int bytes, ChunkPool pool) {
    this.capacity = bytes;
    this.pool = pool;
  }

  // Any thread that holds the session's lock.

  /** Returns the memory that holds the claimed message. */
  ByteBuffer memory() {
    Chunk chunk = claimed;
    if (chunk == null) {
      throw new IllegalStateException("nothing was claimed");
    }
    return chunk.memory;
  }

  /**
   * Finds room for a message, which {@link #publish} then completes. The next claim replaces one that was not
   * published.
   *
   * @param bytes the longest that the message may be
   * @param reserve bytes that stay free behind it, unless the ring is empty
   * @return the index in {@link #memory} at which the message begins; {@link #NO_ROOM} if there is too little room
   */
  int claim(int bytes, int reserve) {
    long at = positions.producerTail();
    long written = positions.head();
    if (!hasRoom(at, written, bytes, reserve)) {
      return NO_ROOM;
    }
    Chunk chunk = last;
    int used = chunk == null || written == at ? 0 : (int) (at - chunk.base);
    if (chunk == null || chunk.bytes() - used < bytes) {
      return claimNext(bytes, chunk == null || written == at ? 0 : chunk.bytes());
    }
    dropClaim();
    claimed = chunk;
    claimedAt = used;
    return used;
  }

  private int claimNext(int bytes, int fullBytes) {
    Chunk unused = claimed;
    if (unused == null || unused == last || unused.bytes() < bytes) {
      dropClaim();
      claimed = pool.take(bytes, fullBytes);
    }
    claimedAt = 0;
    return 0;
  }

  /** Returns a chunk to the pool that was claimed for a message that was never published. */
  private void dropClaim() {
    Chunk unused = claimed;
    claimed = null;
    if (unused != null && unused != last) {
      pool.give(unused);
    }
  }

  /** Returns true if the message fits. An empty ring accepts every message up to its capacity. */
  private boolean hasRoom(long at, long written, int bytes, int reserve) {
    return at + bytes - written <= capacity - reserve || (written == at && bytes <= capacity);
  }

  /** Completes the claimed message. The owner then sees all of its bytes. */
  void publish(int bytes) {
    Chunk chunk = claimed;
    if (chunk == null) {
      throw new IllegalStateException("nothing was claimed");
    }
    claimed = null;
    long at = positions.producerTail();
    if (claimedAt == 0) {
      chunk.base = at;
      append(chunk);
    }
    positions.publish(at + bytes);
  }

  /** Links a chunk behind the last one, unless it is the last one. */
  private void append(Chunk chunk) {
    Chunk before = last;
    if (before == chunk) {
      return; // Everything is written, so the last chunk is used again from its start.
    }
    last = chunk;
    if (before == null) {
      entry = chunk;
    } else {
      before.next(chunk);
    }
  }

  // Any thread.

  /** Returns true if there seems to be room for a message. Another thread may take it. */
  boolean seemsToHaveRoom(int bytes, int reserve) {
    long at = positions.tail();
    return hasRoom(at, positions.head(), bytes, reserve);
  }

  /** Returns the bytes that wait, including the slice at the socket and messages that are held back. */
  long waitingBytes() {
    return positions.size();
  }

  // Owner only.

  /** Holds back the messages that are published from now on. */
  void hold() {
    isHeld = true;
    holdFrom = positions.tail();
  }

  /** Releases the messages that were held back. */
  void release() {
    isHeld = false;
  }

  private long limit() {
    long end = positions.tail();
    return isHeld ? Math.min(end, holdFrom) : end;
  }

  /** Returns true if all released messages are written. */
  boolean isEmpty() {
    return positions.consumerHead() >= limit();
  }

  boolean sliceIsAtSocket() {
    return sliceEnd > positions.consumerHead();
  }

  /** Returns true if {@link #takeSlice} has a slice to return. */
  boolean hasSlice() {
    return !sliceIsAtSocket() && !isEmpty();
  }

  /**
   * Takes the released messages of one chunk. Requires {@link #hasSlice}. Their memory stays unchanged until
   * {@link #sliceWritten}. The slice reaches from position to limit of a buffer that all slices of a chunk share.
   */
  ByteBuffer takeSlice() {
    long limit = limit();
    long from = positions.consumerHead();
    Chunk chunk = firstChunk();
    long end = end(chunk, limit);
    while (end <= from) { // This chunk is written, and the next one has bytes before the limit.
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

  /** Returns where the messages of a chunk end, up to the limit. */
  private static long end(Chunk chunk, long limit) {
    Chunk next = chunk.next();
    return next == null ? limit : Math.min(limit, next.base);
  }

  /** Adds the slice at the socket to a list, as it was taken. Returns false if there is none. */
  boolean addSlice(List<ByteBuffer> to) {
    if (!sliceIsAtSocket()) {
      return false;
    }
    Chunk chunk = firstChunk();
    to.add(chunk.memory.duplicate().limit((int) (sliceEnd - chunk.base))
        .position((int) (positions.consumerHead() - chunk.base)));
    return true;
  }

  /** Puts back a slice that cannot be written now. The next slice begins with it. */
  void putBack() {
    sliceEnd = positions.consumerHead();
  }

  void sliceWritten() {
    positions.release(sliceEnd);
  }

  /** Returns the position after the slice at the socket. */
  long restFrom() {
    return Math.max(sliceEnd, positions.consumerHead());
  }

  /**
   * Adds the released messages from a position on to a list, for the end of a connection. Returns the position after
   * them.
   */
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

  /** Returns all memory to the pool if no message waits. */
  void shrink() {
    if (positions.size() == 0) {
      returnChunks();
    }
  }

  /**
   * Discards all messages and returns the memory. Requires that the ended connection has written everything it
   * received.
   */
  void clear() {
    returnChunks();
    forget();
  }

  private void returnChunks() {
    dropClaim();
    Chunk chunk = first == null ? entry : first;
    while (chunk != null) {
      Chunk next = chunk.next();
      pool.give(chunk);
      chunk = next;
    }
    forgetChunks();
  }

  private void forgetChunks() {
    first = null;
    entry = null;
    last = null;
  }

  /** Discards all messages and leaves the memory to a connection that still writes from it. */
  void renew() {
    dropClaim();
    forgetChunks();
    forget();
  }

  private void forget() {
    isHeld = false;
    sliceEnd = positions.producerTail();
    positions.release(sliceEnd);
  }
}
