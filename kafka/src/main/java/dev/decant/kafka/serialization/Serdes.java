package dev.decant.kafka.serialization;

import dev.decant.buffer.BytesReader;
import dev.decant.buffer.BytesWriter;

/** Ready encoders and decoders, compatible with Apache's serializers of the same types. */
public final class Serdes {
  private static final Serde<byte[]> BYTES = new BytesSerde();
  private static final Serde<String> STRING = new StringSerde();
  private static final Serde<Long> LONG = new LongSerde();

  private Serdes() {}

  /**
   * Bytes as they are.
   *
   * @return a shared instance
   */
  public static Serde<byte[]> bytes() {
    return BYTES;
  }

  /**
   * Strings in UTF-8.
   *
   * @return a shared instance
   */
  public static Serde<String> string() {
    return STRING;
  }

  /**
   * Longs in 8 bytes, big endian.
   *
   * @return a shared instance
   */
  public static Serde<Long> longs() {
    return LONG;
  }

  private static final class BytesSerde implements Serde<byte[]> {
    @Override
    public void encode(byte[] value, BytesWriter out) {
      out.writeBytes(value, 0, value.length);
    }

    @Override
    public byte[] decode(BytesReader in) {
      byte[] value = new byte[in.remaining()];
      in.readBytes(value, 0, value.length);
      return value;
    }
  }

  private static final class StringSerde implements Serde<String> {
    @Override
    public void encode(String value, BytesWriter out) {
      out.writeUtf8(value);
    }

    @Override
    public String decode(BytesReader in) {
      return in.readUtf8(in.remaining());
    }
  }

  private static final class LongSerde implements Serde<Long> {
    @Override
    public void encode(Long value, BytesWriter out) {
      out.writeLong(value);
    }

    @Override
    public Long decode(BytesReader in) {
      return in.readLong();
    }
  }
}
