package dev.decant.fix.log;

import dev.decant.ring.ByteRing;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Records on their way from the owner of the engine's loop, the producer, to the writer thread, the consumer. It is a
 * {@link ByteRing} in direct memory. A record is in one piece and begins at a multiple of 8:
 *
 * <pre>
 *   0        4      6            8            16          24              28
 *   +--------+------+------------+------------+-----------+---------------+--------------+------+---------+
 *   | length | kind | nameLength | epochNanos | lostSoFar | messageLength | loggedLength | name | message |
 *   +--------+------+------------+------------+-----------+---------------+--------------+------+---------+
 *   length         of the whole record, a multiple of 8
 *   lostSoFar      messages that found no room since the ring was made, up to this record
 *   messageLength  of the original message, of which loggedLength bytes follow
 * </pre>
 *
 * <p>A record of kind {@link #PADDING} fills the end of the ring if the next one does not fit; it has only the first
 * two fields.
 *
 * <p>Each loss is reported in its place. The consumer reads {@link #lost} first, then {@link #tail}. Records before a
 * loss are therefore below the tail that it sees, and it reports the loss after them. A record that was accepted after
 * the loss contains the loss, and the consumer reports it before that record.
 */
final class LogRing {
  static final short PADDING = 0;
  static final short INBOUND = 1;
  static final short OUTBOUND = 2;
  static final short EVENT = 3;

  // States of the consumer.
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
  /** Distance between fields that the two threads write: two cache lines, since processors fetch lines in pairs. */
  private static final int CACHE_LINES = 128;

  private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

  private static final VarHandle INT = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());

  private final ByteBuffer memory;
  private final ByteRing ring;
  private final int lostAt;
  private final int lostTimeAt;
  private final int stateAt;

  // Producer only.
  /** Messages that found no room. */
  private long producerLost;
  /** The tail after the claimed record. */
  private long claimedTail;

  /** Creates a ring with this capacity in bytes, a power of two. */
  LogRing(int capacity) {
    ring = new ByteRing(capacity);
    memory = ByteBuffer.allocateDirect(capacity + 3 * CACHE_LINES).alignedSlice(ALIGNMENT)
        .order(ByteOrder.nativeOrder());
    lostAt = capacity + CACHE_LINES;
    lostTimeAt = lostAt + Long.BYTES;
    stateAt = lostAt + CACHE_LINES;
  }

  int capacity() {
    return ring.capacity();
  }

  /** Returns the memory of the records, for both ends. */
  ByteBuffer memory() {
    return memory;
  }

  /**
   * Claims room for a record with this many bytes of name and message, and writes its length. Returns the index of the
   * record; -1 if there is no room now. An empty ring has room for at least half of its capacity. Producer only.
   */
  int claim(int payloadBytes) {
    int length = align(HEADER_BYTES + payloadBytes);
    long tail = ring.producerTail();
    long claim = ring.claim(length);
    if (claim == ByteRing.NO_ROOM) {
      return -1;
    }
    if (claim != tail) {
      int rest = ring.index(tail);
      memory.putInt(rest, (int) (claim - tail));
      memory.putShort(rest + KIND, PADDING);
    }
    claimedTail = claim + length;
    int index = ring.index(claim);
    memory.putInt(index, length);
    return index;
  }

  /** Writes the header of the claimed record. Producer only. */
  void describe(int index, short kind, int nameLength, long epochNanos) {
    memory.putShort(index + KIND, kind);
    memory.putShort(index + NAME_LENGTH, (short) nameLength);
    memory.putLong(index + EPOCH_NANOS, epochNanos);
    memory.putLong(index + LOST_SO_FAR, producerLost);
  }

  /** Writes how much of the message the claimed record has. Producer only. */
  void lengths(int index, int messageLength, int loggedLength) {
    memory.putInt(index + MESSAGE_LENGTH, messageLength);
    memory.putInt(index + LOGGED_LENGTH, loggedLength);
  }

  /**
   * Shows the claimed record to the consumer. The store is volatile: it precedes the producer's next load. Producer
   * only.
   */
  void publish() {
    ring.publishVolatile(claimedTail);
  }

  /** Counts a message that found no room. Producer only. */
  void lose(long epochNanos) {
    LONG.setOpaque(memory, lostTimeAt, epochNanos);
    LONG.setVolatile(memory, lostAt, ++producerLost);
  }

  /** Returns the most bytes that are in use; the exact number if that exceeds the limit. Producer only. */
  long used(int limit) {
    return ring.used(limit);
  }

  /** Returns how many messages found no room since the ring was made. Any thread. */
  long lost() {
    return (long) LONG.getVolatile(memory, lostAt);
  }

  /** Returns when the last of them was lost, or a little later. Any thread. */
  long lostEpochNanos() {
    return (long) LONG.getOpaque(memory, lostTimeAt);
  }

  /** Returns the position after the last record. Any thread. */
  long tail() {
    return ring.tail();
  }

  /** Returns the position of the first record that is in use. Any thread. */
  long head() {
    return ring.head();
  }

  /** Releases the memory before a position. Consumer only. */
  void release(long position) {
    ring.release(position);
  }

  /** Returns the state of the consumer. Any thread. */
  int consumerState() {
    return (int) INT.getVolatile(memory, stateAt);
  }

  /** Sets the state of the consumer. The store is volatile: it precedes the consumer's next load. Consumer only. */
  void consumerState(int state) {
    INT.setVolatile(memory, stateAt, state);
  }

  /** Changes the state to {@link #WORKING}. Returns false if it is no longer {@code seen}. Producer only. */
  boolean wakeConsumer(int seen) {
    return INT.compareAndSet(memory, stateAt, seen, WORKING);
  }

  int index(long position) {
    return ring.index(position);
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
