package dev.decant.kafka.cluster;

import dev.decant.buffer.BufferTooSmallException;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.ProtocolWriter;
import java.nio.ByteBuffer;

/**
 * The memory in which one call encodes its requests. Each request reuses it, so a call has one request in flight at a
 * time. The bytes are free once a response or failure is handed over. Owner of the loop only.
 */
final class RequestMemory {
  private static final int FIRST_BYTES = 1024;
  private static final int GROWTH = 4;
  private static final int MAX_BYTES = 64 * 1024 * 1024;

  private final ProtocolWriter writer = new ProtocolWriter();
  private ByteBuffer buffer = ByteBuffer.allocateDirect(FIRST_BYTES);

  /** Encodes a whole request, with its length in front. */
  ByteBuffer encode(RequestHeader header, RequestBody body, short version) {
    while (true) {
      ByteBuffer frame = buffer.clear();
      try {
        writer.wrap(frame, Integer.BYTES, frame.capacity());
        header.write(writer);
        body.write(writer, version);
        frame.putInt(0, writer.position() - Integer.BYTES);
        return frame.limit(writer.position());
      } catch (BufferTooSmallException e) {
        grow(e);
      }
    }
  }

  private void grow(BufferTooSmallException cause) {
    int bytes = buffer.capacity();
    if (bytes >= MAX_BYTES) {
      throw new KafkaException(ErrorCode.NONE, "a request of more than " + MAX_BYTES + " bytes", cause);
    }
    buffer = ByteBuffer.allocateDirect(Math.min(MAX_BYTES, bytes * GROWTH));
  }
}
