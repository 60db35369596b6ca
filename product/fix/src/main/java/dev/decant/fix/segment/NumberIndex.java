package dev.decant.fix.segment;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A sparse index of the sent messages of a segment: the first one, then one in each {@value #STRIDE} bytes. When a
 * number is set back, the entries from it on are removed, and the record of that change becomes an entry.
 *
 * <p>So entries are ordered by number and by position at once. A message with a number between those of two entries is
 * live only if it lies between their positions. A message between their positions is live only if its number is between
 * theirs.
 *
 * <p>One thread at a time.
 */
final class NumberIndex {
  static final int STRIDE = 4096;

  private static final int ENTRY_BYTES = 16;
  private static final int POSITION = 8;
  /** Additional entries, for numbers that are set back. A segment without a free one is full. */
  private static final int SPARE = 64;

  /** Pairs of number and position, a long each. */
  private final ByteBuffer entries;
  /** Number of entries. */
  private int count;

  NumberIndex(ByteBuffer memory) {
    entries = memory.order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Returns the memory that the index of a segment takes. */
  static int bytes(int segmentBytes) {
    return (segmentBytes / STRIDE + SPARE) * ENTRY_BYTES;
  }

  boolean hasRoom() {
    return count < entries.capacity() / ENTRY_BYTES;
  }

  /** Adds a message that was appended. */
  void add(long number, int position) {
    if (count == 0 || position - positionAt(count - 1) >= STRIDE) {
      addEntry(number, position);
    }
  }

  /**
   * Adds the record of this segment that sets a number back. All segments have forgotten the messages from it on
   * before.
   */
  void addEntry(long number, int position) {
    int at = count * ENTRY_BYTES;
    entries.putLong(at, number);
    entries.putLong(at + POSITION, position);
    count++;
  }

  /** Removes the entries of messages from a number on. */
  void forget(long number) {
    while (count > 0 && numberAt(count - 1) >= number) {
      count--;
    }
  }

  int count() {
    return count;
  }

  long numberAt(int entry) {
    return entries.getLong(entry * ENTRY_BYTES);
  }

  int positionAt(int entry) {
    return (int) entries.getLong(entry * ENTRY_BYTES + POSITION);
  }

  /** Returns the last entry whose number is not above this one; the first entry if there is none. */
  int floor(long number) {
    int low = 0;
    int high = count - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (numberAt(middle) <= number) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }
}
