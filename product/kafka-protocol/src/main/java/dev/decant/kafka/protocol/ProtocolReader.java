package dev.decant.kafka.protocol;

import dev.decant.buffer.BytesReader;
import dev.decant.buffer.MalformedBytesException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Reader of the types in Kafka's protocol guide. Lengths and counts are not trusted: each is checked against the
 * remaining bytes before memory is allocated for it.
 */
public final class ProtocolReader extends BytesReader {
  /** Least bytes of a tagged field: one for its tag, one for its size. */
  private static final int MIN_TAGGED_FIELD_BYTES = 2;

  /** Creates a reader over an empty region; {@link #wrap} gives it bytes. */
  public ProtocolReader() {}

  /**
   * Creates a reader over a region.
   *
   * @param buffer a big-endian buffer
   * @param start index of the first byte to read
   * @param end index after the last byte that may be read
   */
  public ProtocolReader(ByteBuffer buffer, int start, int end) {
    wrap(buffer, start, end);
  }

  /**
   * Reads sixteen bytes.
   *
   * @return the identifier; {@link Uuid#ZERO} itself for zero
   */
  public Uuid readUuid() {
    int at = position();
    skip(2 * Long.BYTES);
    long most = buffer().getLong(at);
    long least = buffer().getLong(at + Long.BYTES);
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
   * @return the count, for which enough bytes remain; -1 for a null array
   */
  public int readArrayLength(int minElementBytes) {
    return checkedCount(readInt(), minElementBytes);
  }

  /**
   * Reads a count of elements + 1 as an unsigned varint.
   *
   * @param minElementBytes bytes that one element takes at least; less than 1 counts as 1
   * @return the count, for which enough bytes remain; -1 for a null array
   */
  public int readCompactArrayLength(int minElementBytes) {
    return checkedCount(readUnsignedVarint() - 1, minElementBytes);
  }

  /**
   * Reads an int32 length and that many bytes.
   *
   * @return a slice of the buffer, valid as long as the buffer's content, which must not be written to; null for -1
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
   * @return a slice of the buffer, valid as long as the buffer's content, which must not be written to; null for 0
   */
  public @Nullable ByteBuffer readCompactNullableBytes() {
    int length = readUnsignedVarint() - 1;
    if (length < 0) {
      requireNull("compact bytes", length);
      return null;
    }
    return slice(length);
  }

  /** Skips a count of tagged fields and the fields, because this reader's schema has none of them (KIP-482). */
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
      skip(readUnsignedVarint());
    }
  }

  private int checkedCount(int count, int minElementBytes) {
    if (count < -1 || (long) count * Math.max(1, minElementBytes) > remaining()) {
      throw new MalformedBytesException("an array of " + count + " elements of " + minElementBytes
          + " bytes or more announced, " + remaining() + " bytes remain");
    }
    return count;
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
