package dev.decant.fix.store;

import dev.decant.fix.settings.SessionId;

/**
 * Keeps numbers and messages in memory: they end with the process, so sessions should reset their numbers at logon.
 *
 * <p>Each session has a ring of the same size. A message that does not fit pushes out the oldest ones, and those are
 * not resent. The bytes of messages that arrive are not kept. Any thread may open stores.
 */
public final class MemoryStores implements MessageStoreFactory {
  /** Enough for some 80,000 messages of 150 bytes: {@value}. */
  public static final int DEFAULT_RING_BYTES = 16 << 20;

  private static final int MIN_RING_BYTES = 4096;

  private final int ringBytes;

  /** Makes rings of {@link #DEFAULT_RING_BYTES}. */
  public MemoryStores() {
    this(DEFAULT_RING_BYTES);
  }

  /**
   * Makes rings of another size.
   *
   * @param ringBytes memory of each session, outside of the heap, at least 4 KiB. A quarter is for an index (32 bytes
   *     per message), the rest for messages
   */
  public MemoryStores(int ringBytes) {
    if (ringBytes < MIN_RING_BYTES) {
      throw new IllegalArgumentException("ringBytes " + ringBytes + " is less than " + MIN_RING_BYTES);
    }
    this.ringBytes = ringBytes;
  }

  @Override
  public MessageStore open(SessionId session, long epochNanos) {
    return new MemoryStore(ringBytes, epochNanos);
  }
}
