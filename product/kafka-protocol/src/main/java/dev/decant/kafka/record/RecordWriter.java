package dev.decant.kafka.record;

import dev.decant.buffer.BytesWriter;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Writes records of a batch, magic 2, into memory that was claimed before: compute the size, claim it, write in place.
 *
 * <pre>
 *   +--------+------------+-----------+---------+---------+-----+---------+-------+---------+------------
 *   | length | attributes | timestamp | offset  | key     | key | value   | value | header  | headers ...
 *   |        |            | Delta     | Delta   | Length  |     | Length  |       | Count   |
 *   | varint | int8, 0    | varlong   | varint  | varint  |     | varint  |       | varint  |
 *   +--------+------------+-----------+---------+---------+-----+---------+-------+---------+------------
 *            |&lt;- body: what length counts ...
 *
 *   header:  keyLength varint, key UTF-8, valueLength varint, value
 *   A key or value length of -1 stands for null.
 * </pre>
 *
 * <p>Static methods without state: any thread. The buffer's own bounds are checked; nothing is allocated.
 */
public final class RecordWriter {
  /** The length that stands for a null key or value. */
  public static final int NULL = -1;
  /** Size of the header part of a record without headers: only the count. */
  public static final int NO_HEADERS_BYTES = 1;
  /** Least bytes of a record's length, attributes, deltas, key and value lengths and header count. */
  public static final int MIN_RECORD_BYTES = 7;

  private static final int MAX_LENGTH_BYTES = 5;
  private static final int ATTRIBUTES_BYTES = 1;

  private RecordWriter() {}

  /**
   * Returns the size of a record's body, the value of its length field.
   *
   * @param offsetDelta its offset minus the batch's base offset
   * @param timestampDelta its timestamp minus the batch's base timestamp
   * @param keySize bytes of the key, {@link #NULL} for none
   * @param valueSize bytes of the value, {@link #NULL} for none
   * @param headersSize bytes of the header count and the headers, {@link #NO_HEADERS_BYTES} for none
   * @return bytes
   * @throws IllegalArgumentException if that is more than a record can have
   */
  public static int bodySize(int offsetDelta, long timestampDelta, int keySize, int valueSize, int headersSize) {
    long size = ATTRIBUTES_BYTES + BytesWriter.sizeOfVarlong(timestampDelta) + BytesWriter.sizeOfVarint(offsetDelta)
        + BytesWriter.sizeOfVarint(keySize) + (long) Math.max(0, keySize) + BytesWriter.sizeOfVarint(valueSize)
        + Math.max(0, valueSize) + headersSize;
    if (size > Integer.MAX_VALUE - MAX_LENGTH_BYTES) {
      throw new IllegalArgumentException("a record of " + size + " bytes");
    }
    return (int) size;
  }

  /**
   * Returns the size of a record with its length field.
   *
   * @param bodySize the result of {@link #bodySize}
   * @return bytes
   */
  public static int totalSize(int bodySize) {
    return BytesWriter.sizeOfVarint(bodySize) + bodySize;
  }

  /**
   * Writes all fields before the key's first byte.
   *
   * @param buffer the target
   * @param at index of the record's first byte
   * @param bodySize the result of {@link #bodySize}
   * @param timestampDelta its timestamp minus the batch's base timestamp
   * @param offsetDelta its offset minus the batch's base offset
   * @param keySize bytes of the key, {@link #NULL} for none
   * @return index of the key, or, without one, of the value's length
   */
  public static int writePrefix(ByteBuffer buffer, int at, int bodySize, long timestampDelta, int offsetDelta,
      int keySize) {
    int p = putVarint(buffer, at, bodySize);
    buffer.put(p++, (byte) 0);
    p = putVarlong(buffer, p, timestampDelta);
    p = putVarint(buffer, p, offsetDelta);
    return putVarint(buffer, p, keySize);
  }

  /**
   * Writes the length before a value.
   *
   * @param buffer the target
   * @param at index after the key
   * @param valueSize bytes of the value, {@link #NULL} for none
   * @return index of the value, or, without one, of the header count
   */
  public static int writeValueSize(ByteBuffer buffer, int at, int valueSize) {
    return putVarint(buffer, at, valueSize);
  }

  /**
   * Writes the count before the headers.
   *
   * @param buffer the target
   * @param at index after the value
   * @param count number of headers that follow
   * @return index of the first header, or of the record's end
   */
  public static int writeHeaderCount(ByteBuffer buffer, int at, int count) {
    return putVarint(buffer, at, count);
  }

  /**
   * Returns the size of one header.
   *
   * @param key its key
   * @param valueSize bytes of its value, {@link #NULL} for none
   * @return bytes
   */
  public static int headerSize(CharSequence key, int valueSize) {
    int keySize = BytesWriter.utf8Length(key);
    return BytesWriter.sizeOfVarint(keySize) + keySize + BytesWriter.sizeOfVarint(valueSize) + Math.max(0, valueSize);
  }

  /**
   * Writes one header.
   *
   * @param writer the target
   * @param key its key
   * @param value its value, or null
   */
  public static void writeHeader(BytesWriter writer, CharSequence key, byte @Nullable [] value) {
    writer.writeVarint(BytesWriter.utf8Length(key));
    writer.writeUtf8(key);
    if (value == null) {
      writer.writeVarint(NULL);
    } else {
      writer.writeVarint(value.length);
      writer.writeBytes(value, 0, value.length);
    }
  }

  /**
   * Writes a whole record without headers.
   *
   * @param buffer the target, with room for {@link #totalSize}
   * @param at index of the record's first byte
   * @param timestampDelta its timestamp minus the batch's base timestamp
   * @param offsetDelta its offset minus the batch's base offset
   * @param key the key, or null
   * @param value the value, or null
   * @return index after the record
   */
  public static int write(ByteBuffer buffer, int at, long timestampDelta, int offsetDelta, byte @Nullable [] key,
      byte @Nullable [] value) {
    int keySize = key == null ? NULL : key.length;
    int valueSize = value == null ? NULL : value.length;
    int bodySize = bodySize(offsetDelta, timestampDelta, keySize, valueSize, NO_HEADERS_BYTES);
    int p = writePrefix(buffer, at, bodySize, timestampDelta, offsetDelta, keySize);
    if (key != null) {
      buffer.put(p, key);
      p += keySize;
    }
    p = putVarint(buffer, p, valueSize);
    if (value != null) {
      buffer.put(p, value);
      p += valueSize;
    }
    buffer.put(p, (byte) 0);
    return p + 1;
  }

  private static int putVarint(ByteBuffer buffer, int at, int value) {
    int v = (value << 1) ^ (value >> 31);
    if ((v & ~0x7F) == 0) {
      buffer.put(at, (byte) v);
      return at + 1;
    }
    if ((v & ~0x3FFF) == 0) { // two bytes: long keys and values, and offset deltas from 64 on
      buffer.putShort(at, (short) ((v << 8) | 0x8000 | (v >>> 7)));
      return at + 2;
    }
    return putUnsignedVarlong(buffer, at, Integer.toUnsignedLong(v));
  }

  private static int putVarlong(ByteBuffer buffer, int at, long value) {
    long v = (value << 1) ^ (value >> 63);
    if ((v & ~0x7FL) == 0) {
      buffer.put(at, (byte) v);
      return at + 1;
    }
    return putUnsignedVarlong(buffer, at, v);
  }

  private static int putUnsignedVarlong(ByteBuffer buffer, int at, long value) {
    int p = at;
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      buffer.put(p++, (byte) (rest | 0x80));
      rest >>>= 7;
    }
    buffer.put(p++, (byte) rest);
    return p;
  }
}
