package dev.decant.fix.message;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * Text in place, as characters of one byte (ISO-8859-1). Valid as long as the message that contains it. It is reused
 * for one text after the other. Not thread-safe.
 */
public final class AsciiView implements CharSequence {
  private ByteBuffer buffer = ByteBuffer.allocate(0);
  private int from;
  private int to;

  /** Creates an empty text. */
  public AsciiView() {}

  /**
   * Refers to another text.
   *
   * @param bytes holds the text
   * @param start index of the first character
   * @param end index after the last one
   * @return this
   */
  public AsciiView set(ByteBuffer bytes, int start, int end) {
    buffer = bytes;
    from = start;
    to = end;
    return this;
  }

  @Override
  public int length() {
    return to - from;
  }

  @Override
  public char charAt(int index) {
    return (char) (buffer.get(from + Objects.checkIndex(index, to - from)) & 0xFF);
  }

  /** Returns a part of the text. Allocates. */
  @Override
  public CharSequence subSequence(int start, int end) {
    return toString().substring(start, end);
  }

  /**
   * Compares with another text.
   *
   * @param other any text
   * @return true if it has the same characters
   */
  public boolean contentEquals(CharSequence other) {
    int length = to - from;
    if (other.length() != length) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if ((buffer.get(from + i) & 0xFF) != other.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /** Returns the text. Allocates. */
  @Override
  public String toString() {
    byte[] bytes = new byte[to - from];
    buffer.get(from, bytes);
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }
}
