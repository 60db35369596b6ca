package dev.decant.fix.session;

import dev.decant.fix.session.ChunkPool.Chunk;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Resent messages on their way to the socket, one behind the other.
 *
 * <pre>
 *   +-----------+---------------------+----------------+---------+
 *   | written   | slice at the socket | messages since | free    |
 *   +-----------+---------------------+----------------+---------+
 *               head                  sliceEnd         tail
 * </pre>
 *
 * <p>All messages go to the socket as one slice. The next slice follows when that one is written. The memory comes from
 * a pool with the first message, and grows with the messages that wait. It returns when everything is written. Owner of
 * the session only.
 */
final class OutputBuffer {
  private static final ByteBuffer NO_MEMORY = ByteBuffer.allocateDirect(0);

  private final int maxBytes;
  private final ChunkPool pool;
  /** The memory; null while no message waits. */
  private @Nullable Chunk chunk;
  /** Index after the bytes that are written. */
  private int head;
  /** Index after the slice at the socket; equal to {@code head} if there is none. */
  private int sliceEnd;
  /** Index after the last message. */
  private int tail;

  /**
   * Creates an empty buffer.
   *
   * @param bytes limit of the messages that wait
   * @param pool provides the memory
   */
  OutputBuffer(int bytes, ChunkPool pool) {
    this.maxBytes = bytes;
    this.pool = pool;
  }

  /** Returns the memory. The next message begins at {@link #tail}. */
  ByteBuffer memory() {
    Chunk present = chunk;
    return present == null ? NO_MEMORY : present.memory;
  }

  int tail() {
    return tail;
  }

  /** Makes room for this many bytes behind the tail. Returns false if that is impossible. */
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

  /** Appends the message of this length that was written at the tail. */
  void append(int bytes) {
    tail += bytes;
  }

  /** Returns true if no message waits and none is at the socket. */
  boolean isEmpty() {
    return head == tail;
  }

  /** Returns true if {@link #takeSlice} has a slice to return: messages wait, and none are at the socket. */
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
   * Takes all messages as a slice, from position to limit. Their memory stays unchanged until {@link #sliceWritten}.
   */
  ByteBuffer takeSlice() {
    Chunk present = chunk;
    if (present == null) {
      throw new IllegalStateException("there is no slice");
    }
    sliceEnd = tail;
    return present.slice.clear().limit(tail).position(head);
  }

  /** Adds the slice at the socket to a list, as it was taken. Returns false if there is none. */
  boolean addSlice(List<ByteBuffer> to) {
    if (!sliceIsAtSocket()) {
      return false;
    }
    to.add(memory().duplicate().limit(sliceEnd).position(head));
    return true;
  }

  /** Puts back a slice that cannot be written now. The next slice begins with it. */
  void putBack() {
    sliceEnd = head;
  }

  /** Removes the slice, which the socket has written. */
  void sliceWritten() {
    head = sliceEnd;
    if (head == tail) {
      clear();
    }
  }

  /**
   * Returns the messages behind the slice at the socket, for the end of a connection: a new buffer, from position to
   * limit. The memory stays unchanged until {@link #renew}.
   */
  ByteBuffer rest() {
    return memory().duplicate().limit(tail).position(sliceEnd);
  }

  /** Discards all messages and leaves the memory to a connection that still writes from it. */
  void renew() {
    chunk = null;
    clear();
  }

  /**
   * Discards all messages and returns the memory. Requires that the ended connection has written everything it
   * received.
   */
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
