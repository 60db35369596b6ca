package dev.decant.fix.store;

import dev.decant.fix.record.NativeMemory;
import dev.decant.fix.record.RecordKind;
import dev.decant.fix.record.SequenceNumbers;
import dev.decant.fix.status.StoreStatus;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A ring of messages in direct memory, with a ring of entries in the order of their numbers. An entry locates its
 * message:
 *
 * <pre>
 *   0        8          16      24       28       32
 *   +--------+----------+-------+--------+--------+
 *   | number | position | time  | length | unused |      position: in the ring of messages, ever growing
 *   +--------+----------+-------+--------+--------+
 *     long     long       long    int      int
 * </pre>
 *
 * <p>A message is never split: if it does not fit before the end of the ring, it begins at the start. Both rings begin
 * small. A full one moves to {@value #GROWTH} times as much memory, since 2,000 rings of full size would take 32 GB
 * before their first message. A ring of the largest size drops its oldest messages. So does a ring for which there is
 * no more memory.
 */
final class MemoryStore extends NumberedStore {
  private static final int ENTRY_BYTES = 32;
  private static final int POSITION = 8;
  private static final int TIME = 16;
  private static final int LENGTH = 24;
  private static final int ENTRIES_SHARE = 4;
  private static final int GROWTH = 4;
  private static final System.Logger LOG = System.getLogger(MemoryStore.class.getName());
  private static final ByteBuffer NO_MEMORY = ByteBuffer.allocateDirect(0);

  /** The largest size of both rings together, in bytes. */
  private final int maxBytes;
  /** The present size. It becomes the largest one if there is no memory for more. */
  private int bytes;
  private NativeMemory memory;
  /** Views of the memory. Growth and {@link #close} replace them. */
  private ByteBuffer messages;
  private ByteBuffer readOnlyMessages;
  private ByteBuffer entries;
  private int entryMask;
  /** The first entry. Entries up to {@link #endEntry} exist. Both only grow, except when messages are forgotten. */
  private long firstEntry;
  /** The entry after the newest one. */
  private long endEntry;
  /** The position after the newest message. */
  private long endPosition;
  /** How often the rings have moved. A replay notices a move by it. */
  private int moves;
  /** Number of handlers that read, each within another. */
  private int replays;
  /** Memory that the rings have left, which a handler may still read. */
  private final List<NativeMemory> left = new ArrayList<>(0);

  MemoryStore(int firstBytes, int ringBytes, long epochNanos) {
    super(new SequenceNumbers(epochNanos), false);
    maxBytes = ringBytes;
    bytes = firstBytes;
    memory = NativeMemory.open();
    // One allocation: if it fails, nothing has to be freed.
    ByteBuffer all = memory.allocate(bytes);
    entryMask = entryCount(bytes) - 1;
    entries = all.slice(0, entryBytes(bytes));
    messages = all.slice(entryBytes(bytes), messageBytes(bytes));
    readOnlyMessages = messages.asReadOnlyBuffer();
  }

  private static int entryCount(int ringBytes) {
    return Integer.highestOneBit(ringBytes / ENTRIES_SHARE / ENTRY_BYTES);
  }

  private static int entryBytes(int ringBytes) {
    return entryCount(ringBytes) * ENTRY_BYTES;
  }

  private static int messageBytes(int ringBytes) {
    return ringBytes - entryBytes(ringBytes);
  }

  @Override
  public StoreStatus status() {
    return new StoreStatus("memory", EpochNanos.instant(createdEpochNanos()), isClosed ? 0 : usedBytes(),
        isClosed ? 0 : messageBytes(maxBytes));
  }

  @Override
  boolean append(int kind, long number, long epochNanos, ByteBuffer body, int from, int to) {
    requireOpen();
    numbers.require(kind, number);
    if (kind == RecordKind.OUTBOUND && !keep(number, epochNanos, body, from, to - from)) {
      return false;
    }
    numbers.apply(kind, number, epochNanos);
    if (kind == RecordKind.NEXT_OUTBOUND || kind == RecordKind.RESET) {
      forget(number);
    }
    return true;
  }

  /** Puts a message into the ring. Returns false if there is no memory for it. */
  private boolean keep(long number, long epochNanos, ByteBuffer buffer, int from, int length) {
    if (length > messageBytes(maxBytes)) {
      throw new IllegalArgumentException(
          "a message has " + length + " bytes; the ringBytes of MemoryStores leave " + messageBytes(maxBytes));
    }
    while (bytes < maxBytes && !hasRoom(length) && grow()) {
      // The next size may still be too small.
    }
    int capacity = messages.capacity();
    if (length > capacity) {
      failure = new IOException("there is no memory for a message of " + length + " bytes");
      return false;
    }
    failure = null;
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
    return true;
  }

  /** Returns true if a message fits without dropping another one. */
  private boolean hasRoom(int length) {
    int capacity = messages.capacity();
    int index = (int) (endPosition % capacity);
    long end = endPosition + length + (length > capacity - index ? capacity - index : 0);
    return length <= capacity && endEntry - firstEntry <= entryMask
        && (firstEntry == endEntry || positionOf(firstEntry) >= end - capacity);
  }

  /**
   * Moves to larger memory with all messages. Returns false if there is none; then the present size is the largest one.
   */
  private boolean grow() {
    int larger = (int) Math.min(maxBytes, (long) bytes * GROWTH);
    if (messageBytes(larger) <= messageBytes(bytes)) { // The larger index takes all the additional memory.
      bytes = maxBytes;
      return false;
    }
    NativeMemory grown = NativeMemory.open();
    ByteBuffer all;
    try {
      all = grown.allocate(larger);
    } catch (OutOfMemoryError e) {
      grown.close();
      LOG.log(System.Logger.Level.WARNING, "there is no memory for " + larger + " bytes of a memory store: it keeps "
          + bytes + " bytes, and drops its oldest messages", e);
      bytes = maxBytes;
      return false;
    }
    move(all.slice(0, entryBytes(larger)), all.slice(entryBytes(larger), messageBytes(larger)));
    entryMask = entryCount(larger) - 1;
    bytes = larger;
    moves++;
    left.add(memory);
    memory = grown;
    closeLeft();
    return true;
  }

  private void closeLeft() {
    if (replays == 0 && !left.isEmpty()) {
      left.forEach(NativeMemory::close);
      left.clear();
    }
  }

  /** Copies the messages to the begin of a larger ring, in their order and without gaps. */
  private void move(ByteBuffer newEntries, ByteBuffer newMessages) {
    int capacity = messages.capacity();
    int at = 0;
    int count = 0;
    for (long entry = firstEntry; entry < endEntry; entry++) {
      int from = entryAt(entry);
      int to = count++ * ENTRY_BYTES;
      int length = entries.getInt(from + LENGTH);
      newMessages.put(at, messages, (int) (positionOf(entry) % capacity), length);
      newEntries.putLong(to, numberOf(entry)).putLong(to + POSITION, at)
          .putLong(to + TIME, entries.getLong(from + TIME)).putInt(to + LENGTH, length);
      at += length;
    }
    firstEntry = 0;
    endEntry = count;
    endPosition = at;
    entries = newEntries;
    messages = newMessages;
    readOnlyMessages = newMessages.asReadOnlyBuffer();
  }

  /** Drops messages that begin before a position, and the oldest one if there is no free entry. */
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

  private void forget(long number) {
    while (firstEntry < endEntry && numberOf(endEntry - 1) >= number) {
      endEntry--;
      endPosition = positionOf(endEntry);
    }
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
    replays++;
    try {
      replay(fromNumber, toNumber, replay);
    } finally {
      replays--;
      closeLeft();
    }
  }

  private void replay(long fromNumber, long toNumber, Replay replay) {
    long entry = firstNotBelow(fromNumber);
    boolean continues = true;
    while (continues && entry < endEntry && numberOf(entry) <= toNumber) {
      int at = entryAt(entry);
      int from = (int) (positionOf(entry) % messages.capacity());
      long number = numberOf(entry);
      int movesBefore = moves;
      continues = replay.onMessage(number, entries.getLong(at + TIME), readOnlyMessages, from,
          from + entries.getInt(at + LENGTH));
      // A handler that appends may have dropped the next messages, or moved the rings.
      entry = movesBefore == moves ? Math.max(entry + 1, firstEntry) : firstNotBelow(number + 1);
    }
  }

  /** Returns the oldest entry whose number is at least {@code number}. */
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
  public void close() {
    if (!isClosed) {
      isClosed = true;
      // A closed store may still be referenced, so it must keep no buffer.
      messages = NO_MEMORY;
      readOnlyMessages = NO_MEMORY;
      entries = NO_MEMORY;
      memory.close();
    }
  }

  private long usedBytes() {
    return firstEntry == endEntry ? 0 : endPosition - positionOf(firstEntry);
  }
}
