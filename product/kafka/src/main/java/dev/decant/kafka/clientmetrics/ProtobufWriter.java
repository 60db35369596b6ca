package dev.decant.kafka.clientmetrics;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes the wire format of Protocol Buffers into memory that grows. A field is a tag and a value:
 *
 * <pre>
 *   | number &lt;&lt; 3 | type |  value
 *   varint                  type 0: varint   1: 8 bytes, low first   2: length as varint, then as many bytes
 * </pre>
 *
 * <p>The length of a nested message comes before it: {@link #end} moves the message to make room for that. One thread
 * at a time.
 */
final class ProtobufWriter {
  private static final int VARINT = 0;
  private static final int FIXED64 = 1;
  private static final int LENGTH = 2;
  private static final int VARINT_BITS = 7;
  private static final int FIRST_BYTES = 4096;

  private byte[] bytes = new byte[FIRST_BYTES];
  private int size;

  int size() {
    return size;
  }

  /** Begins a nested message, whose content ends with {@link #end}. Returns its position. */
  int begin(int field) {
    tag(field, LENGTH);
    return size;
  }

  /** Ends the nested message that began at a position. */
  void end(int begun) {
    int length = size - begun;
    int lengthBytes = varintBytes(length);
    reserve(lengthBytes);
    System.arraycopy(bytes, begun, bytes, begun + lengthBytes, length);
    size = begun;
    putVarint(length);
    size += length;
  }

  void string(int field, String value) {
    byte[] text = value.getBytes(StandardCharsets.UTF_8);
    tag(field, LENGTH);
    putVarint(text.length);
    reserve(text.length);
    System.arraycopy(text, 0, bytes, size, text.length);
    size += text.length;
  }

  void varint(int field, int value) {
    tag(field, VARINT);
    putVarint(value);
  }

  void fixed64(int field, long value) {
    tag(field, FIXED64);
    reserve(Long.BYTES);
    for (int i = 0; i < Long.BYTES; i++) {
      bytes[size++] = (byte) (value >>> (i * Byte.SIZE));
    }
  }

  void doubleValue(int field, double value) {
    fixed64(field, Double.doubleToRawLongBits(value));
  }

  /** Returns a copy in direct memory, which compressors need. */
  ByteBuffer copy() {
    return ByteBuffer.allocateDirect(size).put(0, bytes, 0, size);
  }

  private void tag(int field, int type) {
    putVarint(field << 3 | type);
  }

  private void putVarint(int value) {
    reserve(varintBytes(value));
    int rest = value;
    while ((rest & -(1 << VARINT_BITS)) != 0) {
      bytes[size++] = (byte) (rest | 1 << VARINT_BITS);
      rest >>>= VARINT_BITS;
    }
    bytes[size++] = (byte) rest;
  }

  private static int varintBytes(int value) {
    return Math.max(1, (Integer.SIZE - Integer.numberOfLeadingZeros(value) + VARINT_BITS - 1) / VARINT_BITS);
  }

  private void reserve(int more) {
    if (size + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, size + more));
    }
  }
}
