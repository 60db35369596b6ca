package dev.decant.kafka.producer;

import dev.decant.buffer.BytesWriter;
import dev.decant.kafka.Header;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Record headers in the form in which they are sent. They can be cleared and filled again. An iterator gives copies in
 * the order of the record, and is valid until the headers change. Not thread-safe.
 */
public final class Headers implements Iterable<Header> {
  private byte[] encoded = new byte[64];
  private int size;
  private int count;

  /** Makes an empty set of headers. */
  public Headers() {}

  /**
   * Adds a header; the same key may be added more than once.
   *
   * @param key its key
   * @param value its value, or null
   * @return this
   */
  public Headers add(String key, byte @Nullable [] value) {
    putText(Objects.requireNonNull(key, "key"));
    if (value == null) {
      putVarint(-1);
    } else {
      putVarint(value.length);
      putBytes(value);
    }
    count++;
    return this;
  }

  /**
   * Adds a header whose value is text. ASCII text allocates nothing once these headers are large enough.
   *
   * @param key its key
   * @param value its value, sent as UTF-8
   * @return this
   */
  public Headers addText(String key, String value) {
    Objects.requireNonNull(value, "value");
    putText(Objects.requireNonNull(key, "key"));
    putText(value);
    count++;
    return this;
  }

  /**
   * Adds headers in their order, for instance those of a record that was read. Bytes of other {@code Headers} are
   * copied, which allocates nothing once these are large enough.
   *
   * @param headers to be added
   * @return this
   */
  public Headers addAll(Iterable<Header> headers) {
    if (headers instanceof Headers other) {
      int added = other.count;
      putBytes(other.encoded, other.size);
      count += added;
      return this;
    }
    for (Header header : headers) {
      add(header.key(), header.value());
    }
    return this;
  }

  /**
   * Removes all headers.
   *
   * @return this
   */
  public Headers clear() {
    size = 0;
    count = 0;
    return this;
  }

  int count() {
    return count;
  }

  int sizeInBytes() {
    return size;
  }

  byte[] encoded() {
    return encoded;
  }

  /** Puts length and UTF-8. */
  private void putText(String text) {
    int before = size;
    int length = text.length();
    putVarint(length);
    ensure(length);
    for (int i = 0; i < length; i++) {
      char c = text.charAt(i);
      if (c >= 0x80) {
        size = before;
        putTextSlowPath(text);
        return;
      }
      encoded[size++] = (byte) c;
    }
  }

  private void putTextSlowPath(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    putVarint(bytes.length);
    putBytes(bytes);
  }

  private void putVarint(int value) {
    ensure(BytesWriter.sizeOfVarint(value));
    int v = (value << 1) ^ (value >> 31);
    while ((v & ~0x7f) != 0) {
      encoded[size++] = (byte) (v | 0x80);
      v >>>= 7;
    }
    encoded[size++] = (byte) v;
  }

  private void putBytes(byte[] bytes) {
    putBytes(bytes, bytes.length);
  }

  private void putBytes(byte[] bytes, int length) {
    ensure(length);
    System.arraycopy(bytes, 0, encoded, size, length);
    size += length;
  }

  private void ensure(int more) {
    if (encoded.length - size < more) {
      encoded = Arrays.copyOf(encoded, Math.max(encoded.length * 2, size + more));
    }
  }

  @Override
  public Iterator<Header> iterator() {
    return new Iterator<>() {
      private int at;

      @Override
      public boolean hasNext() {
        return at < size;
      }

      @Override
      public Header next() {
        if (!hasNext()) {
          throw new NoSuchElementException("no header at " + at);
        }
        byte[] key = Objects.requireNonNull(nextBytes(), "key");
        return new Header(new String(key, StandardCharsets.UTF_8), nextBytes());
      }

      // what comes next with its length before it; null for a length of -1
      private byte @Nullable [] nextBytes() {
        int zigZag = 0;
        int shift = 0;
        byte b;
        do {
          b = encoded[at++];
          zigZag |= (b & 0x7f) << shift;
          shift += 7;
        } while (b < 0);
        int length = (zigZag >>> 1) ^ -(zigZag & 1);
        if (length < 0) {
          return null;
        }
        at += length;
        return Arrays.copyOfRange(encoded, at - length, at);
      }
    };
  }
}
