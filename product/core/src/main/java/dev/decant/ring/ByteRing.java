package dev.decant.ring;

/**
 * A bounded ring of records in memory of the user. A record is in one piece. If it does not fit before the end of the
 * memory, it begins at the start, and the user marks the rest before the end as padding.
 *
 * <pre>
 *   position p is at index p modulo capacity
 *
 *   0                 index(claim)    index(tail)         capacity
 *   +-----------------+---------------+-------------------+
 *   | claimed record  | not released  | skipped           |
 *   +-----------------+---------------+-------------------+
 *
 *   long tail = ring.producerTail();
 *   long claim = ring.claim(bytes);               NO_ROOM, or
 *   if (claim != tail) { pad from index(tail) }   skipped: claim - tail bytes
 *   write at index(claim)
 *   ring.publish(claim + bytes)
 * </pre>
 *
 * <p>A claim has no state. To abandon it, the producer does not publish it.
 *
 * <p>The producer keeps the head that it has last seen, and loads the consumer's head only if the ring seems to be
 * full. The consumer's cache line therefore moves once in a round of the ring, not once for each record.
 */
public final class ByteRing extends RingPositions {
  /** {@link #claim} returns this if the record has no room now. */
  public static final long NO_ROOM = -1;

  private final int capacity;
  private final int mask;

  /**
   * Makes an empty ring.
   *
   * @param capacity bytes of the memory, a power of two
   * @throws IllegalArgumentException if it is no power of two
   */
  public ByteRing(int capacity) {
    this(capacity, 0, 0);
  }

  /**
   * Makes a ring whose memory has records already.
   *
   * @param capacity bytes of the memory, a power of two
   * @param head the position of the first record
   * @param tail the position after the last record, at most the capacity behind the head
   * @throws IllegalArgumentException if the capacity is no power of two
   */
  public ByteRing(int capacity, long head, long tail) {
    super(head, tail);
    if (Integer.bitCount(capacity) != 1 || capacity < 0) {
      throw new IllegalArgumentException("capacity " + capacity + " is not a power of two");
    }
    this.capacity = capacity;
    mask = capacity - 1;
  }

  /**
   * Returns the capacity of the ring.
   *
   * @return bytes, a power of two
   */
  public int capacity() {
    return capacity;
  }

  /**
   * Returns the index of a position in the memory. Any thread.
   *
   * @param position a position of the ring
   * @return at least 0, and less than the capacity
   */
  public int index(long position) {
    return (int) position & mask;
  }

  /**
   * Finds room for a record. An empty ring has room for at least half of its capacity. Producer only.
   *
   * @param bytes the length of the record, at most the capacity
   * @return the position at which the record begins, {@link #producerTail} or the start of the memory behind it;
   *     {@link #NO_ROOM} if there is no room now
   */
  public long claim(int bytes) {
    long tail = producerTail();
    int toEnd = capacity - index(tail);
    long from = bytes <= toEnd ? tail : tail + toEnd;
    return hasRoom(from + bytes) ? from : NO_ROOM;
  }

  private boolean hasRoom(long end) {
    return end - positions[SEEN_HEAD] <= capacity || end - seenHead() <= capacity;
  }

  private long seenHead() {
    long head = head();
    positions[SEEN_HEAD] = head;
    return head;
  }

  /**
   * Returns how many bytes are published and not released. Reads the consumer's head only if the result would exceed a
   * limit. Producer only.
   *
   * @param limit up to which the caller needs no exact number
   * @return the exact number if it exceeds the limit; otherwise the most that it can be
   */
  public long used(long limit) {
    long used = producerTail() - positions[SEEN_HEAD];
    return used <= limit ? used : producerTail() - seenHead();
  }
}
