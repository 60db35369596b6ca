package dev.decant.kafka.work;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The last record under way of each key, by partition and the bytes of the key. A table of buckets, linked through the
 * slots: it allocates nothing, and is as large as there are slots. The loop only.
 */
final class KeyTable<K, V> {
  private static final long MIX = 0x9E3779B97F4A7C15L;

  private final @Nullable Slot<K, V>[] buckets;

  @SuppressWarnings({"unchecked", "rawtypes"})
  KeyTable(int slots) {
    buckets = new Slot[Integer.highestOneBit(Math.max(slots, 2) * 2 - 1)];
  }

  /** The hash of a key's bytes. */
  static long hash(ByteBuffer bytes, int from, int length) {
    long hash = length;
    int p = from;
    int end = from + length;
    for (; end - p >= Long.BYTES; p += Long.BYTES) {
      hash = (hash ^ bytes.getLong(p)) * MIX;
      hash ^= hash >>> 32;
    }
    for (; p < end; p++) {
      hash = (hash ^ bytes.get(p)) * MIX;
    }
    hash *= MIX;
    return hash ^ (hash >>> 32);
  }

  /**
   * Makes a record, whose hash and partition are set, the last one of its key. Returns the previous one; null if there
   * was none.
   */
  @Nullable
  Slot<K, V> put(Slot<K, V> slot) {
    int at = index(slot.hash);
    Slot<K, V> before = null;
    for (Slot<K, V> s = buckets[at]; s != null; s = s.nextInTable) {
      if (s.hash == slot.hash && s.partition == slot.partition && isSameKey(s, slot)) {
        replace(at, before, s, slot);
        return s;
      }
      before = s;
    }
    slot.nextInTable = buckets[at];
    slot.isInTable = true;
    buckets[at] = slot;
    return null;
  }

  private int index(long hash) {
    return (int) hash & (buckets.length - 1);
  }

  /** The last record under way of a partition with a key; null if there is none. */
  @Nullable
  Slot<K, V> find(PartitionWork partition, byte[] key) {
    ByteBuffer bytes = ByteBuffer.wrap(key);
    long hash = hash(bytes, 0, key.length);
    for (Slot<K, V> s = buckets[index(hash)]; s != null; s = s.nextInTable) {
      if (s.hash == hash && s.partition == partition && s.copied().keyLength() == key.length
          && equal(s.copied().memory(), s.copied().keyOffset(), bytes, 0, key.length)) {
        return s;
      }
    }
    return null;
  }

  private void replace(int at, @Nullable Slot<K, V> before, Slot<K, V> old, Slot<K, V> by) {
    by.nextInTable = old.nextInTable;
    by.isInTable = true;
    old.nextInTable = null;
    old.isInTable = false;
    if (before == null) {
      buckets[at] = by;
    } else {
      before.nextInTable = by;
    }
  }

  /** Removes a record that is done. Its key is free if it was the last one. */
  void remove(Slot<K, V> slot) {
    if (!slot.isInTable) {
      return;
    }
    int at = index(slot.hash);
    Slot<K, V> before = null;
    for (Slot<K, V> s = buckets[at]; s != slot; s = s.nextInTable) {
      if (s == null) {
        throw new IllegalStateException("a record that is not in the table of its key");
      }
      before = s;
    }
    if (before == null) {
      buckets[at] = slot.nextInTable;
    } else {
      before.nextInTable = slot.nextInTable;
    }
    slot.nextInTable = null;
    slot.isInTable = false;
  }

  private static boolean isSameKey(Slot<?, ?> a, Slot<?, ?> b) {
    int length = a.copied().keyLength();
    if (length != b.copied().keyLength()) {
      return false;
    }
    return equal(a.copied().memory(), a.copied().keyOffset(), b.copied().memory(), b.copied().keyOffset(), length);
  }

  private static boolean equal(ByteBuffer a, int atA, ByteBuffer b, int atB, int length) {
    int i = 0;
    for (; length - i >= Long.BYTES; i += Long.BYTES) {
      if (a.getLong(atA + i) != b.getLong(atB + i)) {
        return false;
      }
    }
    for (; i < length; i++) {
      if (a.get(atA + i) != b.get(atB + i)) {
        return false;
      }
    }
    return true;
  }
}
