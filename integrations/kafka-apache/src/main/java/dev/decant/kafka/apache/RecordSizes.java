package dev.decant.kafka.apache;

import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/** How large a record is at most, counted as Apache's producer counts it before it compares it with its limits. */
final class RecordSizes {
  /** Of a record batch with one record. */
  private static final int BATCH_OVERHEAD = 61;
  /** Length, attributes, timestamp and offset of a record, as large as they can be. */
  private static final int RECORD_OVERHEAD = 21;

  private RecordSizes() {}

  /** Bytes; more than {@code Integer.MAX_VALUE} is possible. */
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

  /** Returns a varint is zigzag-coded: each byte has 7 bits. */
  private static int sizeOfVarint(int length) {
    int bits = Integer.SIZE - Integer.numberOfLeadingZeros(length << 1 | 1);
    return (bits + 6) / 7;
  }
}
