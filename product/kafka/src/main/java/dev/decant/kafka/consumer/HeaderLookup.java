package dev.decant.kafka.consumer;

import dev.decant.buffer.BytesReader;
import dev.decant.kafka.Header;
import dev.decant.kafka.record.RecordBatchReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Finds headers of the current record by their keys. Allocates only for results, and for keys that are not ASCII. */
final class HeaderLookup {
  private static final long NONE = -1;

  private HeaderLookup() {}

  static byte @Nullable [] last(RecordBatchReader reader, String key) {
    long found = lastValue(reader, key);
    if (found == NONE) {
      return null;
    }
    return copy(reader, offset(found), length(found));
  }

  static @Nullable String lastText(RecordBatchReader reader, String key, BytesReader bytes) {
    long found = lastValue(reader, key);
    if (found == NONE) {
      return null;
    }
    return bytes.wrap(reader.buffer(), offset(found), offset(found) + length(found)).readUtf8(length(found));
  }

  static List<Header> all(RecordBatchReader reader) {
    int count = reader.headerCount();
    if (count == 0) {
      return List.of();
    }
    List<Header> headers = new ArrayList<>();
    forEach(reader, (key, value) -> headers.add(new Header(key, value)));
    return headers;
  }

  static void forEach(RecordBatchReader reader, BiConsumer<String, byte @Nullable []> handler) {
    if (reader.headerCount() == 0) {
      return;
    }
    reader.rewindHeaders();
    while (reader.nextHeader()) {
      byte[] key = copy(reader, reader.headerKeyOffset(), reader.headerKeyLength());
      int length = reader.headerValueLength();
      handler.accept(new String(key, StandardCharsets.UTF_8),
          length < 0 ? null : copy(reader, reader.headerValueOffset(), length));
    }
  }

  private static byte[] copy(RecordBatchReader reader, int offset, int length) {
    byte[] copy = new byte[length];
    reader.buffer().get(offset, copy);
    return copy;
  }

  /**
   * Returns offset and length of the value, or NONE. The last header with the key decides, also if its value is null.
   */
  private static long lastValue(RecordBatchReader reader, String key) {
    long found = NONE;
    reader.rewindHeaders();
    while (reader.nextHeader()) {
      if (matches(reader, key)) {
        int length = reader.headerValueLength();
        found = length < 0 ? NONE : (long) reader.headerValueOffset() << Integer.SIZE | length;
      }
    }
    return found;
  }

  private static int offset(long found) {
    return (int) (found >>> Integer.SIZE);
  }

  private static int length(long found) {
    return (int) found;
  }

  private static boolean matches(RecordBatchReader reader, String wanted) {
    ByteBuffer buffer = reader.buffer();
    int from = reader.headerKeyOffset();
    int length = reader.headerKeyLength();
    for (int i = 0; i < wanted.length(); i++) {
      char c = wanted.charAt(i);
      if (c >= 0x80) {
        return matchesSlowPath(reader, wanted);
      }
      if (i >= length || buffer.get(from + i) != c) {
        return false;
      }
    }
    return length == wanted.length();
  }

  private static boolean matchesSlowPath(RecordBatchReader reader, String wanted) {
    byte[] key = copy(reader, reader.headerKeyOffset(), reader.headerKeyLength());
    return Arrays.equals(key, wanted.getBytes(StandardCharsets.UTF_8));
  }
}
