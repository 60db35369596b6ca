package dev.decant.fix.log;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Records on their way from the owner of the engine's loop, the producer, to the writer thread, the consumer. A bounded
 * ring in direct memory, without a lock. A record lies in one piece and begins at a multiple of 8:
 *
 * <pre>
 *   0        4      6            8            16          24              28
 *   +--------+------+------------+------------+-----------+---------------+--------------+------+---------+
 *   | length | kind | nameLength | epochNanos | lostSoFar | messageLength | loggedLength | name | message |
 *   +--------+------+------------+------------+-----------+---------------+--------------+------+---------+
 *
 *   length         of the whole record, a multiple of 8
 *   lostSoFar      messages that found no room since the ring was made, up to this record
 *   messageLength  of the message as it was; loggedLength of it follow
 * </pre>
 *
 * <p>A record of kind {@link #PADDING} fills the end of the ring where the next one does not fit; it has only the first
 * two fields. The positions of both ends count bytes since the ring was made.
 *
 * <p>No loss goes unseen: the consumer reads {@link #lost} first and {@link #tail} then. A loss came after the records
 * before it. So these lie below the tail that it sees, and it reports the loss after them. If a record that was
 * accepted after the loss lies there too, that record carries the loss, and the consumer reports it before it.
 */
final class LogRing {
  static final short PADDING = 0;
  static final short INBOUND = 1;
  static final short OUTBOUND = 2;
  static final short EVENT = 3;

  // What the consumer does.
  static final int WORKING = 0;
  static final int LINGERING = 1;
  static final int SLEEPING = 2;

  static final int HEADER_BYTES = 32;

  private static final int KIND = 4;
  private static final int NAME_LENGTH = 6;
  private static final int EPOCH_NANOS = 8;
  private static final int LOST_SO_FAR = 16;
  private static final int MESSAGE_LENGTH = 24;
  private static final int LOGGED_LENGTH = 28;
  private static final int ALIGNMENT = 8;
  /** Keeps what the two threads write two cache lines apart: processors fetch lines in pairs. */
  private static final int CACHE_LINES = 128;

  private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

  private static final VarHandle INT = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());

  private final ByteBuffer memory;
  private final int capacity;
  private final int tailAt;
  private final int headAt;
  private final int lostAt;
  private final int lostTimeAt;
  private final int stateAt;

  // Producer only.
  private long producerTail;
  private long producerHead;
  private long producerLost;
  private long claimedTail;

  /** A ring of so many bytes, a power of two. */
  LogRing(int capacity) {
    if (Integer.bitCount(capacity) != 1 || capacity < 2 * HEADER_BYTES) {
      throw new IllegalArgumentException("capacity " + capacity + " is not a power of two above " + HEADER_BYTES);
    }
    this.capacity = capacity;
    memory = ByteBuffer.allocateDirect(capacity + 5 * CACHE_LINES).alignedSlice(ALIGNMENT)
        .order(ByteOrder.nativeOrder());
    tailAt = capacity + CACHE_LINES;
    headAt = tailAt + CACHE_LINES;
    lostAt = headAt + CACHE_LINES;
    lostTimeAt = lostAt + Long.BYTES;
    stateAt = lostAt + CACHE_LINES;
  }

  int capacity() {
    return capacity;
  }

  /** What holds the records, for both ends. */
  ByteBuffer memory() {
    return memory;
  }

  /**
   * Producer: finds room for a record with so many bytes of name and message. An empty ring has room for at least half
   * its capacity.
   *
   * @return index of the record, whose length is written; -1 if there is no room now
   */
  int claim(int payloadBytes) {
    int length = align(HEADER_BYTES + payloadBytes);
    int index = (int) producerTail & (capacity - 1);
    int toEnd = capacity - index;
    int needed = length <= toEnd ? length : toEnd + length;
    if (needed > capacity - (producerTail - producerHead)) {
      producerHead = head();
      if (needed > capacity - (producerTail - producerHead)) {
        return -1;
      }
    }
    claimedTail = producerTail + needed;
    if (length > toEnd) {
      memory.putInt(index, toEnd);
      memory.putShort(index + KIND, PADDING);
      index = 0;
    }
    memory.putInt(index, length);
    return index;
  }

  /** Producer: describes the record just claimed. */
  void describe(int index, short kind, int nameLength, long epochNanos) {
    memory.putShort(index + KIND, kind);
    memory.putShort(index + NAME_LENGTH, (short) nameLength);
    memory.putLong(index + EPOCH_NANOS, epochNanos);
    memory.putLong(index + LOST_SO_FAR, producerLost);
  }

  /** Producer: says how much of the message the record just claimed has. */
  void lengths(int index, int messageLength, int loggedLength) {
    memory.putInt(index + MESSAGE_LENGTH, messageLength);
    memory.putInt(index + LOGGED_LENGTH, loggedLength);
  }

  /**
   * Producer: shows the claimed record to the consumer. What the producer reads afterwards, it reads after this write.
   */
  void publish() {
    producerTail = claimedTail;
    LONG.setVolatile(memory, tailAt, producerTail);
  }

  /** Producer: notes that a message found no room. */
  void lose(long epochNanos) {
    LONG.setOpaque(memory, lostTimeAt, epochNanos);
    LONG.setVolatile(memory, lostAt, ++producerLost);
  }

  /** Producer: bytes in use, at most; exact if that is more than the limit. */
  long used(int limit) {
    if (producerTail - producerHead > limit) {
      producerHead = head();
    }
    return producerTail - producerHead;
  }

  /** Messages that found no room since the ring was made; any thread. */
  long lost() {
    return (long) LONG.getVolatile(memory, lostAt);
  }

  /** When the last of them was lost, or a little later; any thread. */
  long lostEpochNanos() {
    return (long) LONG.getOpaque(memory, lostTimeAt);
  }

  /** Position after the last record; any thread. */
  long tail() {
    return (long) LONG.getVolatile(memory, tailAt);
  }

  /** Position of the first record that is still in use; any thread. */
  long head() {
    return (long) LONG.getAcquire(memory, headAt);
  }

  /** Consumer: gives the memory before a position back. */
  void release(long position) {
    LONG.setRelease(memory, headAt, position);
  }

  /** What the consumer does; any thread. */
  int consumerState() {
    return (int) INT.getVolatile(memory, stateAt);
  }

  /** Consumer: announces what it does next. What it reads afterwards, it reads after this write. */
  void consumerState(int state) {
    INT.setVolatile(memory, stateAt, state);
  }

  /** Producer: changes the state to {@link #WORKING}; false if it is not the one seen any more. */
  boolean wakeConsumer(int seen) {
    return INT.compareAndSet(memory, stateAt, seen, WORKING);
  }

  int index(long position) {
    return (int) position & (capacity - 1);
  }

  int length(int index) {
    return memory.getInt(index);
  }

  short kind(int index) {
    return memory.getShort(index + KIND);
  }

  int nameLength(int index) {
    return memory.getShort(index + NAME_LENGTH);
  }

  long epochNanos(int index) {
    return memory.getLong(index + EPOCH_NANOS);
  }

  long lostSoFar(int index) {
    return memory.getLong(index + LOST_SO_FAR);
  }

  int messageLength(int index) {
    return memory.getInt(index + MESSAGE_LENGTH);
  }

  int loggedLength(int index) {
    return memory.getInt(index + LOGGED_LENGTH);
  }

  private static int align(int bytes) {
    return (bytes + ALIGNMENT - 1) & -ALIGNMENT;
  }
}
