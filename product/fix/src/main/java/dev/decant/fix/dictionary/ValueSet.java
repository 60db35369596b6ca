package dev.decant.fix.dictionary;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The values that a field may have. Immutable. Values of one character are bits. Longer ones are in a table with open
 * addressing that is at most half full.
 */
final class ValueSet {
  private static final int MULTIPLIER = 0x9E37_79B9;

  private final boolean multiple;
  private final long lowCharacters;
  private final long highCharacters;
  private final byte[] @Nullable [] longer;
  private final int shift;

  /**
   * Creates the set.
   *
   * @param multiple true if a field holds several of the values with a space between
   */
  ValueSet(Collection<String> values, boolean multiple) {
    this.multiple = multiple;
    long low = 0;
    long high = 0;
    List<byte[]> rest = new ArrayList<>();
    for (String value : values) {
      byte[] bytes = value.getBytes(StandardCharsets.ISO_8859_1);
      if (bytes.length == 1 && bytes[0] >= 64) {
        high |= 1L << bytes[0];
      } else if (bytes.length == 1 && bytes[0] >= 0) {
        low |= 1L << bytes[0];
      } else {
        rest.add(bytes);
      }
    }
    lowCharacters = low;
    highCharacters = high;
    int slots = Math.max(2, Integer.highestOneBit(Math.max(1, rest.size())) << 2);
    shift = 32 - Integer.numberOfTrailingZeros(slots);
    longer = new byte[slots][];
    rest.forEach(this::put);
  }

  private void put(byte[] value) {
    int hash = 0;
    for (byte b : value) {
      hash = 31 * hash + b;
    }
    int slot = (hash * MULTIPLIER) >>> shift;
    while (longer[slot] != null) {
      slot = (slot + 1) & (longer.length - 1);
    }
    longer[slot] = value;
  }

  /** Returns true if the set has a value; for a multiple-value field, if it has all of its values. */
  boolean contains(ByteBuffer bytes, int from, int to) {
    return multiple ? containsAll(bytes, from, to) : containsOne(bytes, from, to);
  }

  private boolean containsAll(ByteBuffer bytes, int from, int to) {
    int start = from;
    for (int p = from; p < to; p++) {
      if (bytes.get(p) == ' ') {
        if (!containsOne(bytes, start, p)) {
          return false;
        }
        start = p + 1;
      }
    }
    return containsOne(bytes, start, to);
  }

  private boolean containsOne(ByteBuffer bytes, int from, int to) {
    if (to - from == 1) {
      byte c = bytes.get(from);
      if (c >= 0) {
        return ((c < 64 ? lowCharacters : highCharacters) & 1L << c) != 0;
      }
    }
    return containsLonger(bytes, from, to);
  }

  private boolean containsLonger(ByteBuffer bytes, int from, int to) {
    int hash = 0;
    for (int p = from; p < to; p++) {
      hash = 31 * hash + bytes.get(p);
    }
    int slot = (hash * MULTIPLIER) >>> shift;
    for (byte[] value = longer[slot]; value != null; value = longer[slot]) {
      if (equal(value, bytes, from, to)) {
        return true;
      }
      slot = (slot + 1) & (longer.length - 1);
    }
    return false;
  }

  private static boolean equal(byte[] value, ByteBuffer bytes, int from, int to) {
    if (value.length != to - from) {
      return false;
    }
    for (int i = 0; i < value.length; i++) {
      if (value[i] != bytes.get(from + i)) {
        return false;
      }
    }
    return true;
  }
}
