package dev.decant.fix.log;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SortedMap;

/**
 * Which values are credentials, and where each of them ends. It would rather hide too much than too little: what it
 * sees may be garbled, cut off, or made by an attacker.
 *
 * <ul>
 * <li>At the beginning of a field the number of the tag decides, leading zeros aside.
 * <li>Within a value a delimiter may have been lost, so any {@code =} after digits that end with a masked tag counts.
 * <li>A plain value ends at the next SOH, or at the end of the message.
 * <li>A data value may contain SOH. It ends where the length field right before it says, if an SOH and a field follow
 * there, or nothing. In all other cases the rest of the message is hidden.
 * </ul>
 */
final class Masking {
  /** Not to be masked. */
  static final int NONE = -1;
  /** Masked to the next SOH. */
  static final int PLAIN = 0;

  private static final byte SOH = 1;
  /** No tag is larger; larger numbers become this one. */
  static final int LARGEST_NUMBER = 999_999_999;

  private final int[] tags;
  /** The tag of each one's length field; {@link #PLAIN} for none. */
  private final int[] lengthTags;

  /** Masks these tags; the values are the tags of their length fields, or {@link #PLAIN}. */
  Masking(SortedMap<Integer, Integer> lengthTagByTag) {
    tags = lengthTagByTag.keySet().stream().mapToInt(Integer::intValue).toArray();
    lengthTags = lengthTagByTag.values().stream().mapToInt(Integer::intValue).toArray();
  }

  /** How the tag with which a field begins is masked; numbers too large for a tag count as garbled. */
  int of(ByteBuffer message, int from, int to) {
    int number = number(message, from, to);
    return number < LARGEST_NUMBER ? of(number) : ofSuffix(message, from, to);
  }

  /** {@link #NONE}, {@link #PLAIN}, or the tag of the length field. */
  private int of(int tag) {
    int i = Arrays.binarySearch(tags, tag);
    return i < 0 ? NONE : lengthTags[i];
  }

  /** How the tag with which a piece of a value ends is masked; the piece lies before an equals sign. */
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

  /** Whether a field says how long a masked one is. */
  boolean isLength(int tag) {
    for (int lengthTag : lengthTags) {
      if (lengthTag == tag) {
        return true;
      }
    }
    return false;
  }

  /** Index of the SOH after a value, or the end. */
  static int plainEnd(ByteBuffer message, int from, int end) {
    int i = from;
    while (i < end && message.get(i) != SOH) {
      i++;
    }
    return i;
  }

  /**
   * Index of the SOH after a data value, or the end if its length is not to be believed.
   *
   * @param length what the length field said; negative if there was none
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

  /** Index after the digits with which a field begins. */
  static int tagEnd(ByteBuffer message, int from, int end) {
    int i = from;
    while (i < end && message.get(i) >= '0' && message.get(i) <= '9') {
      i++;
    }
    return i;
  }

  /** The number that digits make, at most {@link #LARGEST_NUMBER}; -1 if they are none, or something else too. */
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
