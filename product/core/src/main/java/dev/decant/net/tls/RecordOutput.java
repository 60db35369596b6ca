package dev.decant.net.tls;

import dev.decant.buffer.PooledBuffer;
import dev.decant.net.Transport;
import java.io.IOException;
import java.nio.ByteBuffer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Makes records of what is to be written, full ones as long as there is enough, and writes them.
 *
 * <pre>
 *   buffer
 *   +---------------+----------------------+--------------------+
 *   | written       | records, to write    | free               |
 *   +---------------+----------------------+--------------------+
 *                   sent                   position
 * </pre>
 *
 * <p>Owner of the loop only.
 */
final class RecordOutput {
  /** The most that a record carries (RFC 8446, section 5.1). */
  static final int MOST_IN_RECORD = 16 * 1024;
  private static final ByteBuffer[] NOTHING = {ByteBuffer.allocate(0)};
  private static final int MOST_RECORDS_OF_ITS_OWN = 16;

  private final SSLEngine engine;
  private final Transport below;
  /** Of the loop that the connection is on. */
  private TlsMemory memory;
  private final ByteBuffer own;
  private final int recordBytes;
  /** The buffer in use, alone, for {@link Transport#write}. */
  private final ByteBuffer[] buffers = new ByteBuffer[1];
  private @Nullable PooledBuffer burst;
  private boolean mayBurst;
  private int sent;
  /** The engine has records of its own to write. */
  private boolean engineWaits;

  RecordOutput(SSLEngine engine, Transport below, TlsMemory memory, ByteBuffer own) {
    this.engine = engine;
    this.below = below;
    this.memory = memory;
    this.own = own;
    this.recordBytes = engine.getSession().getPacketBufferSize();
    buffers[0] = own;
    if (recordBytes > own.capacity()) {
      throw new IllegalStateException("the JDK wants " + recordBytes + " bytes for a record; there are "
          + own.capacity());
    }
  }

  /** The connection moves to another loop; the output has no more memory than its own. */
  void memory(TlsMemory ofLoop) {
    memory = ofLoop;
  }

  /** Lets the output take more memory while it has much to write. */
  void allowBursts() {
    mayBurst = true;
  }

  /** Whether the engine has something to write that is not in the buffer yet. */
  boolean engineWaits() {
    return engineWaits;
  }

  /** Whether nothing waits to be written. */
  boolean isEmpty() {
    return buffers[0].position() == sent;
  }

  private boolean hasRoom() {
    ByteBuffer buffer = buffers[0];
    if (buffer.remaining() >= recordBytes) {
      return true;
    }
    if (sent == 0 || buffer.remaining() + sent < recordBytes) {
      return false;
    }
    buffer.limit(buffer.position()).position(sent);
    buffer.compact();
    sent = 0;
    return true;
  }

  private boolean makeRoom() throws IOException {
    return hasRoom() || drain() || hasRoom();
  }

  /** Makes records of as many bytes as there is room for, and returns how many that were. */
  long take(ByteBuffer[] sources, int offset, int length) throws IOException {
    int end = offset + length;
    int first = offset;
    long taken = 0;
    while (true) {
      while (first < end && !sources[first].hasRemaining()) {
        first++;
      }
      if (first == end || !makeRoom()) {
        return taken;
      }
      int last = endOfRecord(sources, first, end);
      if (buffers[0].position() == 0 && last < end) {
        takeBurst();
      }
      SSLEngineResult result = engine.wrap(sources, first, last - first, buffers[0]);
      note(result);
      taken += result.bytesConsumed();
      if (result.bytesConsumed() == 0 && result.bytesProduced() == 0) {
        if (result.getStatus() != Status.OK && taken == 0) {
          throw new SSLException("nothing can be written any more (" + result.getStatus() + ")");
        }
        return taken;
      }
    }
  }

  /** Index after the last buffer that a full record needs; the engine looks at each that it is given. */
  private static int endOfRecord(ByteBuffer[] sources, int first, int end) {
    int bytes = 0;
    int last = first;
    while (last < end && bytes <= MOST_IN_RECORD) {
      bytes += sources[last++].remaining();
    }
    return last;
  }

  private void takeBurst() {
    if (burst == null && mayBurst) {
      PooledBuffer lease = memory.tryLeaseBurst();
      if (lease != null) {
        burst = lease;
        buffers[0] = lease.buffer().clear();
      }
    }
  }

  private void note(SSLEngineResult result) {
    engineWaits = result.getHandshakeStatus() == HandshakeStatus.NEED_WRAP && result.getStatus() == Status.OK;
  }

  /** Tells that the engine has something of its own to write: handshake, key update, alert. */
  void noteEngineWaits() {
    engineWaits = true;
  }

  /** Makes records of what the engine wants to say; false if there is no room. */
  boolean takeFromEngine() throws IOException {
    for (int i = 0; engineWaits && i < MOST_RECORDS_OF_ITS_OWN; i++) {
      if (!makeRoom()) {
        return false;
      }
      SSLEngineResult result = engine.wrap(NOTHING, 0, 1, buffers[0]);
      note(result);
      if (result.bytesProduced() == 0) {
        engineWaits = false;
      }
    }
    return true;
  }

  /** Writes as much as the stream takes; true if nothing is left. */
  boolean drain() throws IOException {
    ByteBuffer buffer = buffers[0];
    int end = buffer.position();
    while (sent < end) {
      long written;
      buffer.limit(end).position(sent);
      try {
        written = below.write(buffers, 0, 1);
      } finally {
        sent = buffer.position();
        buffer.limit(buffer.capacity()).position(end);
      }
      if (written == 0) {
        return false;
      }
    }
    becomeEmpty();
    return true;
  }

  private void becomeEmpty() {
    buffers[0].clear();
    sent = 0;
    PooledBuffer lease = burst;
    if (lease != null) {
      burst = null;
      buffers[0] = own;
      memory.releaseBurst(lease);
    }
  }

  /** Forgets what is not written, and gives memory back. */
  void release() {
    becomeEmpty();
  }
}
