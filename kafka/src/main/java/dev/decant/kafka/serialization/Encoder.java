package dev.decant.kafka.serialization;

import dev.decant.buffer.BytesWriter;

/**
 * Writes keys or values as bytes. Must be thread-safe: any thread that sends uses it. It runs before a place in a
 * batch is claimed, so one that throws or is slow harms nobody else.
 *
 * @param <T> the type it writes
 */
@FunctionalInterface
public interface Encoder<T> {
  /**
   * Writes the value. May be called again with the same value when the first buffer was too small.
   *
   * @param value the value
   * @param out takes the bytes
   */
  void encode(T value, BytesWriter out);
}
