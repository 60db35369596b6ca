package dev.decant.kafka.serialization;

import dev.decant.buffer.BytesReader;
import dev.decant.buffer.BytesWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

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

  static final Serde<MemorySegment> SEGMENT = new Serde<>() {
    private final ValueLayout.OfLong word = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    @Override
    public void encode(MemorySegment value, BytesWriter out) {
      long size = value.byteSize();
      long at = 0;
      for (; at <= size - Long.BYTES; at += Long.BYTES) {
        out.writeLong(value.get(word, at));
      }
      for (; at < size; at++) {
        out.writeByte(value.get(ValueLayout.JAVA_BYTE, at));
      }
    }

    @Override
    public MemorySegment decode(BytesReader in) {
      return MemorySegment.ofArray(BYTES.decode(in));
    }
  };

  private BufferSerdes() {}
}
