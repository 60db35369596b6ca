package dev.decant.kafka.serialization;

import dev.decant.buffer.BytesReader;

/**
 * Reads keys or values from a fetched batch.
 *
 * @param <T> the type it reads
 */
@FunctionalInterface
public interface Decoder<T> {
  /**
   * Reads a value that fills the reader's remaining bytes. Must not keep the reader or slices of it.
   *
   * @param in bounded to the value
   * @return the value
   */
  T decode(BytesReader in);
}
