package dev.decant.kafka.serialization;

import dev.decant.buffer.BytesReader;
import dev.decant.buffer.BytesWriter;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Strings in UTF-8, of which the last ones are kept: the same bytes give the same string again. Each place of the table
 * holds one string, the last with that hash. Any thread: entries are immutable, and a race costs a decoding at most.
 */
final class RecentStrings implements Serde<String> {
  /** Longer ones are hardly ever repeated, and would keep much memory. */
  private static final int LONGEST = 64;
  private static final long PRIME = 0x9E3779B97F4A7C15L;

  /** Immutable. */
  private static final class Entry {
    final byte[] bytes;
    final String text;

    Entry(byte[] bytes, String text) {
      this.bytes = bytes;
      this.text = text;
    }
  }

  private final @Nullable Entry[] table;
  private final int shift;

  RecentStrings(int values) {
    if (values < 1 || values > 1 << 20) {
      throw new IllegalArgumentException("recentStrings: " + values + " values; between 1 and " + (1 << 20)
          + " can be kept");
    }
    int bits = Integer.SIZE - Integer.numberOfLeadingZeros(values - 1);
    table = new @Nullable Entry[1 << bits];
    shift = Long.SIZE - bits;
  }

  @Override
  public void encode(String value, BytesWriter out) {
    out.writeUtf8(value);
  }

  @Override
  public String decode(BytesReader in) {
    int length = in.remaining();
    if (length == 0) {
      return "";
    }
    if (length > LONGEST) {
      return in.readUtf8(length);
    }
    ByteBuffer buffer = in.buffer();
    int at = in.position();
    int place = place(buffer, at, length);
    Entry known = table[place];
    if (known != null && matches(known.bytes, buffer, at, length)) {
      in.skip(length);
      return known.text;
    }
    return decodeSlowPath(in, length, place);
  }

  private String decodeSlowPath(BytesReader in, int length, int place) {
    byte[] bytes = new byte[length];
    in.buffer().get(in.position(), bytes);
    String text = in.readUtf8(length);
    table[place] = new Entry(bytes, text);
    return text;
  }

  private int place(ByteBuffer buffer, int at, int length) {
    long hash = length;
    int i = 0;
    for (; i <= length - Long.BYTES; i += Long.BYTES) {
      hash = (hash ^ buffer.getLong(at + i)) * PRIME;
      hash ^= hash >>> 32;
    }
    for (; i < length; i++) {
      hash = (hash ^ buffer.get(at + i)) * PRIME;
    }
    return shift == Long.SIZE ? 0 : (int) (hash >>> shift);
  }

  private static boolean matches(byte[] known, ByteBuffer buffer, int at, int length) {
    if (known.length != length) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if (known[i] != buffer.get(at + i)) {
        return false;
      }
    }
    return true;
  }
}
