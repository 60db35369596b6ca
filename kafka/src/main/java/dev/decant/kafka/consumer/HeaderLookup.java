package dev.decant.kafka.consumer;

import dev.decant.kafka.record.RecordBatchReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Finds a header of the current record by its key. */
final class HeaderLookup {
  private HeaderLookup() {}

  static byte @Nullable [] last(RecordBatchReader reader, String key) {
    byte[] wanted = key.getBytes(StandardCharsets.UTF_8);
    byte[] found = null;
    reader.rewindHeaders();
    while (reader.nextHeader()) {
      if (matches(reader, wanted)) {
        found = value(reader);
      }
    }
    return found;
  }

  private static boolean matches(RecordBatchReader reader, byte[] wanted) {
    ByteBuffer buffer = reader.buffer();
    if (reader.headerKeyLength() != wanted.length) {
      return false;
    }
    for (int i = 0; i < wanted.length; i++) {
      if (buffer.get(reader.headerKeyOffset() + i) != wanted[i]) {
        return false;
      }
    }
    return true;
  }

  private static byte @Nullable [] value(RecordBatchReader reader) {
    int length = reader.headerValueLength();
    if (length < 0) {
      return null;
    }
    byte[] copy = new byte[length];
    reader.buffer().get(reader.headerValueOffset(), copy);
    return copy;
  }
}
