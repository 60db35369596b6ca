package dev.decant.fix.store;

import dev.decant.fix.status.StoreStatus;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A ring of messages in direct memory, and a ring of entries that say where they are, in the order of their numbers:
 *
 * <pre>
 *   0        8          16      24       28       32
 *   +--------+----------+-------+--------+--------+
 *   | number | position | time  | length | unused |      position: in the ring of messages, ever growing
 *   +--------+----------+-------+--------+--------+
 *     long     long       long    int      int
 * </pre>
 *
 * A message is never split: one that does not fit in front of the ring's end begins at its start. A full ring drops its
 * oldest messages.
 */
final class MemoryStore implements MessageStore {
  private static final int ENTRY_BYTES = 32;
  private static final int POSITION = 8;
  private static final int TIME = 16;
  private static final int LENGTH = 24;
  private static final int ENTRIES_SHARE = 4;
  private static final ByteBuffer NO_MEMORY = ByteBuffer.allocateDirect(0);

  private final NativeMemory memory = NativeMemory.open();
  /** Views of the memory, which {@link #close} replaces by empty ones. */
  private ByteBuffer messages;
  private ByteBuffer readOnlyMessages;
  private ByteBuffer entries;
  private final int entryMask;
  private final SequenceNumbers numbers;
  /** Entries from this one up to {@link #endEntry} are there; both only grow, except when messages are forgotten. */
  private long firstEntry;
  private long endEntry;
  /** After the newest message. */
  private long endPosition;
  private boolean isClosed;

  MemoryStore(int ringBytes, long epochNanos) {
    int entryCount = Integer.highestOneBit(ringBytes / ENTRIES_SHARE / ENTRY_BYTES);
    entryMask = entryCount - 1;
    int entryBytes = entryCount * ENTRY_BYTES;
    // in one piece: if there is no room for it, nothing is left that would have to be closed
    ByteBuffer all = memory.allocate(ringBytes);
    entries = all.slice(0, entryBytes);
    messages = all.slice(entryBytes, ringBytes - entryBytes);
    readOnlyMessages = messages.asReadOnlyBuffer();
    numbers = new SequenceNumbers(epochNanos);
  }

  @Override
  public long nextOutbound() {
    return numbers.nextOutbound();
  }

  @Override
  public long nextInbound() {
    return numbers.nextInbound();
  }

  @Override
  public long createdEpochNanos() {
    return numbers.createdEpochNanos();
  }

  @Override
  public StoreStatus status() {
    return new StoreStatus("memory", EpochNanos.instant(createdEpochNanos()), isClosed ? 0 : usedBytes(),
        messages.capacity());
  }

  @Override
  public boolean appendOutbound(long number, long epochNanos, ByteBuffer buffer, int from, int to) {
    requireOpen();
    numbers.require(RecordKind.OUTBOUND, number);
    int length = to - from;
    int capacity = messages.capacity();
    if (length > capacity) {
      throw new IllegalArgumentException(
          "a message has " + length + " bytes; the ringBytes of MemoryStores leave " + capacity);
    }
    long position = endPosition;
    int index = (int) (position % capacity);
    if (length > capacity - index) {
      position += capacity - index;
      index = 0;
    }
    makeRoom(position + length - capacity);
    messages.put(index, buffer, from, length);
    int entry = entryAt(endEntry);
    entries.putLong(entry, number);
    entries.putLong(entry + POSITION, position);
    entries.putLong(entry + TIME, epochNanos);
    entries.putInt(entry + LENGTH, length);
    endEntry++;
    endPosition = position + length;
    numbers.apply(RecordKind.OUTBOUND, number, epochNanos);
    return true;
  }

  /** Drops messages that begin before a position, and the oldest if there is no entry for another one. */
  private void makeRoom(long firstPosition) {
    while (firstEntry < endEntry && (endEntry - firstEntry > entryMask || positionOf(firstEntry) < firstPosition)) {
      firstEntry++;
    }
  }

  private int entryAt(long entry) {
    return ((int) entry & entryMask) * ENTRY_BYTES;
  }

  private long numberOf(long entry) {
    return entries.getLong(entryAt(entry));
  }

  private long positionOf(long entry) {
    return entries.getLong(entryAt(entry) + POSITION);
  }

  @Override
  public boolean setNextOutbound(long number, long epochNanos) {
    requireOpen();
    numbers.require(RecordKind.NEXT_OUTBOUND, number);
    numbers.apply(RecordKind.NEXT_OUTBOUND, number, epochNanos);
    forget(number);
    return true;
  }

  private void forget(long number) {
    while (firstEntry < endEntry && numberOf(endEntry - 1) >= number) {
      endEntry--;
      endPosition = positionOf(endEntry);
    }
  }

  @Override
  public boolean appendInbound(long number, long epochNanos, ByteBuffer buffer, int from, int to) {
    requireOpen();
    numbers.require(RecordKind.INBOUND, number);
    numbers.apply(RecordKind.INBOUND, number, epochNanos);
    return true;
  }

  @Override
  public boolean setNextInbound(long number, long epochNanos) {
    requireOpen();
    numbers.require(RecordKind.NEXT_INBOUND, number);
    numbers.apply(RecordKind.NEXT_INBOUND, number, epochNanos);
    return true;
  }

  @Override
  public boolean reset(long epochNanos) {
    requireOpen();
    numbers.apply(RecordKind.RESET, 1, epochNanos);
    forget(1);
    return true;
  }

  @Override
  public boolean commit() {
    requireOpen();
    return true;
  }

  @Override
  public boolean needsCommit() {
    return false;
  }

  @Override
  public void replayOutbound(long fromNumber, long toNumber, Replay replay) {
    requireOpen();
    long entry = firstNotBelow(fromNumber);
    boolean goesOn = true;
    while (goesOn && entry < endEntry && numberOf(entry) <= toNumber) {
      int at = entryAt(entry);
      int from = (int) (positionOf(entry) % messages.capacity());
      goesOn = replay.onMessage(numberOf(entry), entries.getLong(at + TIME), readOnlyMessages, from,
          from + entries.getInt(at + LENGTH));
      // a handler that appends may have dropped the next ones
      entry = Math.max(entry + 1, firstEntry);
    }
  }

  /** The oldest entry whose number is not below. */
  private long firstNotBelow(long number) {
    long low = firstEntry;
    long high = endEntry;
    while (low < high) {
      long middle = (low + high) >>> 1;
      if (numberOf(middle) < number) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  @Override
  public @Nullable IOException failure() {
    return null;
  }

  @Override
  public void close() {
    if (!isClosed) {
      isClosed = true;
      // a closed store that is still referred to must hold no buffer
      messages = NO_MEMORY;
      readOnlyMessages = NO_MEMORY;
      entries = NO_MEMORY;
      memory.close();
    }
  }

  private long usedBytes() {
    return firstEntry == endEntry ? 0 : endPosition - positionOf(firstEntry);
  }

  private void requireOpen() {
    if (isClosed) {
      throw new IllegalStateException("the store is closed");
    }
  }
}
