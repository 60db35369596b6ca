package dev.decant.fix.session;

import dev.decant.fix.session.ChunkPool.Chunk;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Messages that are sent again, on their way to the socket, one behind the other.
 *
 * <pre>
 *   +-----------+---------------------+----------------+---------+
 *   | written   | slice at the socket | messages since | free    |
 *   +-----------+---------------------+----------------+---------+
 *               head                  sliceEnd         tail
 * </pre>
 *
 * <p>All that is there goes to the socket as one slice; the next slice goes when that is written. Memory is taken from
 * a pool for the first message, and grows with those that wait. It goes back when all is written. Owner of the session
 * only.
 */
final class OutputBuffer {
  private static final ByteBuffer NO_MEMORY = ByteBuffer.allocateDirect(0);

  private final int maxBytes;
  private final ChunkPool pool;
  private @Nullable Chunk chunk;
  private int head;
  private int sliceEnd;
  private int tail;

  /**
   * Makes an empty buffer.
   *
   * @param bytes bounds the messages that wait
   * @param pool where their memory comes from
   */
  OutputBuffer(int bytes, ChunkPool pool) {
    this.maxBytes = bytes;
    this.pool = pool;
  }

  /** The memory; the next message goes to {@link #tail}. */
  ByteBuffer memory() {
    Chunk present = chunk;
    return present == null ? NO_MEMORY : present.memory;
  }

  int tail() {
    return tail;
  }

  /** Makes room for so many bytes behind the tail, if that can be. */
  boolean hasRoom(int bytes) {
    return (memory().capacity() - tail >= bytes && tail - head + bytes <= maxBytes) || hasRoomSlowPath(bytes);
  }

  private boolean hasRoomSlowPath(int bytes) {
    int waiting = tail - head;
    if (sliceEnd != head || waiting + bytes > maxBytes) {
      return false;
    }
    Chunk present = chunk;
    if (present == null || present.bytes() - waiting < bytes) {
      chunk = pool.takeLarge(waiting + bytes);
    }
    memory().put(0, present == null ? NO_MEMORY : present.memory, head, waiting);
    if (present != null && present != chunk) {
      pool.give(present);
    }
    tail = waiting;
    head = 0;
    sliceEnd = 0;
    return true;
  }

  /** A message of so many bytes was written at the tail. */
  void append(int bytes) {
    tail += bytes;
  }

  /**
   * Tells whether there is anything to be written.
   *
   * @return true if a slice is at the socket, or could be
   */
  boolean isEmpty() {
    return head == tail;
  }

  /**
   * Tells whether {@link #takeSlice} would give something.
   *
   * @return false while a slice is at the socket, or nothing is there
   */
  boolean hasSlice() {
    return sliceEnd == head && tail > head;
  }

  boolean sliceIsAtSocket() {
    return sliceEnd != head;
  }

  int waitingBytes() {
    return tail - head;
  }

  /**
   * Takes all messages that are there, to be written. Their memory stays untouched until {@link #sliceWritten}.
   *
   * @return from position to limit
   */
  ByteBuffer takeSlice() {
    Chunk present = chunk;
    if (present == null) {
      throw new IllegalStateException("there is no slice");
    }
    sliceEnd = tail;
    return present.slice.clear().limit(tail).position(head);
  }

  /** The slice is not written now: the next one begins with it. */
  void putBack() {
    sliceEnd = head;
  }

  /** The slice is written. */
  void sliceWritten() {
    head = sliceEnd;
    if (head == tail) {
      clear();
    }
  }

  /**
   * The messages behind the slice at the socket, for the end of a connection. The memory stays untouched
   * until {@link #renew}.
   *
   * @return from position to limit, a new object; empty if there is nothing
   */
  ByteBuffer rest() {
    return memory().duplicate().limit(tail).position(sliceEnd);
  }

  /** Forgets everything, and leaves the memory to a connection that has not written all of it. */
  void renew() {
    chunk = null;
    clear();
  }

  /** Forgets everything, and gives the memory back: the connection has ended, or has written all. */
  void clear() {
    Chunk present = chunk;
    if (present != null) {
      chunk = null;
      pool.give(present);
    }
    head = 0;
    sliceEnd = 0;
    tail = 0;
  }
}
