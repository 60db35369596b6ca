package dev.decant.kafka.serialization;

import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * Ready encoders and decoders, compatible with Apache's serializers of the same types. All are thread-safe.
 * Bytes that are no value of the type make a decoder throw {@link dev.decant.buffer.MalformedBytesException}.
 */
public final class Serdes {
  private Serdes() {}

  /**
   * Bytes as they are.
   *
   * @return a shared instance
   */
  public static Serde<byte[]> bytes() {
    return BufferSerdes.BYTES;
  }

  /**
   * The bytes between position and limit, which do not move. What is read is a heap buffer of its own.
   *
   * @return a shared instance
   */
  public static Serde<ByteBuffer> byteBuffer() {
    return BufferSerdes.BUFFER;
  }

  /**
   * Strings in UTF-8.
   *
   * @return a shared instance
   */
  public static Serde<String> string() {
    return TextSerdes.STRING;
  }

  /**
   * Strings in UTF-8 of which the last ones are kept, for keys that come again and again: bytes that are known give the
   * string that there is already, and nothing is allocated. Strings of more than 64 bytes are not kept.
   *
   * @param values how many places for strings there are, rounded up to a power of two; one that needs the place of
   *        another takes it
   * @return an instance of its own, which consumers may share
   * @throws IllegalArgumentException if it is not between 1 and 1,048,576
   */
  public static Serde<String> recentStrings(int values) {
    return new RecentStrings(values);
  }

  /**
   * UUIDs as text, as Apache's serializer writes them.
   *
   * @return a shared instance
   */
  public static Serde<UUID> uuid() {
    return TextSerdes.UUID_TEXT;
  }

  /**
   * Longs in 8 bytes, big endian.
   *
   * @return a shared instance
   */
  public static Serde<Long> longs() {
    return FixedSerdes.LONG;
  }

  /**
   * Ints in 4 bytes, big endian.
   *
   * @return a shared instance
   */
  public static Serde<Integer> ints() {
    return FixedSerdes.INT;
  }

  /**
   * Doubles in 8 bytes, big endian.
   *
   * @return a shared instance
   */
  public static Serde<Double> doubles() {
    return FixedSerdes.DOUBLE;
  }
}
