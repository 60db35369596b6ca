package dev.decant.fix.dictionary;

import java.util.concurrent.ThreadLocalRandom;

/**
 * The tags of one message that its table does not have, to find repeated ones. It is cleared in constant time, because
 * each slot has the number of the message that filled it. The multiplier is random, so a counterparty cannot choose
 * tags that share a slot. The set grows with a message that has more of these tags than any before it; otherwise it
 * allocates nothing.
 */
final class TagSet {
  private static final int FIRST_SLOTS = 64;

  private final int multiplier = ThreadLocalRandom.current().nextInt() | 1;
  /** The tags by slot: open addressing, at most half full. */
  private int[] tags = new int[FIRST_SLOTS];
  /** By slot, the number of the message that filled it. Other slots count as free. */
  private long[] stamps = new long[FIRST_SLOTS];
  /** The number of the present message. */
  private long stamp;
  /** How many tags the present message has added. */
  private int count;

  void clear() {
    stamp++;
    count = 0;
  }

  /** Adds a tag. Returns false if the set has it already. */
  boolean add(int tag) {
    if (2 * count >= tags.length) {
      grow();
    }
    return put(tag);
  }

  private boolean put(int tag) {
    int mask = tags.length - 1;
    int slot = (tag * multiplier) >>> (32 - Integer.numberOfTrailingZeros(tags.length));
    while (stamps[slot] == stamp) {
      if (tags[slot] == tag) {
        return false;
      }
      slot = (slot + 1) & mask;
    }
    tags[slot] = tag;
    stamps[slot] = stamp;
    count++;
    return true;
  }

  private void grow() {
    int[] oldTags = tags;
    long[] oldStamps = stamps;
    tags = new int[2 * oldTags.length];
    stamps = new long[2 * oldStamps.length];
    count = 0;
    for (int slot = 0; slot < oldTags.length; slot++) {
      if (oldStamps[slot] == stamp) {
        put(oldTags[slot]);
      }
    }
  }
}
