package dev.decant.fix.session;

import dev.decant.fix.message.FieldWriter;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Memory that all sessions of a loop share: for messages of the session layer while they are made, and for messages on
 * their way to the sockets. A session has memory of its own only while something waits there.
 */
public final class LoopMemory {
  private static final int FIRST_BODY_BYTES = 4 * 1024;

  private final ChunkPool chunks = new ChunkPool();
  /** Owner of the loop only. Sessions make these messages one after the other. */
  private ByteBuffer body = ByteBuffer.allocateDirect(FIRST_BODY_BYTES);

  /** Makes the memory, which grows with its use. */
  public LoopMemory() {}

  ChunkPool chunks() {
    return chunks;
  }

  /** Writes messages of the session layer into the shared memory, up to a bound for the session. */
  final class BodyWriter extends FieldWriter {
    private final int maxBytes;

    BodyWriter(int maxBytes) {
      this.maxBytes = maxBytes;
    }

    /** Begins a message. */
    FieldWriter begin() {
      return wrap(body, 0, Math.min(maxBytes, body.capacity()));
    }

    @Override
    protected @Nullable ByteBuffer largerMemory(long bytes) {
      if (bytes > maxBytes) {
        return null;
      }
      if (body.capacity() < bytes) {
        body = ByteBuffer.allocateDirect((int) Math.max(bytes, 2L * body.capacity()));
      }
      return body;
    }
  }
}
