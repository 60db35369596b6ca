package dev.decant.kafka.fetch;

import dev.decant.kafka.protocol.Uuid;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Stands for a topic's id if the broker knows names only: a 128-bit hash of the name's bytes, so that responses are
 * read without a string. Two names collide as rarely as two random ids.
 */
final class TopicNameKey {
  /** From the golden ratio and the square root of 3; both are odd, so the multiplication loses no bit of the hash. */
  private static final long HIGH = 0x9E3779B97F4A7C15L;
  private static final long LOW = 0xBB67AE8584CAA73BL;

  private TopicNameKey() {}

  static Uuid of(String name) {
    byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
    ByteBuffer bytes = ByteBuffer.wrap(utf8);
    return new Uuid(high(bytes, 0, utf8.length), low(bytes, 0, utf8.length));
  }

  static long high(ByteBuffer bytes, int from, int to) {
    return hash(bytes, from, to, HIGH);
  }

  static long low(ByteBuffer bytes, int from, int to) {
    return hash(bytes, from, to, LOW);
  }

  private static long hash(ByteBuffer bytes, int from, int to, long factor) {
    long hash = (long) to - from;
    for (int i = from; i < to; i++) {
      hash = (hash ^ bytes.get(i)) * factor;
      hash ^= hash >>> 32;
    }
    return hash;
  }
}
