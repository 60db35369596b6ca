package dev.decant.fix.session;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Messages under new numbers on their way to the socket, whole and in the order of their numbers. Threads append under
 * the session's lock; the owner takes slices without it.
 *
 * <pre>
 *   positions only grow; a position p is at p modulo capacity
 *
 *   +-----------+---------------------+----------------+-----------+---------+
 *   | written   | slice at the socket | released       | held back | free    |
 *   +-----------+---------------------+----------------+-----------+---------+
 *               head                  sliceEnd         holdFrom    tail
 * </pre>
 *
 * <p>A message is never split. If it does not fit in front of the memory's end, it begins at the start, and wrapAt
 * tells where the messages before it end. While older messages are sent again, later ones are held back.
 */
final class OutputRing {
  /** Of {@link #claim}: there is no room. */
  static final long NO_ROOM = -1;

  private static final VarHandle HEAD;
  private static final VarHandle TAIL;
  private static final VarHandle WRAP;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      HEAD = lookup.findVarHandle(OutputRing.class, "head", long.class).withInvokeExactBehavior();
      TAIL = lookup.findVarHandle(OutputRing.class, "tail", long.class).withInvokeExactBehavior();
      WRAP = lookup.findVarHandle(OutputRing.class, "wrapAt", long.class).withInvokeExactBehavior();
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final int capacity;
  /** Changed by the owner under the lock; read by either. */
  private ByteBuffer memory;
  /** Before this position all is written. Set by the owner, read by any thread, through HEAD. */
  @SuppressWarnings("UnusedVariable")
  private long head;
  /** After the last message. Set under the lock, read by any thread, through TAIL. */
  @SuppressWarnings("UnusedVariable")
  private long tail;
  /**
   * Where the messages end in front of the memory's end, the last time that one began at the start. Set before the tail
   * passes the message that wraps. By then the owner has passed the place before. Through WRAP.
   */
  @SuppressWarnings("UnusedVariable")
  private long wrapAt = -1;
  // Owner only.
  private ByteBuffer slice;
  private long sliceEnd;
  private boolean isHeld;
  private long holdFrom;

  /**
   * Makes an empty ring.
   *
   * @param bytes its capacity, a power of two
   */
  OutputRing(int bytes) {
    capacity = bytes;
    memory = ByteBuffer.allocateDirect(bytes);
    slice = memory.duplicate();
  }

  // Any thread with the session's lock.

  ByteBuffer memory() {
    return memory;
  }

  int index(long position) {
    return (int) position & capacity - 1;
  }

  /**
   * Finds room for a message.
   *
   * @param bytes the most that it takes
   * @param reserve what is to stay free behind it, unless the ring is empty
   * @return the position for {@link #publish}; {@link #NO_ROOM} if there is too little
   */
  long claim(int bytes, int reserve) {
    long at = (long) TAIL.get(this);
    long begin = begin(at, bytes);
    return hasRoom(at, begin, bytes, reserve) ? begin : NO_ROOM;
  }

  private long begin(long at, int bytes) {
    int toEnd = capacity - index(at);
    return bytes <= toEnd ? at : at + toEnd;
  }

  /** An empty ring takes every message that is not longer than it, wherever the tail is: all of it is written. */
  private boolean hasRoom(long at, long begin, int bytes, int reserve) {
    long written = (long) HEAD.getAcquire(this);
    return begin + bytes - written <= capacity - reserve || (written == at && bytes <= capacity);
  }

  /** Shows a message to the owner, which sees all of its bytes. */
  void publish(long begin, int bytes) {
    long at = (long) TAIL.get(this);
    if (begin != at) {
      WRAP.setOpaque(this, at);
    }
    TAIL.setRelease(this, begin + bytes);
  }

  // Any thread.

  /** Tells whether there seems to be room for a message. */
  boolean seemsToHaveRoom(int bytes, int reserve) {
    long at = (long) TAIL.getAcquire(this);
    return hasRoom(at, begin(at, bytes), bytes, reserve);
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

  /** The first byte that is not written, if there is one before the limit. */
  private long first(long limit) {
    long at = (long) HEAD.get(this);
    return at < limit && at == (long) WRAP.getOpaque(this) ? at + capacity - index(at) : at;
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
   * Takes the released messages up to the memory's end. Their memory stays untouched until {@link #sliceWritten}.
   *
   * @return from position to limit; the same object each time
   */
  ByteBuffer takeSlice() {
    long from = first(limit());
    sliceEnd = end(from, limit());
    HEAD.setRelease(this, from);
    return slice.clear().limit(index(from) + (int) (sliceEnd - from)).position(index(from));
  }

  /** Where the messages from a position on end in one piece. */
  private long end(long from, long limit) {
    long end = Math.min(limit, from + capacity - index(from));
    long wraps = (long) WRAP.getOpaque(this);
    return wraps > from && wraps < end ? wraps : end;
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
    while (at < limit) {
      long from = at == (long) WRAP.getOpaque(this) ? at + capacity - index(at) : at;
      at = end(from, limit);
      rest.add(memory.duplicate().limit(index(from) + (int) (at - from)).position(index(from)));
    }
    return at;
  }

  // The owner, with the session's lock.

  /** Forgets everything: the connection has ended. */
  void clear() {
    isHeld = false;
    sliceEnd = (long) TAIL.get(this);
    HEAD.setRelease(this, sliceEnd);
  }

  /** Forgets everything, and leaves the memory to a connection that has not written all of it. */
  void renew() {
    memory = ByteBuffer.allocateDirect(capacity);
    slice = memory.duplicate();
    clear();
  }
}
