package dev.decant.buffer;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * Big-endian reader over one region of a {@link ByteBuffer}. It uses absolute access only: the buffer's own position
 * and limit are neither read nor moved.
 *
 * <p>The bytes count as hostile. Each length is checked against the remaining bytes before memory is allocated for it.
 * A violation throws {@link MalformedBytesException}; the position after that is not specified. Reusable, not thread
 * safe. Only strings and slices allocate.
 *
 * <p>A protocol adds its own types in a subclass.
 */
// Each method is final: the JIT binds and inlines its calls, however many subclasses are loaded.
public class BytesReader {
  private static final ByteBuffer EMPTY = ByteBuffer.allocateDirect(0);
  private static final int SCRATCH_BYTES = 256;

  private final byte[] scratch = new byte[SCRATCH_BYTES];
  private ByteBuffer buffer = EMPTY;
  private int from;
  private int position;
  private int limit;

  /** Creates a reader over an empty region; {@link #wrap} gives it bytes. */
  public BytesReader() {}

  /**
   * Sets the region to read.
   *
   * @param newBuffer a big-endian buffer
   * @param start index of the first byte to read
   * @param end index after the last byte that may be read
   * @return this
   */
  public final BytesReader wrap(ByteBuffer newBuffer, int start, int end) {
    Objects.checkFromToIndex(start, end, newBuffer.capacity());
    BytesWriter.requireBigEndian(newBuffer);
    buffer = newBuffer;
    from = start;
    position = start;
    limit = end;
    return this;
  }

  /**
   * Returns the buffer that is read.
   *
   * @return the buffer given to {@link #wrap}
   */
  public final ByteBuffer buffer() {
    return buffer;
  }

  /**
   * Returns the absolute index in the buffer of the next read.
   *
   * @return the position
   */
  public final int position() {
    return position;
  }

  /**
   * Moves the position of the next read.
   *
   * @param p absolute index in the buffer, within the region
   */
  public final void position(int p) {
    if (p < from || p > limit) {
      throw new IndexOutOfBoundsException("position " + p + " is outside " + from + ".." + limit);
    }
    position = p;
  }

  /**
   * Returns the absolute index in the buffer after the last byte that may be read.
   *
   * @return the limit
   */
  public final int limit() {
    return limit;
  }

  /**
   * Returns the number of bytes that can still be read.
   *
   * @return limit minus position
   */
  public final int remaining() {
    return limit - position;
  }

  /**
   * Reads an int8.
   *
   * @return the value
   */
  public final byte readByte() {
    return buffer.get(claim(Byte.BYTES));
  }

  /**
   * Reads an int16.
   *
   * @return the value
   */
  public final short readShort() {
    return buffer.getShort(claim(Short.BYTES));
  }

  /**
   * Reads a uint16.
   *
   * @return 0 to 65535
   */
  public final int readUnsignedShort() {
    return Short.toUnsignedInt(readShort());
  }

  /**
   * Reads an int32.
   *
   * @return the value
   */
  public final int readInt() {
    return buffer.getInt(claim(Integer.BYTES));
  }

  /**
   * Reads an int64.
   *
   * @return the value
   */
  public final long readLong() {
    return buffer.getLong(claim(Long.BYTES));
  }

  /**
   * Reads a float64.
   *
   * @return the value
   */
  public final double readDouble() {
    return buffer.getDouble(claim(Double.BYTES));
  }

  /**
   * Reads a boolean.
   *
   * @return true if the byte is not zero
   */
  public final boolean readBoolean() {
    return readByte() != 0;
  }

  /**
   * Reads an unsigned varint.
   *
   * @return the value; negative if it needs 32 bits
   */
  public final int readUnsignedVarint() {
    int first = readByte();
    return first >= 0 ? first : readUnsignedVarintSlowPath(first & 0x7F);
  }

  private int readUnsignedVarintSlowPath(int low) {
    int value = low;
    for (int shift = 7; shift < 28; shift += 7) {
      int b = readByte();
      value |= (b & 0x7F) << shift;
      if (b >= 0) {
        return value;
      }
    }
    int last = readByte();
    if ((last & 0xF0) != 0) {
      throw new MalformedBytesException("the varint that ends at " + position + " is longer than 32 bits");
    }
    return value | (last << 28);
  }

  /**
   * Reads a zigzag varint.
   *
   * @return the value
   */
  public final int readVarint() {
    int v = readUnsignedVarint();
    return (v >>> 1) ^ -(v & 1);
  }

  /**
   * Reads a zigzag varlong.
   *
   * @return the value
   */
  public final long readVarlong() {
    long v = readUnsignedVarlong();
    return (v >>> 1) ^ -(v & 1);
  }

  /**
   * Reads an unsigned varlong.
   *
   * @return the value; negative if it needs 64 bits
   */
  public final long readUnsignedVarlong() {
    long value = 0;
    for (int shift = 0; shift < 63; shift += 7) {
      long b = readByte();
      value |= (b & 0x7F) << shift;
      if (b >= 0) {
        return value;
      }
    }
    long last = readByte();
    if ((last & 0xFE) != 0) {
      throw new MalformedBytesException("the varlong that ends at " + position + " is longer than 64 bits");
    }
    return value | (last << 63);
  }

  /**
   * Skips bytes.
   *
   * @param bytes how many
   */
  public final void skip(int bytes) {
    claim(bytes);
  }

  /**
   * Copies bytes into an array.
   *
   * @param dst the array
   * @param offset index of the first in {@code dst}
   * @param length how many
   */
  public final void readBytes(byte[] dst, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, dst.length);
    buffer.get(claim(length), dst, offset, length);
  }

  /**
   * Reads UTF-8 without a length in front. Malformed bytes become U+FFFD.
   *
   * @param length number of bytes
   * @return the text
   */
  public final String readUtf8(int length) {
    if (length == 0) {
      return "";
    }
    int at = claim(length);
    byte[] bytes = length <= SCRATCH_BYTES ? scratch : new byte[length];
    buffer.get(at, bytes, 0, length);
    return new String(bytes, 0, length, StandardCharsets.UTF_8);
  }

  /**
   * Returns the next bytes as a buffer of their own, and moves behind them.
   *
   * @param length how many
   * @return a slice of the buffer, valid as long as the buffer's content; it must not be written to
   */
  public final ByteBuffer slice(int length) {
    return buffer.slice(claim(length), length);
  }

  private int claim(int bytes) {
    int at = position;
    if (bytes < 0 || bytes > limit - at) {
      throw outside(bytes);
    }
    position = at + bytes;
    return at;
  }

  private MalformedBytesException outside(int bytes) {
    return new MalformedBytesException(bytes + " bytes announced at " + position + ", " + remaining() + " remain");
  }

}
