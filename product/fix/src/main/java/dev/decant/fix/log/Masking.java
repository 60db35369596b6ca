package dev.decant.fix.log;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SortedMap;

/**
 * Decides which values are credentials, and where each of them ends. If in doubt, it hides too much: a message may be
 * garbled, cut off, or made by an attacker.
 * <ul>
 * <li>At the begin of a field, the number of the tag decides; leading zeros are ignored.
 * <li>Within a value, a delimiter may be missing. So any {@code =} after digits that end with a masked tag counts.
 * <li>A plain value ends at the next SOH, or at the end of the message.
 * <li>A data value may contain SOH. Its end is given by the length field right before it, if an SOH and a field, or the
 * end, follow there. Otherwise the rest of the message is hidden.
 * </ul>
 */
final class Masking {
  /** The value is not masked. */
  static final int NONE = -1;
  /** The value is masked up to the next SOH. */
  static final int PLAIN = 0;

  private static final byte SOH = 1;
  /** The largest tag. Larger numbers are reduced to it. */
  static final int LARGEST_NUMBER = 999_999_999;

  private final int[] tags;
  /** The length field of each masked tag; {@link #PLAIN} if it has none. */
  private final int[] lengthTags;

  /** Masks these tags. The values are the tags of their length fields, or {@link #PLAIN}. */
  Masking(SortedMap<Integer, Integer> lengthTagByTag) {
    tags = lengthTagByTag.keySet().stream().mapToInt(Integer::intValue).toArray();
    lengthTags = lengthTagByTag.values().stream().mapToInt(Integer::intValue).toArray();
  }

  /** Returns how the tag at the begin of a field is masked. A number too large for a tag counts as garbled. */
  int of(ByteBuffer message, int from, int to) {
    int number = number(message, from, to);
    return number < LARGEST_NUMBER ? of(number) : ofSuffix(message, from, to);
  }

  /** Returns {@link #NONE}, {@link #PLAIN}, or the tag of the length field. */
  private int of(int tag) {
    int i = Arrays.binarySearch(tags, tag);
    return i < 0 ? NONE : lengthTags[i];
  }

  /** Returns how the tag at the end of a piece of a value is masked. The piece lies before an equals sign. */
  int ofSuffix(ByteBuffer message, int from, int to) {
    long number = 0;
    long power = 1;
    for (int i = to - 1; i >= from && power <= LARGEST_NUMBER; i--) {
      int digit = message.get(i) - '0';
      if (digit < 0 || digit > 9) {
        return NONE;
      }
      number += digit * power;
      power *= 10;
      int mask = of((int) number);
      if (mask != NONE) {
        return mask;
      }
    }
    return NONE;
  }

  /** Returns true if this is the length field of a masked one. */
  boolean isLength(int tag) {
    for (int lengthTag : lengthTags) {
      if (lengthTag == tag) {
        return true;
      }
    }
    return false;
  }

  /** Returns the index of the SOH after a value, or the end. */
  static int plainEnd(ByteBuffer message, int from, int end) {
    int i = from;
    while (i < end && message.get(i) != SOH) {
      i++;
    }
    return i;
  }

  /**
   * Returns the index of the SOH after a data value, or the end if its length cannot be trusted.
   *
   * @param length the value of the length field; negative if there was none
   */
  static int dataEnd(ByteBuffer message, int from, int end, int length) {
    if (length < 0 || length > end - from) {
      return end;
    }
    int stop = from + length;
    boolean ends = stop == end || message.get(stop) == SOH;
    boolean continues = stop < end - 1;
    return ends && (!continues || isField(message, stop + 1, end)) ? stop : end;
  }

  private static boolean isField(ByteBuffer message, int from, int end) {
    int equals = tagEnd(message, from, end);
    return equals > from && equals < end && message.get(equals) == '=';
  }

  /** Returns the index after the digits at the begin of a field. */
  static int tagEnd(ByteBuffer message, int from, int end) {
    int i = from;
    while (i < end && message.get(i) >= '0' && message.get(i) <= '9') {
      i++;
    }
    return i;
  }

  /**
   * Returns the number of these digits, at most {@link #LARGEST_NUMBER}; -1 if they are none, or if there are other
   * characters.
   */
  static int number(ByteBuffer message, int from, int to) {
    int number = from < to ? 0 : -1;
    for (int i = from; i < to; i++) {
      int digit = message.get(i) - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      number = (int) Math.min(number * 10L + digit, LARGEST_NUMBER);
    }
    return number;
  }
}
