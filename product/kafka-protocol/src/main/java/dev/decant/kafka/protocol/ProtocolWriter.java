package dev.decant.kafka.protocol;

import dev.decant.buffer.BytesWriter;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Writer of the types in Kafka's protocol guide. A value that does not fit throws
 * {@link dev.decant.buffer.BufferTooSmallException} and leaves the position where it was before that value.
 */
public final class ProtocolWriter extends BytesWriter {
  /** Creates a writer over an empty region; {@link #wrap} gives it memory. */
  public ProtocolWriter() {}

  /**
   * Creates a writer over a region.
   *
   * @param buffer a big-endian buffer
   * @param start index of the first byte to write
   * @param end index after the last byte that may be written
   */
  public ProtocolWriter(ByteBuffer buffer, int start, int end) {
    wrap(buffer, start, end);
  }

  /**
   * Writes sixteen bytes.
   *
   * @param v the identifier
   */
  public void writeUuid(Uuid v) {
    requireRoom(2 * Long.BYTES);
    writeLong(v.mostSignificantBits());
    writeLong(v.leastSignificantBits());
  }

  /**
   * Writes an int16 length and UTF-8.
   *
   * @param s the text, at most 32767 bytes of UTF-8
   * @throws IllegalArgumentException if the text is longer
   */
  public void writeString(String s) {
    requireRoom(Short.BYTES);
    int start = position();
    int end = putUtf8(start + Short.BYTES, s);
    int length = end - start - Short.BYTES;
    if (length > Short.MAX_VALUE) {
      throw new IllegalArgumentException("a string of " + length + " bytes is longer than " + Short.MAX_VALUE);
    }
    putShort(start, length);
    position(end);
  }

  /**
   * Writes an int16 length and UTF-8, or the length -1.
   *
   * @param s the text, at most 32767 bytes of UTF-8, or null
   * @throws IllegalArgumentException if the text is longer
   */
  public void writeNullableString(@Nullable String s) {
    if (s == null) {
      writeShort(-1);
    } else {
      writeString(s);
    }
  }

  /**
   * Writes length + 1 as an unsigned varint, and UTF-8.
   *
   * @param s the text
   */
  public void writeCompactString(String s) {
    int length = utf8Length(s);
    requireRoom((long) sizeOfUnsignedVarint(length + 1) + length);
    writeUnsignedVarint(length + 1);
    writeUtf8(s);
  }

  /**
   * Writes length + 1 as an unsigned varint, and UTF-8; or 0.
   *
   * @param s the text, or null
   */
  public void writeCompactNullableString(@Nullable String s) {
    if (s == null) {
      writeByte(0);
    } else {
      writeCompactString(s);
    }
  }
}
