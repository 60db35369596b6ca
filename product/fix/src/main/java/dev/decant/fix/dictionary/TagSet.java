package dev.decant.fix.dictionary;

import java.util.concurrent.ThreadLocalRandom;

/**
 * The tags of one message that its table does not have, to find those that appear twice. Cleared in constant time: each
 * slot carries the number of the message that filled it. The multiplier is random: a counterparty cannot choose tags
 * that share a slot. Grows with a message that has more such tags than any before it; otherwise allocates nothing.
 */
final class TagSet {
  private static final int FIRST_SLOTS = 64;

  private final int multiplier = ThreadLocalRandom.current().nextInt() | 1;
  private int[] tags = new int[FIRST_SLOTS];
  private long[] stamps = new long[FIRST_SLOTS];
  private long stamp;
  private int count;

  void clear() {
    stamp++;
    count = 0;
  }

  /** Returns false if the set has the tag already. */
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
