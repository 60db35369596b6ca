package dev.decant.fix.session;

import java.nio.ByteBuffer;

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
 * <p>All that is there goes to the socket as one slice; the next slice goes when that is written. Owner of the session
 * only.
 */
final class OutputBuffer {
  private final int bytes;
  private ByteBuffer memory;
  private ByteBuffer slice;
  private int head;
  private int sliceEnd;
  private int tail;

  /**
   * Makes an empty buffer.
   *
   * @param bytes its capacity
   */
  OutputBuffer(int bytes) {
    this.bytes = bytes;
    memory = ByteBuffer.allocateDirect(bytes);
    slice = memory.duplicate();
  }

  /** The memory; the next message goes to {@link #tail}. */
  ByteBuffer memory() {
    return memory;
  }

  int tail() {
    return tail;
  }

  /** Makes room for so many bytes behind the tail, if that can be. */
  boolean hasRoom(int bytes) {
    return memory.capacity() - tail >= bytes || hasRoomSlowPath(bytes);
  }

  private boolean hasRoomSlowPath(int bytes) {
    if (sliceEnd != head || memory.capacity() - (tail - head) < bytes) {
      return false;
    }
    memory.put(0, memory, head, tail - head);
    tail -= head;
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

  /**
   * Takes all messages that are there, to be written. Their memory stays untouched until {@link #sliceWritten}.
   *
   * @return from position to limit; the same object each time
   */
  ByteBuffer takeSlice() {
    sliceEnd = tail;
    return slice.clear().limit(tail).position(head);
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
    return memory.duplicate().limit(tail).position(sliceEnd);
  }

  /** Forgets everything, and leaves the memory to a connection that has not written all of it. */
  void renew() {
    memory = ByteBuffer.allocateDirect(bytes);
    slice = memory.duplicate();
    clear();
  }

  /** Forgets everything: the connection has ended. */
  void clear() {
    head = 0;
    sliceEnd = 0;
    tail = 0;
  }
}
