package dev.decant.kafka.work;

import java.util.concurrent.ThreadLocalRandom;

/**
 * Counts the pending records of each key in a partition of a retry topic, by the 64-bit hash of the key, in a table
 * with open addressing. Two keys with the same hash only wait for each other. One thread at a time.
 *
 * <p>A key takes 16 to 36 bytes: 12 bytes an entry, of which a third to three quarters are used.
 */
final class PendingKeys {
  private static final int SMALLEST = 64;
  private static final long MIX = 0x9E3779B97F4A7C15L;

  /** Mixed into each hash. Without it, an attacker could choose keys whose entries lie in a row. */
  private final long seed = ThreadLocalRandom.current().nextLong();
  private long[] hashes = new long[SMALLEST];
  /** Number of records of each entry; 0 for a free one. */
  private int[] counts = new int[SMALLEST];
  private int keys;
  private long records;

  /** Number of pending records. */
  long records() {
    return records;
  }

  /** Number of keys of the pending records. */
  int keys() {
    return keys;
  }

  /** Bytes of the table. */
  long bytes() {
    return (long) hashes.length * (Long.BYTES + Integer.BYTES);
  }

  boolean contains(long hash) {
    return counts[find(hash)] > 0;
  }

  /** Counts a record of a key. */
  void add(long hash) {
    int at = find(hash);
    if (counts[at] == 0) {
      if (keys + 1 > hashes.length / 4 * 3) {
        resize(hashes.length * 2);
        at = find(hash);
      }
      hashes[at] = hash;
      keys++;
    }
    counts[at]++;
    records++;
  }

  /** Counts out a record of a key that is done. Does nothing for a record that was not counted. */
  void remove(long hash) {
    int at = find(hash);
    if (counts[at] == 0) {
      return;
    }
    records--;
    counts[at]--;
    if (counts[at] == 0) {
      keys--;
      close(at);
      if (hashes.length > SMALLEST && keys < hashes.length / 8) {
        resize(hashes.length / 2);
      }
    }
  }

  /** Returns the entry of a hash, or the free entry where it belongs. */
  private int find(long hash) {
    int mask = hashes.length - 1;
    int at = home(hash);
    while (counts[at] != 0 && hashes[at] != hash) {
      at = (at + 1) & mask;
    }
    return at;
  }

  private int home(long hash) {
    return (int) (((hash ^ seed) * MIX) >>> (Long.numberOfLeadingZeros(hashes.length) + 1));
  }

  /** Moves entries behind a free one up, so that each is found from its home on. */
  private void close(int gap) {
    int mask = hashes.length - 1;
    int free = gap;
    for (int at = (gap + 1) & mask; counts[at] != 0; at = (at + 1) & mask) {
      int distance = (at - home(hashes[at])) & mask;
      if (distance >= ((at - free) & mask)) {
        hashes[free] = hashes[at];
        counts[free] = counts[at];
        counts[at] = 0;
        free = at;
      }
    }
  }

  private void resize(int length) {
    long[] oldHashes = hashes;
    int[] oldCounts = counts;
    hashes = new long[length];
    counts = new int[length];
    for (int i = 0; i < oldCounts.length; i++) {
      if (oldCounts[i] > 0) {
        int at = find(oldHashes[i]);
        hashes[at] = oldHashes[i];
        counts[at] = oldCounts[i];
      }
    }
  }
}
