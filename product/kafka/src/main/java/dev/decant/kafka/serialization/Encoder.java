package dev.decant.kafka.serialization;

import dev.decant.buffer.BytesWriter;
import java.util.Objects;
import java.util.function.BiFunction;
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
   * Writes the value of a record whose topic and headers it sees, as an encoder of a schema registry must. The client
   * calls this method; without an implementation of its own it is the other one. May be called again with the same
   * value when the first buffer was too small; headers that it added are removed before.
   *
   * @param value the value
   * @param record its topic and headers
   * @param out takes the bytes
   */
  default void encode(T value, EncodeContext record, BytesWriter out) {
    encode(value, out);
  }

  /**
   * An encoder from what makes a byte array of each value, such as an existing serializer. It costs that array.
   *
   * @param <T> the type it writes
   * @param toBytes makes the bytes; never null
   * @return the encoder
   */
  static <T> Encoder<T> ofBytes(Function<? super T, byte[]> toBytes) {
    Objects.requireNonNull(toBytes, "toBytes");
    return (value, out) -> {
      byte[] bytes = toBytes.apply(value);
      out.writeBytes(bytes, 0, bytes.length);
    };
  }

  /**
   * An encoder from what makes a byte array of each value and sees topic and headers, such as the serializer of a
   * schema registry. It costs that array.
   *
   * @param <T> the type it writes
   * @param toBytes makes the bytes; never null
   * @return the encoder; it serves records only, and throws where there is none
   */
  static <T> Encoder<T> ofBytes(BiFunction<? super T, ? super EncodeContext, byte[]> toBytes) {
    Objects.requireNonNull(toBytes, "toBytes");
    return new Encoder<>() {
      @Override
      public void encode(T value, BytesWriter out) {
        throw new UnsupportedOperationException("the encoder needs a record: call encode(value, record, out)");
      }

      @Override
      public void encode(T value, EncodeContext record, BytesWriter out) {
        byte[] bytes = toBytes.apply(value, record);
        out.writeBytes(bytes, 0, bytes.length);
      }
    };
  }
}
