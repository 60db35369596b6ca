package dev.decant.fix.session;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Bodies of messages on their way from any thread to the owner of the session. A thread claims a place by moving the
 * tail, encodes in place and commits by a stamp. The owner takes them in the order of the claims.
 *
 * <pre>
 *   entry, at a multiple of 8
 *   0         8           12          16          20          24
 *   +---------+-----------+-----------+-----------+-----------+----------- ... --+
 *   | stamp   | entry     | body      | MsgType   | reserved  | body             |
 *   |         | bytes     | bytes     | as number |           |                  |
 *   +---------+-----------+-----------+-----------+-----------+----------- ... --+
 * </pre>
 *
 * <p>A committed entry has a unique stamp: its position, mixed with a number that only this ring knows. So no bytes of
 * an earlier lap, chosen by a peer or not, pass for an entry. Memory need not be cleared. A claim that is given up, or
 * the end of the memory that an entry does not fit into, is an entry without a body.
 *
 * <p>{@link #claim}, {@link #commit} and {@link #abort}: any thread. {@link #peek} and {@link #release}: owner only.
 */
public final class MessageRing {
  /** Of {@link #claim}: there is no room. */
  public static final long NO_ROOM = -1;
  /** Bytes before the body of an entry. */
  public static final int HEADER_BYTES = 24;

  private static final int ALIGNMENT = 8;
  private static final int ENTRY_BYTES = 8;
  private static final int BODY_BYTES = 12;
  private static final int MSG_TYPE = 16;
  private static final int NO_BODY = -1;

  private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder())
      .withInvokeExactBehavior();
  private static final VarHandle TAIL;
  private static final VarHandle HEAD;

  static {
    try {
      TAIL = MethodHandles.lookup().findVarHandle(MessageRing.class, "tail", long.class).withInvokeExactBehavior();
      HEAD = MethodHandles.lookup().findVarHandle(MessageRing.class, "head", long.class).withInvokeExactBehavior();
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final ByteBuffer memory;
  private final int capacity;
  private final long secret = ThreadLocalRandom.current().nextLong();
  /** Where the next claim begins; moved by any thread that claims. */
  @SuppressWarnings("UnusedVariable") // through TAIL
  private volatile long tail;
  /** Where the next entry to be taken begins; moved by the owner. */
  @SuppressWarnings("UnusedVariable") // through HEAD
  private volatile long head;

  /**
   * Makes an empty ring.
   *
   * @param bytes its capacity, a power of two
   */
  public MessageRing(int bytes) {
    if (Integer.bitCount(bytes) != 1 || bytes < 2 * HEADER_BYTES) {
      throw new IllegalArgumentException("a ring of " + bytes + " bytes; a power of two from 64 on is wanted");
    }
    ByteBuffer unaligned = ByteBuffer.allocateDirect(bytes + ALIGNMENT);
    memory = unaligned.alignedSlice(ALIGNMENT);
    capacity = bytes;
  }

  /**
   * Claims a place.
   *
   * @param maxBodyBytes the most that will be written
   * @return its position; {@link #NO_ROOM} if the ring is too full
   */
  public long claim(int maxBodyBytes) {
    int wanted = entryBytes(maxBodyBytes);
    while (true) {
      long at = (long) TAIL.getVolatile(this);
      int toEnd = capacity - offset(at);
      long begin = wanted <= toEnd ? at : at + toEnd;
      if (begin + wanted - (long) HEAD.getAcquire(this) > capacity) {
        return NO_ROOM;
      }
      if (TAIL.compareAndSet(this, at, begin + wanted)) {
        if (begin != at && toEnd >= HEADER_BYTES) {
          finish(at, toEnd, NO_BODY, 0);
        }
        memory.putInt(offset(begin) + ENTRY_BYTES, wanted); // for an abort
        return begin;
      }
    }
  }

  /** The memory of bodies. */
  public ByteBuffer memory() {
    return memory;
  }

  /**
   * Where the body of a claim goes.
   *
   * @param position of the claim
   * @return index in {@link #memory()} of its first byte
   */
  public int bodyOffset(long position) {
    return offset(position) + HEADER_BYTES;
  }

  /**
   * Hands a claim over, with what was written. Room that was not used is given back, unless another claim has come
   * behind it.
   *
   * @param position of the claim
   * @param msgType MsgType as a number
   * @param bodyBytes how many bytes were written, at most what was claimed
   */
  public void commit(long position, int msgType, int bodyBytes) {
    int claimed = memory.getInt(offset(position) + ENTRY_BYTES);
    int used = entryBytes(bodyBytes);
    boolean shrunk = used < claimed && TAIL.compareAndSet(this, position + claimed, position + used);
    finish(position, shrunk ? used : claimed, bodyBytes, msgType);
  }

  /**
   * Gives a claim up.
   *
   * @param position of the claim
   */
  public void abort(long position) {
    finish(position, memory.getInt(offset(position) + ENTRY_BYTES), NO_BODY, 0);
  }

  private void finish(long position, int entryBytes, int bodyBytes, int msgType) {
    int at = offset(position);
    memory.putInt(at + ENTRY_BYTES, entryBytes);
    memory.putInt(at + BODY_BYTES, bodyBytes);
    memory.putInt(at + MSG_TYPE, msgType);
    LONGS.setRelease(memory, at, stamp(position));
  }

  /**
   * Finds the next message. Owner only.
   *
   * @return its position; {@link #NO_ROOM} if none is committed
   */
  public long peek() {
    while (true) {
      long at = (long) HEAD.getOpaque(this);
      int offset = offset(at);
      int toEnd = capacity - offset;
      if (toEnd < HEADER_BYTES) {
        if ((long) TAIL.getAcquire(this) <= at) {
          return NO_ROOM;
        }
        HEAD.setRelease(this, at + toEnd);
        continue;
      }
      if ((long) LONGS.getAcquire(memory, offset) != stamp(at)) {
        return NO_ROOM;
      }
      if (memory.getInt(offset + BODY_BYTES) != NO_BODY) {
        return at;
      }
      release(at);
    }
  }

  /**
   * The body of a message. Owner only.
   *
   * @param position what {@link #peek} gave
   * @return how many bytes
   */
  public int bodyBytes(long position) {
    return memory.getInt(offset(position) + BODY_BYTES);
  }

  /**
   * The type of a message. Owner only.
   *
   * @param position what {@link #peek} gave
   * @return MsgType as a number
   */
  public int msgType(long position) {
    return memory.getInt(offset(position) + MSG_TYPE);
  }

  /**
   * Gives the place of a message back. Owner only.
   *
   * @param position what {@link #peek} gave
   */
  public void release(long position) {
    HEAD.setRelease(this, position + memory.getInt(offset(position) + ENTRY_BYTES));
  }

  /**
   * Tells whether every claim has been taken. Any thread; a hint.
   *
   * @return false while something is claimed or committed
   */
  public boolean isEmpty() {
    return (long) HEAD.getVolatile(this) >= (long) TAIL.getVolatile(this);
  }

  private long stamp(long position) {
    return position ^ secret;
  }

  private int offset(long position) {
    return (int) position & capacity - 1;
  }

  private static int entryBytes(int bodyBytes) {
    return HEADER_BYTES + bodyBytes + ALIGNMENT - 1 & -ALIGNMENT;
  }
}
