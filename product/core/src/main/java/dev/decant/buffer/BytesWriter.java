package dev.decant.buffer;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * Big-endian writer over one region of a {@link ByteBuffer}. It uses absolute access only: the buffer's own position
 * and limit are neither read nor moved.
 *
 * <p>A write that does not fit throws {@link BufferTooSmallException} and leaves {@link #position()} where it was
 * before that write. Reusable, allocates nothing, not thread safe. Meant for direct buffers: mixing direct and heap
 * buffers in one process costs speed, not correctness.
 *
 * <p>A protocol adds its own types in a subclass.
 */
// Each method is final: the JIT binds and inlines its calls, however many subclasses are loaded.
public class BytesWriter {
  private static final ByteBuffer EMPTY = ByteBuffer.allocateDirect(0);

  private ByteBuffer buffer = EMPTY;
  private int from;
  private int position;
  private int limit;

  /** Creates a writer over an empty region; {@link #wrap} gives it memory. */
  public BytesWriter() {}

  /**
   * Sets the region to write.
   *
   * @param newBuffer a big-endian buffer
   * @param start index of the first byte to write
   * @param end index after the last byte that may be written
   * @return this
   */
  public final BytesWriter wrap(ByteBuffer newBuffer, int start, int end) {
    Objects.checkFromToIndex(start, end, newBuffer.capacity());
    requireBigEndian(newBuffer);
    buffer = newBuffer;
    from = start;
    position = start;
    limit = end;
    return this;
  }

  /**
   * Returns the buffer that is written to.
   *
   * @return the buffer given to {@link #wrap}
   */
  public final ByteBuffer buffer() {
    return buffer;
  }

  /**
   * Returns the absolute index in the buffer of the next write.
   *
   * @return the position
   */
  public final int position() {
    return position;
  }

  /**
   * Moves the position of the next write.
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
   * Returns the absolute index in the buffer after the last byte that may be written.
   *
   * @return the limit
   */
  public final int limit() {
    return limit;
  }

  /**
   * Returns the number of bytes that can still be written.
   *
   * @return limit minus position
   */
  public final int remaining() {
    return limit - position;
  }

  /**
   * Writes an int8.
   *
   * @param v the value; its low eight bits are written
   */
  public final void writeByte(int v) {
    buffer.put(claim(Byte.BYTES), (byte) v);
  }

  /**
   * Writes an int16.
   *
   * @param v the value; its low sixteen bits are written
   */
  public final void writeShort(int v) {
    buffer.putShort(claim(Short.BYTES), (short) v);
  }

  /**
   * Writes an int32.
   *
   * @param v the value
   */
  public final void writeInt(int v) {
    buffer.putInt(claim(Integer.BYTES), v);
  }

  /**
   * Writes an int64.
   *
   * @param v the value
   */
  public final void writeLong(long v) {
    buffer.putLong(claim(Long.BYTES), v);
  }

  /**
   * Writes a float64.
   *
   * @param v the value
   */
  public final void writeDouble(double v) {
    buffer.putDouble(claim(Double.BYTES), v);
  }

  /**
   * Writes a boolean as one byte, 1 or 0.
   *
   * @param v the value
   */
  public final void writeBoolean(boolean v) {
    writeByte(v ? 1 : 0);
  }

  /**
   * Overwrites a byte without moving the position.
   *
   * @param index absolute index in the buffer, within the region
   * @param v the value; its low eight bits are written
   */
  public final void putByte(int index, int v) {
    buffer.put(checkedIndex(index, Byte.BYTES), (byte) v);
  }

  /**
   * Overwrites an int16 without moving the position.
   *
   * @param index absolute index in the buffer, within the region
   * @param v the value; its low sixteen bits are written
   */
  public final void putShort(int index, int v) {
    buffer.putShort(checkedIndex(index, Short.BYTES), (short) v);
  }

  /**
   * Overwrites an int32 without moving the position.
   *
   * @param index absolute index in the buffer, within the region
   * @param v the value
   */
  public final void putInt(int index, int v) {
    buffer.putInt(checkedIndex(index, Integer.BYTES), v);
  }

  /**
   * Overwrites an int64 without moving the position.
   *
   * @param index absolute index in the buffer, within the region
   * @param v the value
   */
  public final void putLong(int index, long v) {
    buffer.putLong(checkedIndex(index, Long.BYTES), v);
  }

  /**
   * Writes seven bits a byte, low bits first.
   *
   * @param v the value, taken as unsigned: 1 to 5 bytes
   */
  public final void writeUnsignedVarint(int v) {
    int at = claim(sizeOfUnsignedVarint(v));
    int rest = v;
    while ((rest & ~0x7F) != 0) {
      buffer.put(at++, (byte) (rest | 0x80));
      rest >>>= 7;
    }
    buffer.put(at, (byte) rest);
  }

  /**
   * Writes a zigzag varint: 1 to 5 bytes, small magnitudes are short.
   *
   * @param v the value
   */
  public final void writeVarint(int v) {
    writeUnsignedVarint((v << 1) ^ (v >> 31));
  }

  /**
   * Writes a zigzag varlong: 1 to 10 bytes, small magnitudes are short.
   *
   * @param v the value
   */
  public final void writeVarlong(long v) {
    writeUnsignedVarlong((v << 1) ^ (v >> 63));
  }

  /**
   * Writes seven bits a byte, low bits first.
   *
   * @param v the value, taken as unsigned: 1 to 10 bytes
   */
  public final void writeUnsignedVarlong(long v) {
    int at = claim(sizeOfUnsignedVarlong(v));
    long rest = v;
    while ((rest & ~0x7FL) != 0) {
      buffer.put(at++, (byte) (rest | 0x80));
      rest >>>= 7;
    }
    buffer.put(at, (byte) rest);
  }

  /**
   * Writes bytes without a length in front.
   *
   * @param src the array
   * @param offset index of the first
   * @param length how many
   */
  public final void writeBytes(byte[] src, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, src.length);
    buffer.put(claim(length), src, offset, length);
  }

  /**
   * Writes the bytes between the source's position and limit, without a length in front.
   *
   * @param src the source; its position does not move
   */
  public final void writeBytes(ByteBuffer src) {
    int length = src.remaining();
    buffer.put(claim(length), src, src.position(), length);
  }

  /**
   * Writes UTF-8 without a length in front. An unpaired surrogate becomes a question mark.
   *
   * @param s the text
   */
  public final void writeUtf8(CharSequence s) {
    position = Utf8.encode(s, buffer, position, limit);
  }

  /**
   * Writes UTF-8 without moving the position, for a text whose length stands in front of it.
   *
   * @param index absolute index in the buffer, not before the region; no text fits beyond the region
   * @param s the text
   * @return the index after its last byte
   * @throws BufferTooSmallException if the text does not fit; bytes within the region may be changed
   */
  protected final int putUtf8(int index, CharSequence s) {
    if (index < from) {
      throw new IndexOutOfBoundsException("text at " + index + " is outside " + from + ".." + limit);
    }
    return Utf8.encode(s, buffer, index, limit);
  }

  /**
   * Checks that a value of several writes fits, so that either all of its writes take place or none.
   *
   * @param bytes how many the writes take
   * @throws BufferTooSmallException if fewer remain
   */
  protected final void requireRoom(long bytes) {
    if (limit - position < bytes) {
      throw BufferTooSmallException.INSTANCE;
    }
  }

  /**
   * Returns the number of bytes that {@link #writeUnsignedVarint} takes.
   *
   * @param v the value, taken as unsigned
   * @return 1 to 5
   */
  public static int sizeOfUnsignedVarint(int v) {
    // Most values are lengths and deltas, and the processor predicts these branches. A division here took 5 of the 40
    // ns of an append, because the claim waited for its result.
    if ((v & ~0x7F) == 0) {
      return 1;
    }
    return (v & ~0x3FFF) == 0 ? 2 : (38 - Integer.numberOfLeadingZeros(v)) / 7;
  }

  /**
   * Returns the number of bytes that {@link #writeVarint} takes.
   *
   * @param v the value
   * @return 1 to 5
   */
  public static int sizeOfVarint(int v) {
    return sizeOfUnsignedVarint((v << 1) ^ (v >> 31));
  }

  /**
   * Returns the number of bytes that {@link #writeVarlong} takes.
   *
   * @param v the value
   * @return 1 to 10
   */
  public static int sizeOfVarlong(long v) {
    return sizeOfUnsignedVarlong((v << 1) ^ (v >> 63));
  }

  /**
   * Returns the number of bytes that {@link #writeUnsignedVarlong} takes.
   *
   * @param v the value, taken as unsigned
   * @return 1 to 10
   */
  public static int sizeOfUnsignedVarlong(long v) {
    if ((v & ~0x7FL) == 0) {
      return 1;
    }
    return (v & ~0x3FFFL) == 0 ? 2 : (70 - Long.numberOfLeadingZeros(v)) / 7;
  }

  /**
   * Returns the number of bytes that {@link #writeUtf8} takes.
   *
   * @param s the text
   * @return its length in UTF-8
   * @throws ArithmeticException if the length exceeds {@link Integer#MAX_VALUE}
   */
  public static int utf8Length(CharSequence s) {
    return Utf8.length(s);
  }

  static void requireBigEndian(ByteBuffer buffer) {
    if (buffer.order() != ByteOrder.BIG_ENDIAN) {
      throw new IllegalArgumentException("the buffer's byte order must be big endian");
    }
  }

  private int claim(int bytes) {
    int at = position;
    if (limit - at < bytes) {
      throw BufferTooSmallException.INSTANCE;
    }
    position = at + bytes;
    return at;
  }

  private int checkedIndex(int index, int bytes) {
    if (index < from || index > limit - bytes) {
      throw new IndexOutOfBoundsException(bytes + " bytes at " + index + " are outside " + from + ".." + limit);
    }
    return index;
  }
}
