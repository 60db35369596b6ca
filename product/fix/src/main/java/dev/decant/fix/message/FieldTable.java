package dev.decant.fix.message;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The positions of all fields of a message.
 *
 * <pre>
 *   ... SOH 4 4 = 1 0 . 2 5 SOH ...
 *           |     |         |
 *           field from      to
 * </pre>
 *
 * <p>The bytes are scanned eight at a time. Each word shows its first equals sign and its first delimiter, and most
 * fields fit in one word.
 */
final class FieldTable {
  static final byte SOH = 1;
  private static final int FIRST_CAPACITY = 64;
  /** No dictionary has a larger tag. */
  private static final int LARGEST_TAG = 999_999_999;
  /** A power of two. Tags that differ in the lower bits have different slots. */
  private static final int SLOTS = 256;
  private static final long SOHS = 0x0101_0101_0101_0101L;
  private static final long EQUALS_SIGNS = 0x3D3D_3D3D_3D3D_3D3DL;
  private static final long LOW_BITS = 0x7F7F_7F7F_7F7F_7F7FL;

  /** The bytes of the last message that was parsed. */
  ByteBuffer buffer = ByteBuffer.allocate(0);
  /** Index of the first byte of the message. */
  int start;
  /** Number of fields found. */
  int count;
  /** True if times may have the formats of {@link WeakTimestamps}. */
  boolean takesWeakTimes;
  /** The last field of the message that was read in one of these formats; 0 for none. */
  int weakTimeTag;
  /** The tag of each field. */
  int[] tags = new int[FIRST_CAPACITY];
  /** Index of the first byte of each value. */
  int[] from = new int[FIRST_CAPACITY];
  /** Index after the last byte of each value. */
  int[] to = new int[FIRST_CAPACITY];

  /**
   * For each slot, the first field of this message whose tag has that slot. An entry of an earlier message is
   * recognised: its field does not exist yet, or has a tag of another slot.
   */
  private final int[] firstOfSlot = new int[SLOTS];
  /** Result of {@link #parseTag}. */
  private int parsedTag;

  /**
   * Finds the fields from {@code first} to {@code end}. Returns false if the bytes are no fields: a tag that is no
   * number, no equals sign, or a data field whose end contradicts its length.
   */
  boolean parse(ByteBuffer bytes, int first, int end, DataFields dataFields) {
    buffer = bytes;
    start = first;
    count = 0;
    weakTimeTag = 0;
    int p = first;
    int dataTag = 0;
    int dataBytes = 0;
    while (p < end) {
      long word = wordAt(bytes, p, first, end);
      int tagDigits = Long.numberOfLeadingZeros(equalBytes(word, EQUALS_SIGNS)) >>> 3;
      int tag = plainTag(word, tagDigits);
      int valueFrom = p + tagDigits + 1;
      if (tag == 0) {
        valueFrom = parseTag(bytes, p, end);
        if (valueFrom < 0) {
          return false;
        }
        tag = parsedTag;
        word = 0;
      }
      int valueTo;
      if (dataTag != 0 && tag == dataTag) {
        valueTo = dataEnd(bytes, valueFrom, dataBytes, end);
      } else {
        long delimiters = equalBytes(word, SOHS);
        valueTo = delimiters != 0
            ? p + (Long.numberOfLeadingZeros(delimiters) >>> 3)
            : indexOfDelimiter(bytes, word == 0 ? valueFrom : p + Long.BYTES, end);
      }
      if (valueTo < 0) {
        return false;
      }
      add(tag, valueFrom, valueTo);
      dataTag = dataFields.dataTag(tag);
      if (dataTag != 0) {
        dataBytes = lengthAt(bytes, valueFrom, valueTo);
      }
      p = valueTo + 1;
    }
    return true;
  }

  /** Returns eight bytes of the message, with zeros after its end; all zeros if the message is shorter. */
  private static long wordAt(ByteBuffer bytes, int at, int first, int end) {
    int last = end - Long.BYTES;
    if (at <= last) {
      return Ascii.word(bytes, at);
    }
    return last >= first ? Ascii.word(bytes, last) << ((at - last) * Byte.SIZE) : 0;
  }

  /** Returns a word with the highest bit of each byte that equals the byte repeated in {@code pattern}. */
  private static long equalBytes(long word, long pattern) {
    long difference = word ^ pattern;
    return ~((difference & LOW_BITS) + LOW_BITS | difference | LOW_BITS);
  }

  /** Returns the tag at the begin of a word; 0 if it does not have one to four digits, or begins with 0. */
  private static int plainTag(long word, int digits) {
    if (digits < 1 || digits > 4 || word >>> 56 == '0') {
      return 0;
    }
    int unused = Integer.SIZE - digits * Byte.SIZE;
    int values = (int) (word >>> 32) >>> unused ^ 0x3030_3030 >>> unused;
    if (((values + 0x7676_7676 | values) & 0x8080_8080) != 0) {
      return 0;
    }
    int pairs = (values >>> 8 & 0x00FF_00FF) * 10 + (values & 0x00FF_00FF);
    return (pairs >>> 16) * 100 + (pairs & 0xFFFF);
  }

  /** Reads digits up to the equals sign. Returns the index after it; -1 if there are none. */
  private int parseTag(ByteBuffer bytes, int at, int end) {
    int p = at;
    int tag = 0;
    boolean negative = bytes.get(p) == '-';
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

  /** Returns the index of the first delimiter; -1 if there is none. */
  static int indexOfDelimiter(ByteBuffer bytes, int at, int end) {
    int p = at;
    for (; p <= end - Long.BYTES; p += Long.BYTES) {
      long delimiters = equalBytes(Ascii.word(bytes, p), SOHS);
      if (delimiters != 0) {
        return p + (Long.numberOfLeadingZeros(delimiters) >>> 3);
      }
    }
    for (; p < end; p++) {
      if (bytes.get(p) == SOH) {
        return p;
      }
    }
    return -1;
  }

  private static int dataEnd(ByteBuffer bytes, int at, int length, int end) {
    if (length < 0 || length >= end - at || bytes.get(at + length) != SOH) {
      return -1;
    }
    return at + length;
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
    int slot = tag & SLOTS - 1;
    int earlier = firstOfSlot[slot];
    if (earlier >= at || (tags[earlier] & SLOTS - 1) != slot) {
      firstOfSlot[slot] = at;
    }
    count = at + 1;
  }

  /** Makes room for more fields. Their number is limited: a message has at most a third as many fields as bytes. */
  private void grow() {
    tags = Arrays.copyOf(tags, tags.length * 2);
    from = Arrays.copyOf(from, from.length * 2);
    to = Arrays.copyOf(to, to.length * 2);
  }

  /** Returns the index of the first field of the message with this tag; -1 if there is none. */
  int find(int tag) {
    int slot = tag & SLOTS - 1;
    int at = firstOfSlot[slot];
    if (at >= count || (tags[at] & SLOTS - 1) != slot) {
      return -1;
    }
    return tags[at] == tag ? at : find(tag, at + 1, count);
  }

  /** Returns the index of the first of these fields with this tag; -1 if there is none. */
  int find(int tag, int first, int end) {
    int[] all = tags;
    for (int i = first; i < end; i++) {
      if (all[i] == tag) {
        return i;
      }
    }
    return -1;
  }

  /** Returns where the tag of a field begins, as it was received. */
  int fieldFrom(int index) {
    return index == 0 ? start : to[index - 1] + 1;
  }
}
