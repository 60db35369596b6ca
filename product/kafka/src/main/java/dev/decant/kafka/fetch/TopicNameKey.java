package dev.decant.kafka.fetch;

import dev.decant.kafka.protocol.Uuid;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * What stands for the id of a topic where a broker knows topics by name only: two hashes of the name's bytes, so that
 * no response makes a string. Two names have the same 128 bits no sooner than two topics have the same id.
 */
final class TopicNameKey {
  /** From the golden ratio and the square root of 3; both are odd, so that no bit of the hash is lost. */
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
