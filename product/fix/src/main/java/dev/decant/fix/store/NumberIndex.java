package dev.decant.fix.store;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Where in a segment the messages that were sent are, sparsely: the first one, then one in each {@value #STRIDE} bytes.
 * A number that is set back removes the entries from it on, and its record becomes an entry.
 *
 * <p>So entries are ordered by number and by position at once. For two entries, a message with a number between theirs
 * is live only if it lies between their positions. A message between their positions is live only if its number is
 * between theirs.
 *
 * <p>One thread at a time.
 */
final class NumberIndex {
  static final int STRIDE = 4096;

  private static final int ENTRY_BYTES = 16;
  private static final int POSITION = 8;
  /** Entries beyond one in each stride: for numbers that are set back. A segment without room for one is full. */
  private static final int SPARE = 64;

  /** Number and position, a long each. */
  private final ByteBuffer entries;
  private int count;

  NumberIndex(ByteBuffer memory) {
    entries = memory.order(ByteOrder.LITTLE_ENDIAN);
  }

  /** What the index of a segment takes. */
  static int bytes(int segmentBytes) {
    return (segmentBytes / STRIDE + SPARE) * ENTRY_BYTES;
  }

  boolean hasRoom() {
    return count < entries.capacity() / ENTRY_BYTES;
  }

  /** A message was appended. */
  void add(long number, int position) {
    if (count == 0 || position - positionAt(count - 1) >= STRIDE) {
      addEntry(number, position);
    }
  }

  /** A number was set back by a record of this segment, after all segments have forgotten the messages from it on. */
  void addEntry(long number, int position) {
    int at = count * ENTRY_BYTES;
    entries.putLong(at, number);
    entries.putLong(at + POSITION, position);
    count++;
  }

  /** Messages from a number on are forgotten. */
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

  /** The last entry whose number is not above; the first one if there is none. */
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
