package dev.decant.fix.message;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Where each field of a message lies.
 *
 * <pre>
 *   ... 4 4 = 1 0 . 2 5 SOH ...
 *       |     |         |
 *       tag   from      to
 * </pre>
 */
final class FieldTable {
  static final byte SOH = 1;
  private static final int FIRST_CAPACITY = 64;
  /** A tag that does not fit is none of any dictionary. */
  private static final int LARGEST_TAG = 999_999_999;

  /** The bytes; those of the last message that was parsed. */
  ByteBuffer buffer = ByteBuffer.allocate(0);
  int count;
  int[] tags = new int[FIRST_CAPACITY];
  int[] from = new int[FIRST_CAPACITY];
  int[] to = new int[FIRST_CAPACITY];

  private int parsedTag;

  /**
   * Finds the fields from {@code start} to {@code end}. Returns false where the bytes are no fields: a tag that is no
   * number, no equals sign, a data field that does not end where its length says.
   */
  boolean parse(ByteBuffer bytes, int start, int end, DataFields dataFields) {
    buffer = bytes;
    count = 0;
    int p = start;
    int dataTag = 0;
    int dataBytes = 0;
    while (p < end) {
      p = parseTag(bytes, p, end);
      if (p < 0) {
        return false;
      }
      int tag = parsedTag;
      int valueEnd = tag == dataTag && dataTag != 0 ? dataEnd(bytes, p, dataBytes, end) : fieldEnd(bytes, p, end);
      if (valueEnd < 0) {
        return false;
      }
      add(tag, p, valueEnd);
      dataTag = dataFields.dataTag(tag);
      if (dataTag != 0) {
        dataBytes = lengthAt(bytes, p, valueEnd);
      }
      p = valueEnd + 1;
    }
    return true;
  }

  /** Reads digits up to the equals sign; returns the index after it, -1 if there are none. */
  private int parseTag(ByteBuffer bytes, int start, int end) {
    int p = start;
    int tag = 0;
    boolean negative = p < end && bytes.get(p) == '-';
    int first = negative ? ++p : p;
    while (p < end) {
      int digit = bytes.get(p) - '0';
      if (digit < 0 || digit > 9) {
        break;
      }
      tag = tag > LARGEST_TAG / 10 ? LARGEST_TAG : tag * 10 + digit;
      p++;
    }
    boolean leadingZero = p > first + 1 && bytes.get(first) == '0';
    if (p == first || leadingZero || p >= end || bytes.get(p) != '=') {
      return -1;
    }
    parsedTag = negative ? -tag : tag;
    return p + 1;
  }

  private static int fieldEnd(ByteBuffer bytes, int start, int end) {
    for (int p = start; p < end; p++) {
      if (bytes.get(p) == SOH) {
        return p;
      }
    }
    return -1;
  }

  private static int dataEnd(ByteBuffer bytes, int start, int length, int end) {
    if (length < 0 || length >= end - start || bytes.get(start + length) != SOH) {
      return -1;
    }
    return start + length;
  }

  private static int lengthAt(ByteBuffer bytes, int from, int to) {
    long length = Ascii.parseUnsigned(bytes, from, to);
    return length < 0 || length > Integer.MAX_VALUE ? -1 : (int) length;
  }

  private void add(int tag, int valueFrom, int valueTo) {
    int at = count;
    if (at == tags.length) {
      grow();
    }
    tags[at] = tag;
    from[at] = valueFrom;
    to[at] = valueTo;
    count = at + 1;
  }

  /** A message is bounded, and so are its fields: there cannot be more than a third of its bytes. */
  private void grow() {
    tags = Arrays.copyOf(tags, tags.length * 2);
    from = Arrays.copyOf(from, from.length * 2);
    to = Arrays.copyOf(to, to.length * 2);
  }
}
