package dev.decant.fix.message;

import java.nio.ByteBuffer;

/** Numbers as digits in a buffer. */
final class Ascii {
  /** Of {@link #parseUnsigned}: the bytes are no number, or it does not fit. */
  static final long NO_NUMBER = -1;

  private static final int MAX_DIGITS = 18;

  private Ascii() {}

  /** The number that the digits from {@code from} to {@code to} tell; leading zeros are allowed. */
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

  /** A fixed count of digits; -1 if there is another character. */
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

  /** How many digits a number has. */
  static int digits(long value) {
    int digits = 1;
    for (long rest = value; rest >= 10; rest /= 10) {
      digits++;
    }
    return digits;
  }

  /** Writes a number that is not negative in {@code digits} digits, with leading zeros. */
  static void put(ByteBuffer bytes, int at, long value, int digits) {
    long rest = value;
    for (int p = at + digits - 1; p >= at; p--) {
      bytes.put(p, (byte) ('0' + rest % 10));
      rest /= 10;
    }
  }
}
