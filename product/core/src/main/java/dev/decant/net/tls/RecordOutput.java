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
 * Cuts output into records, full ones as long as there is enough, and writes them.
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
  /** The most plain bytes of one record (RFC 8446, section 5.1). */
  static final int MOST_IN_RECORD = 16 * 1024;
  private static final ByteBuffer[] NOTHING = {ByteBuffer.allocate(0)};
  private static final int MOST_RECORDS_OF_ITS_OWN = 16;

  private final SSLEngine engine;
  private final Transport below;
  /** The TLS memory of the connection's loop. */
  private TlsMemory memory;
  private final ByteBuffer own;
  private final int recordBytes;
  /** An array for {@link Transport#write} with the current buffer as its only element. */
  private final ByteBuffer[] buffers = new ByteBuffer[1];
  private @Nullable PooledBuffer burst;
  private boolean mayBurst;
  private int sent;
  /** True if the engine has records of its own to write. */
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

  /** Moves the output to another loop; it has no burst memory at this time. */
  void memory(TlsMemory ofLoop) {
    memory = ofLoop;
  }

  /** Allows the output to take burst memory while it has much to write. */
  void allowBursts() {
    mayBurst = true;
  }

  /** Returns true if the engine has records to write that are not in the buffer yet. */
  boolean engineWaits() {
    return engineWaits;
  }

  /** Returns true if no bytes wait to be written. */
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

  /** Makes records of as many bytes as there is room for; returns the number of bytes taken. */
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

  /**
   * Returns the index after the last buffer that a full record needs. The engine reads each buffer that it is given, so
   * more would cost time.
   */
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

  /** Notes that the engine has records of its own to write: handshake, key update or alert. */
  void noteEngineWaits() {
    engineWaits = true;
  }

  /** Makes records of the engine's own output; returns false if there is no room. */
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

  /** Writes as much as the stream takes; returns true if nothing is left. */
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

  /** Drops unwritten bytes, and releases the memory. */
  void release() {
    becomeEmpty();
  }
}
