package dev.decant.kafka.serialization;

import dev.decant.buffer.BytesReader;
import java.util.function.Function;

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

  /**
   * A decoder from what reads a value from a byte array, such as an existing deserializer. It costs that array.
   *
   * @param <T> the type it reads
   * @param fromBytes reads the value from an array of its own
   * @return the decoder
   */
  static <T> Decoder<T> ofBytes(Function<byte[], ? extends T> fromBytes) {
    return in -> {
      byte[] bytes = new byte[in.remaining()];
      in.readBytes(bytes, 0, bytes.length);
      return fromBytes.apply(bytes);
    };
  }
}
