package dev.decant.fix.message;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Converts numbers to digits in a buffer, independent of its byte order. */
final class Ascii {
  /** {@link #parseUnsigned} returns this if the bytes are no number, or the number does not fit. */
  static final long NO_NUMBER = -1;

  static final int MAX_DIGITS = 18;
  /** Powers of ten from 10^0 to 10^18. */
  private static final long[] POWERS = new long[MAX_DIGITS + 1];
  /** The characters of 00 to 99. */
  private static final short[] PAIRS = new short[100];
  /** A tag of up to this many digits takes at most four bytes with its equals sign. */
  static final int MAX_SHORT_TAG_DIGITS = 3;
  /** For each tag, its digits, the equals sign and zeros behind them; the first character is the highest byte. */
  private static final int[] SHORT_TAGS = new int[1_000];
  private static final long ZEROS = 0x3030_3030_3030_3030L;
  private static final long HIGH_BITS = 0x8080_8080_8080_8080L;
  /** Added to a byte above 9, this sets its high bit. */
  private static final long ABOVE_NINE = 0x7676_7676_7676_7676L;
  private static final long EVEN_BYTES = 0x00FF_00FF_00FF_00FFL;

  static {
    POWERS[0] = 1;
    for (int i = 1; i < POWERS.length; i++) {
      POWERS[i] = POWERS[i - 1] * 10;
    }
    for (int i = 0; i < PAIRS.length; i++) {
      PAIRS[i] = (short) (('0' + i / 10) << 8 | ('0' + i % 10));
    }
    for (int tag = 0; tag < SHORT_TAGS.length; tag++) {
      int characters = tag < 10 ? '0' + tag : tag < 100 ? PAIRS[tag] : ('0' + tag / 100) << 16 | PAIRS[tag % 100];
      SHORT_TAGS[tag] = (characters << 8 | '=') << (tag < 10 ? 16 : tag < 100 ? 8 : 0);
    }
  }

  private Ascii() {}

  /** Returns 10 to the power of {@code exponent}, 0 to 18. */
  static long power(int exponent) {
    return POWERS[exponent];
  }

  /** Returns eight characters; the first one is the highest byte. */
  static long word(ByteBuffer bytes, int at) {
    long word = bytes.getLong(at);
    return bytes.order() == ByteOrder.BIG_ENDIAN ? word : Long.reverseBytes(word);
  }

  /** Writes eight characters, the highest byte first. */
  static void putWord(ByteBuffer bytes, int at, long word) {
    bytes.putLong(at, bytes.order() == ByteOrder.BIG_ENDIAN ? word : Long.reverseBytes(word));
  }

  /** Writes two characters, the higher byte first. */
  static void putTwo(ByteBuffer bytes, int at, int characters) {
    short two = (short) characters;
    bytes.putShort(at, bytes.order() == ByteOrder.BIG_ENDIAN ? two : Short.reverseBytes(two));
  }

  /** Writes a tag below 1,000 and its equals sign. It overwrites the bytes behind them, up to the fourth. */
  static void putShortTag(ByteBuffer bytes, int at, int tag) {
    int characters = SHORT_TAGS[tag];
    bytes.putInt(at, bytes.order() == ByteOrder.BIG_ENDIAN ? characters : Integer.reverseBytes(characters));
  }

  /** Returns the characters of a number from 0 to 99, with a leading zero. */
  static int pair(int value) {
    return PAIRS[value];
  }

  /**
   * Returns the numbers of the four pairs of digits in a word, in 16 bits each; -1 if there is another character.
   *
   * <pre>
   *   "20261124" -> 0x0014_001A_000B_0018
   * </pre>
   */
  static long pairs(long word) {
    long digits = word ^ ZEROS;
    if (((digits + ABOVE_NINE | digits) & HIGH_BITS) != 0) {
      return -1;
    }
    return (digits >>> 8 & EVEN_BYTES) * 10 + (digits & EVEN_BYTES);
  }

  /** Returns the number of these digits; leading zeros are allowed. */
  static long parseUnsigned(ByteBuffer bytes, int from, int to) {
    int p = from;
    while (p < to - 1 && bytes.get(p) == '0') {
      p++;
    }
    if (p >= to || to - p > MAX_DIGITS) {
      return NO_NUMBER;
    }
    long value = 0;
    for (; p < to; p++) {
      int digit = bytes.get(p) - '0';
      if (digit < 0 || digit > 9) {
        return NO_NUMBER;
      }
      value = value * 10 + digit;
    }
    return value;
  }

  /** Returns the number of a fixed count of digits, up to 9; -1 if there is another character. */
  static int parseDigits(ByteBuffer bytes, int from, int digits) {
    int value = 0;
    for (int p = from; p < from + digits; p++) {
      int digit = bytes.get(p) - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      value = value * 10 + digit;
    }
    return value;
  }

  /** Returns how many digits a number has that is not negative: 1 to 19. */
  static int digits(long value) {
    int digits = 1;
    while (digits <= MAX_DIGITS && value >= POWERS[digits]) {
      digits++;
    }
    return digits;
  }

  /** Writes the last {@code digits} digits of a number that is not negative, with leading zeros. */
  static void put(ByteBuffer bytes, int at, long value, int digits) {
    long rest = value;
    int p = at + digits;
    while (p - at >= 2) {
      long hundreds = rest / 100;
      p -= 2;
      putTwo(bytes, p, PAIRS[(int) (rest - hundreds * 100)]);
      rest = hundreds;
    }
    if (p > at) {
      bytes.put(at, (byte) ('0' + rest % 10));
    }
  }
}
