package dev.decant.kafka.cluster;

import dev.decant.buffer.BufferTooSmallException;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.ProtocolWriter;
import java.nio.ByteBuffer;

/**
 * The memory in which one call encodes its requests. It is used again with the next request, so a call has one in
 * flight at a time: when a response or a failure is handed over, the request's bytes are free. Owner of the loop only.
 */
final class RequestMemory {
  private static final int FIRST_BYTES = 1024;
  private static final int GROWTH = 4;
  private static final int MAX_BYTES = 64 * 1024 * 1024;

  private final ProtocolWriter writer = new ProtocolWriter();
  private ByteBuffer buffer = ByteBuffer.allocateDirect(FIRST_BYTES);

  /** The whole request with its length before it. */
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
