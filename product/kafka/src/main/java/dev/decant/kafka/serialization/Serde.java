package dev.decant.kafka.serialization;

import dev.decant.buffer.BytesReader;
import dev.decant.buffer.BytesWriter;
import java.util.Objects;

/**
 * An encoder and a decoder of one type.
 *
 * @param <T> the type
 */
public interface Serde<T> extends Encoder<T>, Decoder<T> {
  /**
   * Both in one.
   *
   * @param <T> the type
   * @param encoder writes values
   * @param decoder reads what the encoder writes
   * @return one that does what the two do
   */
  static <T> Serde<T> of(Encoder<? super T> encoder, Decoder<? extends T> decoder) {
    Objects.requireNonNull(encoder, "encoder");
    Objects.requireNonNull(decoder, "decoder");
    return new Serde<>() {
      @Override
      public void encode(T value, BytesWriter out) {
        encoder.encode(value, out);
      }

      @Override
      public void encode(T value, EncodeContext record, BytesWriter out) {
        encoder.encode(value, record, out);
      }

      @Override
      public T decode(BytesReader in) {
        return decoder.decode(in);
      }

      @Override
      public T decode(BytesReader in, DecodeContext record) {
        return decoder.decode(in, record);
      }
    };
  }
}
