package dev.decant.fake.net;

import dev.decant.buffer.BufferTooSmallException;
import dev.decant.fake.api.Api;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ProtocolWriter;
import java.nio.ByteBuffer;

/**
 * Encodes responses in a buffer that grows with them and is reused, unless it has become large.
 *
 * <pre>
 *   length int32 | correlation id int32 | tagged fields, in flexible versions | body
 * </pre>
 */
final class ResponseEncoder {
  private static final int FIRST_BYTES = 16 * 1024;
  private static final int LARGEST_KEPT_BYTES = 4 << 20;
  private static final int LARGEST_BYTES = 1 << 30;

  private final ProtocolWriter writer = new ProtocolWriter();
  private ByteBuffer scratch = ByteBuffer.allocate(FIRST_BYTES);

  /** Returns the frame of a response, with its length, in a new array. */
  <R> byte[] encode(Api<?, R> api, short version, int correlationId, R response) {
    while (true) {
      try {
        writer.wrap(scratch, 0, scratch.capacity());
        writer.writeInt(0);
        writer.writeInt(correlationId);
        if (hasTaggedHeader(api.key(), version)) {
          writer.writeUnsignedVarint(0);
        }
        api.writer().write(response, writer, version);
        writer.putInt(0, writer.position() - Integer.BYTES);
        byte[] frame = new byte[writer.position()];
        scratch.get(0, frame);
        rest();
        return frame;
      } catch (BufferTooSmallException e) {
        grow(e);
      }
    }
  }

  private static boolean hasTaggedHeader(ApiKey api, short version) {
    return api.responseHeaderVersion(version) >= 1;
  }

  private void grow(BufferTooSmallException tooSmall) {
    if (scratch.capacity() >= LARGEST_BYTES) {
      throw tooSmall;
    }
    scratch = ByteBuffer.allocate(scratch.capacity() * 4);
  }

  private void rest() {
    if (scratch.capacity() > LARGEST_KEPT_BYTES) {
      scratch = ByteBuffer.allocate(FIRST_BYTES);
    }
  }
}
