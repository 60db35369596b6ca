package dev.decant.kafka.apache;

import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/** Computes upper bounds of record sizes, as Apache's producer computes them before it checks its limits. */
final class RecordSizes {
  /** Bytes of a record batch before its first record. */
  private static final int BATCH_OVERHEAD = 61;
  /** Upper bound of a record's length, attributes, timestamp and offset. */
  private static final int RECORD_OVERHEAD = 21;

  private RecordSizes() {}

  /** Returns the bound in bytes, which may exceed {@code Integer.MAX_VALUE}. */
  static long upperBound(byte @Nullable [] key, byte @Nullable [] value, Header[] headers) {
    long size = BATCH_OVERHEAD + RECORD_OVERHEAD + sizeOf(key) + sizeOf(value) + sizeOfVarint(headers.length);
    for (Header header : headers) {
      int length = utf8Length(header.key());
      size += sizeOfVarint(length) + length + sizeOf(header.value());
    }
    return size;
  }

  private static long sizeOf(byte @Nullable [] bytes) {
    return bytes == null ? 1 : sizeOfVarint(bytes.length) + (long) bytes.length;
  }

  private static int utf8Length(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) >= 0x80) {
        return text.getBytes(StandardCharsets.UTF_8).length;
      }
    }
    return text.length();
  }

  /** Returns the bytes of a zigzag varint, 7 bits in each. */
  private static int sizeOfVarint(int length) {
    int bits = Integer.SIZE - Integer.numberOfLeadingZeros(length << 1 | 1);
    return (bits + 6) / 7;
  }
}
