package dev.decant.buffer;

import java.nio.ByteBuffer;

/** Encodes UTF-8 from characters directly into buffer memory, without an intermediate array. */
final class Utf8 {
  private static final int ONE_BYTE_END = 0x80;
  private static final int TWO_BYTES_END = 0x800;

  private Utf8() {}

  /**
   * Returns the number of bytes that {@link #encode} writes. An unpaired surrogate counts as the one byte of its
   * replacement.
   */
  static int length(CharSequence text) {
    int chars = text.length();
    int i = 0;
    while (i < chars && text.charAt(i) < ONE_BYTE_END) {
      i++;
    }
    return i == chars ? chars : lengthSlowPath(text, i);
  }

  private static int lengthSlowPath(CharSequence text, int asciiPrefix) {
    int chars = text.length();
    long bytes = asciiPrefix;
    for (int i = asciiPrefix; i < chars; i++) {
      char c = text.charAt(i);
      if (c < ONE_BYTE_END) {
        bytes++;
      } else if (c < TWO_BYTES_END) {
        bytes += 2;
      } else if (!Character.isSurrogate(c)) {
        bytes += 3;
      } else if (isPairAt(text, i)) {
        bytes += 4;
        i++;
      } else {
        bytes++;
      }
    }
    return Math.toIntExact(bytes);
  }

  /**
   * Writes the text at {@code at} and returns the position after it.
   *
   * @throws BufferTooSmallException if it would reach beyond {@code limit}; bytes before {@code limit} may be changed
   */
  static int encode(CharSequence text, ByteBuffer buffer, int at, int limit) {
    int chars = text.length();
    if (chars > limit - at) { // too long in any case: each char takes at least one byte
      throw BufferTooSmallException.INSTANCE;
    }
    for (int i = 0; i < chars; i++) {
      char c = text.charAt(i);
      if (c >= ONE_BYTE_END) {
        return encodeSlowPath(text, i, buffer, at + i, limit);
      }
      buffer.put(at + i, (byte) c);
    }
    return at + chars;
  }

  private static int encodeSlowPath(CharSequence text, int from, ByteBuffer buffer, int at, int limit) {
    int chars = text.length();
    int p = at;
    for (int i = from; i < chars; i++) {
      int c = text.charAt(i);
      if (Character.isSurrogate((char) c)) {
        if (isPairAt(text, i)) {
          c = Character.toCodePoint((char) c, text.charAt(++i));
        } else {
          c = '?';
        }
      }
      p = encodeCodePoint(c, buffer, p, limit);
    }
    return p;
  }

  private static int encodeCodePoint(int c, ByteBuffer buffer, int at, int limit) {
    int bytes = c < ONE_BYTE_END ? 1 : c < TWO_BYTES_END ? 2 : c < Character.MIN_SUPPLEMENTARY_CODE_POINT ? 3 : 4;
    if (bytes > limit - at) {
      throw BufferTooSmallException.INSTANCE;
    }
    switch (bytes) {
      case 1 -> buffer.put(at, (byte) c);
      case 2 -> buffer.put(at, (byte) (0xC0 | (c >>> 6)));
      case 3 -> buffer.put(at, (byte) (0xE0 | (c >>> 12)));
      default -> buffer.put(at, (byte) (0xF0 | (c >>> 18)));
    }
    for (int i = 1; i < bytes; i++) {
      buffer.put(at + i, (byte) (0x80 | ((c >>> (6 * (bytes - 1 - i))) & 0x3F)));
    }
    return at + bytes;
  }

  private static boolean isPairAt(CharSequence text, int i) {
    return Character.isHighSurrogate(text.charAt(i)) && i + 1 < text.length()
        && Character.isLowSurrogate(text.charAt(i + 1));
  }
}
