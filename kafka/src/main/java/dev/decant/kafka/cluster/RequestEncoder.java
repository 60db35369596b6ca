package dev.decant.kafka.cluster;

import dev.decant.buffer.BufferTooSmallException;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.ProtocolWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Writes requests with their headers (v2 if flexible, else v1; the client id is an int16 string in both). */
final class RequestEncoder {
  private final ProtocolWriter writer = new ProtocolWriter();
  private final byte[] clientId;

  RequestEncoder(String clientId) {
    this.clientId = clientId.getBytes(StandardCharsets.UTF_8);
  }

  void writeHeader(ProtocolWriter out, short apiKey, short version, boolean flexible, int correlationId) {
    out.writeShort(apiKey);
    out.writeShort(version);
    out.writeInt(correlationId);
    out.writeShort(clientId.length);
    out.writeBytes(clientId, 0, clientId.length);
    if (flexible) {
      out.writeByte(0);
    }
  }

  /** The whole request with its length before it, in the memory that is given. */
  ByteBuffer encode(RequestMemory memory, short apiKey, short version, boolean flexible, int correlationId,
      RequestBody body) {
    while (true) {
      ByteBuffer frame = memory.empty();
      try {
        writer.wrap(frame, Integer.BYTES, frame.capacity());
        writeHeader(writer, apiKey, version, flexible, correlationId);
        body.write(writer, version);
        frame.putInt(0, writer.position() - Integer.BYTES);
        return frame.limit(writer.position());
      } catch (BufferTooSmallException e) {
        if (!memory.grow()) {
          throw new KafkaException(ErrorCode.NONE, "a request of more than " + RequestMemory.maxBytes() + " bytes", e);
        }
      }
    }
  }
}
