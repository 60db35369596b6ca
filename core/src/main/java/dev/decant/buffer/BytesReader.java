package dev.decant.buffer;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Big-endian reader over one region of a {@link ByteBuffer}, in the primitive types of Kafka's protocol guide. It uses
 * absolute access only: the buffer's own position and limit are neither read nor moved.
 *
 * <p>
 * The bytes are taken for hostile: each length and count is checked against what remains before anything is allocated
 * for it, and what does not hold throws {@link MalformedBytesException}; the position after that is not specified.
 * Reusable, not thread safe. Only strings and slices allocate.
 */
public final class BytesReader {
  private static final ByteBuffer EMPTY = ByteBuffer.allocateDirect(0);
  private static final int SCRATCH_BYTES = 256;
  /** A tagged field is at least its tag and its size. */
  private static final int MIN_TAGGED_FIELD_BYTES = 2;

  private final byte[] scratch = new byte[SCRATCH_BYTES];
  private ByteBuffer buffer = EMPTY;
  private int from;
  private int position;
  private int limit;

  /** Creates a reader over nothing; {@link #wrap} gives it bytes. */
  public BytesReader() {}

  /**
   * Turns to a region.
   *
   * @param newBuffer a big-endian buffer
   * @param start index of the first byte to read
   * @param end index after the last byte that may be read
   * @return this
   */
  public BytesReader wrap(ByteBuffer newBuffer, int start, int end) {
    Objects.checkFromToIndex(start, end, newBuffer.capacity());
    BytesWriter.requireBigEndian(newBuffer);
    buffer = newBuffer;
    from = start;
    position = start;
    limit = end;
    return this;
  }

  /**
   * The buffer that is read.
   *
   * @return the buffer given to {@link #wrap}
   */
  public ByteBuffer buffer() {
    return buffer;
  }

  /**
   * Absolute index in the buffer of the next read.
   *
   * @return the position
   */
  public int position() {
    return position;
  }

  /**
   * Moves the next read.
   *
   * @param p absolute index in the buffer, within the region
   */
  public void position(int p) {
    if (p < from || p > limit) {
      throw new IndexOutOfBoundsException("position " + p + " is outside " + from + ".." + limit);
    }
    position = p;
  }

  /**
   * Absolute index in the buffer after the last byte that may be read.
   *
   * @return the limit
   */
  public int limit() {
    return limit;
  }

  /**
   * Bytes that can still be read.
   *
   * @return limit minus position
   */
  public int remaining() {
    return limit - position;
  }

  /**
   * Reads an int8.
   *
   * @return the value
   */
  public byte readByte() {
    return buffer.get(claim(Byte.BYTES));
  }

  /**
   * Reads an int16.
   *
   * @return the value
   */
  public short readShort() {
    return buffer.getShort(claim(Short.BYTES));
  }

  /**
   * Reads a uint16.
   *
   * @return 0 to 65535
   */
  public int readUnsignedShort() {
    return Short.toUnsignedInt(readShort());
  }

  /**
   * Reads an int32.
   *
   * @return the value
   */
  public int readInt() {
    return buffer.getInt(claim(Integer.BYTES));
  }

  /**
   * Reads an int64.
   *
   * @return the value
   */
  public long readLong() {
    return buffer.getLong(claim(Long.BYTES));
  }

  /**
   * Reads a float64.
   *
   * @return the value
   */
  public double readDouble() {
    return buffer.getDouble(claim(Double.BYTES));
  }

  /**
   * Reads a boolean.
   *
   * @return whether the byte is not zero
   */
  public boolean readBoolean() {
    return readByte() != 0;
  }

  /**
   * Reads an unsigned varint.
   *
   * @return the value; negative if it needs 32 bits
   */
  public int readUnsignedVarint() {
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
  public int readVarint() {
    int v = readUnsignedVarint();
    return (v >>> 1) ^ -(v & 1);
  }

  /**
   * Reads a zigzag varlong.
   *
   * @return the value
   */
  public long readVarlong() {
    long v = readUnsignedVarlong();
    return (v >>> 1) ^ -(v & 1);
  }

  /**
   * Reads an unsigned varlong.
   *
   * @return the value; negative if it needs 64 bits
   */
  public long readUnsignedVarlong() {
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
   * Reads sixteen bytes.
   *
   * @return the identifier; {@link Uuid#ZERO} itself for zero
   */
  public Uuid readUuid() {
    int at = claim(2 * Long.BYTES);
    long most = buffer.getLong(at);
    long least = buffer.getLong(at + Long.BYTES);
    return (most | least) == 0 ? Uuid.ZERO : new Uuid(most, least);
  }

  /**
   * Reads an int16 length and UTF-8.
   *
   * @return the text
   */
  public String readString() {
    int length = readShort();
    if (length < 0) {
      throw malformed("string", length);
    }
    return readUtf8(length);
  }

  /**
   * Reads an int16 length and UTF-8.
   *
   * @return the text, or null for the length -1
   */
  public @Nullable String readNullableString() {
    int length = readShort();
    if (length < 0) {
      requireNull("nullable string", length);
      return null;
    }
    return readUtf8(length);
  }

  /**
   * Reads length + 1 as an unsigned varint, and UTF-8.
   *
   * @return the text
   */
  public String readCompactString() {
    int length = readUnsignedVarint() - 1;
    if (length < 0) {
      throw malformed("compact string", length);
    }
    return readUtf8(length);
  }

  /**
   * Reads length + 1 as an unsigned varint, and UTF-8.
   *
   * @return the text, or null for 0
   */
  public @Nullable String readCompactNullableString() {
    int length = readUnsignedVarint() - 1;
    if (length < 0) {
      requireNull("compact nullable string", length);
      return null;
    }
    return readUtf8(length);
  }

  /**
   * Reads an int32 count of elements.
   *
   * @param minElementBytes bytes that one element takes at least; less than 1 counts as 1
   * @return the count, which that many elements could fill; -1 for a null array
   */
  public int readArrayLength(int minElementBytes) {
    return checkedCount(readInt(), minElementBytes);
  }

  /**
   * Reads a count of elements + 1 as an unsigned varint.
   *
   * @param minElementBytes bytes that one element takes at least; less than 1 counts as 1
   * @return the count, which that many elements could fill; -1 for a null array
   */
  public int readCompactArrayLength(int minElementBytes) {
    return checkedCount(readUnsignedVarint() - 1, minElementBytes);
  }

  /**
   * Reads an int32 length and that many bytes.
   *
   * @return a slice of the buffer, valid as long as the buffer's content, not to be written to; null for -1
   */
  public @Nullable ByteBuffer readNullableBytes() {
    int length = readInt();
    if (length < 0) {
      requireNull("bytes", length);
      return null;
    }
    return slice(length);
  }

  /**
   * Reads length + 1 as an unsigned varint, and that many bytes.
   *
   * @return a slice of the buffer, valid as long as the buffer's content, not to be written to; null for 0
   */
  public @Nullable ByteBuffer readCompactNullableBytes() {
    int length = readUnsignedVarint() - 1;
    if (length < 0) {
      requireNull("compact bytes", length);
      return null;
    }
    return slice(length);
  }

  /**
   * Moves on.
   *
   * @param bytes how far
   */
  public void skip(int bytes) {
    claim(bytes);
  }

  /** Skips a count of tagged fields and the fields: this reader's schema knows none of them (KIP-482). */
  public void skipTaggedFields() {
    int count = readUnsignedVarint();
    if (count != 0) {
      skipTaggedFieldsSlowPath(count);
    }
  }

  private void skipTaggedFieldsSlowPath(int count) {
    if (count < 0 || (long) count * MIN_TAGGED_FIELD_BYTES > remaining()) {
      throw new MalformedBytesException(Integer.toUnsignedString(count) + " tagged fields announced, " + remaining()
          + " bytes remain");
    }
    for (int i = 0; i < count; i++) {
      readUnsignedVarint();
      claim(readUnsignedVarint());
    }
  }

  /**
   * Copies bytes out.
   *
   * @param dst where to
   * @param offset index of the first in {@code dst}
   * @param length how many
   */
  public void readBytes(byte[] dst, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, dst.length);
    buffer.get(claim(length), dst, offset, length);
  }

  /**
   * Reads bare UTF-8; what is not UTF-8 becomes U+FFFD.
   *
   * @param length its bytes
   * @return the text
   */
  public String readUtf8(int length) {
    if (length == 0) {
      return "";
    }
    int at = claim(length);
    byte[] bytes = length <= SCRATCH_BYTES ? scratch : new byte[length];
    buffer.get(at, bytes, 0, length);
    return new String(bytes, 0, length, StandardCharsets.UTF_8);
  }

  /**
   * Takes the next bytes as a buffer of their own, and moves behind them.
   *
   * @param length how many
   * @return a slice of the buffer, valid as long as the buffer's content, not to be written to
   */
  public ByteBuffer slice(int length) {
    return buffer.slice(claim(length), length);
  }

  private int checkedCount(int count, int minElementBytes) {
    if (count < -1 || (long) count * Math.max(1, minElementBytes) > remaining()) {
      throw new MalformedBytesException("an array of " + count + " elements of " + minElementBytes
          + " bytes or more announced, " + remaining() + " bytes remain");
    }
    return count;
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

  private static void requireNull(String what, int length) {
    if (length != -1) {
      throw malformed(what, length);
    }
  }

  private static MalformedBytesException malformed(String what, int length) {
    return new MalformedBytesException("a " + what + " of length " + length);
  }
}
