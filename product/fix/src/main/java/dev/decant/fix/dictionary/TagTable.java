package dev.decant.fix.dictionary;

import java.util.Arrays;

/**
 * Numbers by tag, or by the number of a MsgType(35): open addressing, at most half full, immutable once built. A lookup
 * accepts any number, negative ones too, and allocates nothing.
 *
 * <pre>
 *   cells:  tag | value | tag | value | ...      tag 0: the slot is free, and its value is -1
 * </pre>
 */
final class TagTable {
  /** {@link #get} returns this if the table does not have the tag. */
  static final int ABSENT = -1;
  /** The fraction of the golden ratio in 32 bits, which distributes neighbours over the table. */
  private static final int MULTIPLIER = 0x9E37_79B9;

  private final int[] cells;
  private final int mask;
  private final int shift;

  private TagTable(int slots) {
    cells = new int[2 * slots];
    Arrays.fill(cells, ABSENT);
    for (int slot = 0; slot < slots; slot++) {
      cells[2 * slot] = 0;
    }
    mask = slots - 1;
    shift = 32 - Integer.numberOfTrailingZeros(slots);
  }

  /** Creates a table of the index of each tag in the array. The tags are positive and distinct. */
  static TagTable ofIndexes(int[] tags) {
    int slots = Math.max(2, Integer.highestOneBit(Math.max(1, tags.length)) << 2);
    TagTable table = new TagTable(slots);
    for (int i = 0; i < tags.length; i++) {
      table.put(tags[i], i);
    }
    return table;
  }

  private void put(int tag, int value) {
    int slot = (tag * MULTIPLIER) >>> shift;
    while (cells[2 * slot] != 0) {
      slot = (slot + 1) & mask;
    }
    cells[2 * slot] = tag;
    cells[2 * slot + 1] = value;
  }

  /** Returns the value of a tag, or {@link #ABSENT}. */
  int get(int tag) {
    int[] table = cells;
    int slot = (tag * MULTIPLIER) >>> shift;
    while (true) {
      int found = table[2 * slot];
      if (found == tag) {
        return table[2 * slot + 1];
      }
      if (found == 0) {
        return ABSENT;
      }
      slot = (slot + 1) & mask;
    }
  }

  boolean contains(int tag) {
    return get(tag) != ABSENT;
  }
}
