package dev.decant.kafka.serialization;

import dev.decant.buffer.BytesWriter;
import java.util.function.Function;

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

  /**
   * An encoder from what makes a byte array of each value, such as an existing serializer. It costs that array.
   *
   * @param <T> the type it writes
   * @param toBytes makes the bytes; never null
   * @return the encoder
   */
  static <T> Encoder<T> ofBytes(Function<? super T, byte[]> toBytes) {
    return (value, out) -> {
      byte[] bytes = toBytes.apply(value);
      out.writeBytes(bytes, 0, bytes.length);
    };
  }
}
