package dev.decant.kafka.serialization;

import dev.decant.buffer.BytesReader;
import java.util.Objects;
import java.util.function.BiFunction;
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
   * Reads a value of a record whose topic and headers it sees, as a decoder of a schema registry must. The client calls
   * this method; without an implementation of its own it is the other one.
   *
   * @param in bounded to the value
   * @param record its topic and headers
   * @return the value
   */
  default T decode(BytesReader in, DecodeContext record) {
    return decode(in);
  }

  /**
   * A decoder from what reads a value from a byte array, such as an existing deserializer. It costs that array.
   *
   * @param <T> the type it reads
   * @param fromBytes reads the value from an array of its own
   * @return the decoder
   */
  static <T> Decoder<T> ofBytes(Function<byte[], ? extends T> fromBytes) {
    Objects.requireNonNull(fromBytes, "fromBytes");
    return in -> {
      byte[] bytes = new byte[in.remaining()];
      in.readBytes(bytes, 0, bytes.length);
      return fromBytes.apply(bytes);
    };
  }

  /**
   * A decoder from what reads a value from a byte array and sees topic and headers, such as the deserializer of a
   * schema registry. It costs that array.
   *
   * @param <T> the type it reads
   * @param fromBytes reads the value from an array of its own
   * @return the decoder; it serves records only, and throws where there is none
   */
  static <T> Decoder<T> ofBytes(BiFunction<byte[], ? super DecodeContext, ? extends T> fromBytes) {
    Objects.requireNonNull(fromBytes, "fromBytes");
    return new Decoder<>() {
      @Override
      public T decode(BytesReader in) {
        throw new UnsupportedOperationException("the decoder needs a record: call decode(in, record)");
      }

      @Override
      public T decode(BytesReader in, DecodeContext record) {
        byte[] bytes = new byte[in.remaining()];
        in.readBytes(bytes, 0, bytes.length);
        return fromBytes.apply(bytes, record);
      }
    };
  }
}
