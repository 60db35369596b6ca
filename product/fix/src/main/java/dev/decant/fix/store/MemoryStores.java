package dev.decant.fix.store;

import dev.decant.fix.settings.SessionId;

/**
 * Stores numbers and messages in memory. They are lost with the process, so sessions should reset their numbers at
 * logon.
 *
 * <p>Each session has a ring, which begins with 16 KiB and grows up to a limit. Then a new message replaces the oldest
 * ones, and those are not resent. Received messages are not stored. Any thread may open stores.
 */
public final class MemoryStores implements MessageStoreFactory {
  /** The default limit, enough for some 80,000 messages of 150 bytes: {@value}. */
  public static final int DEFAULT_RING_BYTES = 16 << 20;

  private static final int MIN_RING_BYTES = 4096;

  private static final int DEFAULT_FIRST_BYTES = 16 * 1024;

  private final int firstBytes;
  private final int ringBytes;

  /** Creates a factory of rings up to {@link #DEFAULT_RING_BYTES}. */
  public MemoryStores() {
    this(DEFAULT_RING_BYTES);
  }

  /**
   * Creates a factory of rings up to another size.
   *
   * @param ringBytes the most memory of each session, outside of the heap, at least 4 KiB. A quarter is for an index
   *     (32 bytes per message), the rest for messages
   */
  public MemoryStores(int ringBytes) {
    this(Math.min(ringBytes, DEFAULT_FIRST_BYTES), ringBytes);
  }

  /**
   * Creates a factory of rings that begin with another size. A full ring moves to four times as much memory. The last
   * step to 16 MiB takes some milliseconds; a ring that begins with its largest size never moves.
   *
   * @param firstBytes the memory of a session when it is opened, from 4 KiB to {@code ringBytes}
   * @param ringBytes the most memory of each session, as above
   */
  public MemoryStores(int firstBytes, int ringBytes) {
    if (ringBytes < MIN_RING_BYTES) {
      throw new IllegalArgumentException("ringBytes " + ringBytes + " is less than " + MIN_RING_BYTES);
    }
    if (firstBytes < MIN_RING_BYTES || firstBytes > ringBytes) {
      throw new IllegalArgumentException("firstBytes " + firstBytes + " is not from " + MIN_RING_BYTES + " to "
          + ringBytes);
    }
    this.firstBytes = firstBytes;
    this.ringBytes = ringBytes;
  }

  @Override
  public MessageStore open(SessionId session, long epochNanos) {
    return new MemoryStore(firstBytes, ringBytes, epochNanos);
  }
}
