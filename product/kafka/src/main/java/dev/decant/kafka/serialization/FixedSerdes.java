package dev.decant.kafka.serialization;

import dev.decant.buffer.BytesReader;
import dev.decant.buffer.BytesWriter;
import dev.decant.buffer.MalformedBytesException;

/** Numbers in as many bytes as they have, big endian. Anything but that many bytes is no such number. */
final class FixedSerdes {
  static final Serde<Long> LONG = new Serde<>() {
    @Override
    public void encode(Long value, BytesWriter out) {
      out.writeLong(value);
    }

    @Override
    public Long decode(BytesReader in) {
      requireLength(in, Long.BYTES, "a long");
      return in.readLong();
    }
  };

  static final Serde<Integer> INT = new Serde<>() {
    @Override
    public void encode(Integer value, BytesWriter out) {
      out.writeInt(value);
    }

    @Override
    public Integer decode(BytesReader in) {
      requireLength(in, Integer.BYTES, "an int");
      return in.readInt();
    }
  };

  static final Serde<Double> DOUBLE = new Serde<>() {
    @Override
    public void encode(Double value, BytesWriter out) {
      out.writeDouble(value);
    }

    @Override
    public Double decode(BytesReader in) {
      requireLength(in, Double.BYTES, "a double");
      return in.readDouble();
    }
  };

  private FixedSerdes() {}

  private static void requireLength(BytesReader in, int bytes, String type) {
    if (in.remaining() != bytes) {
      throw new MalformedBytesException("not " + type + ", which has " + bytes + " bytes: here are " + in.remaining());
    }
  }
}
