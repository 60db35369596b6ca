package dev.decant.kafka.serialization;

import dev.decant.buffer.BytesReader;
import dev.decant.buffer.BytesWriter;
import java.nio.ByteBuffer;

/** Memory as it is. What is read is a copy of its own, since the fetched batch does not last. */
final class BufferSerdes {
  static final Serde<byte[]> BYTES = new Serde<>() {
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
  };

  static final Serde<ByteBuffer> BUFFER = new Serde<>() {
    @Override
    public void encode(ByteBuffer value, BytesWriter out) {
      out.writeBytes(value);
    }

    @Override
    public ByteBuffer decode(BytesReader in) {
      return ByteBuffer.wrap(BYTES.decode(in));
    }
  };

  private BufferSerdes() {}
}
