package dev.decant.net.tls;

import dev.decant.buffer.PooledBuffer;
import dev.decant.net.Transport;
import dev.decant.tls.TlsException;
import dev.decant.tls.TlsException.Kind;
import dev.decant.tls.TlsException.Stage;
import java.io.IOException;
import java.nio.ByteBuffer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import org.jspecify.annotations.Nullable;

/**
 * Reads records and lets the engine decrypt them, straight into the reader's memory where that is large enough,
 * otherwise into a buffer in between.
 *
 * <pre>
 *   0      1         3         5                      5 + length
 *   +------+---------+---------+----------------------+
 *   | type | version | length  | encrypted            |
 *   +------+---------+---------+----------------------+
 *     20 to   3, x     uint16, big endian
 *     23
 * </pre>
 *
 * <p>Owner of the loop only.
 */
final class RecordInput {
  static final int HEADER_BYTES = 5;
  /** The longest record of TLS 1.2 (RFC 5246, section 6.2.3); records of TLS 1.3 are shorter. */
  static final int MOST_RECORD_BYTES = HEADER_BYTES + RecordOutput.MOST_IN_RECORD + 2048;
  private static final int CHANGE_CIPHER_SPEC = 20;
  private static final int ALERT = 21;
  private static final int HANDSHAKE = 22;
  private static final int APPLICATION_DATA = 23;
  private static final int MAJOR_VERSION = 3;
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final SSLEngine engine;
  private final Transport below;
  /** The TLS memory of the connection's loop. */
  private TlsMemory memory;
  private final String peer;
  private final ByteBuffer own;
  private final ByteBuffer between;
  private final ByteBuffer[] targets = {NOTHING, NOTHING};
  /** Encrypted bytes from {@link #from} to the buffer's position. */
  private ByteBuffer buffer;
  private @Nullable PooledBuffer burst;
  private boolean mayBurst;
  private int from;
  private boolean filledUp;
  private long bytesRead;
  private boolean ended;
  private boolean endIsReported;
  private HandshakeStatus status = HandshakeStatus.NOT_HANDSHAKING;

  RecordInput(SSLEngine engine, Transport below, TlsMemory memory, String peer, ByteBuffer own, ByteBuffer between) {
    this.engine = engine;
    this.below = below;
    this.memory = memory;
    this.peer = peer;
    this.own = own;
    this.buffer = own;
    this.between = between.limit(0);
  }

  /** Moves the input to another loop; it has no burst memory at this time. */
  void memory(TlsMemory ofLoop) {
    memory = ofLoop;
  }

  /** Allows the input to take burst memory while it has much to read. */
  void allowBursts() {
    mayBurst = true;
  }

  /** Returns the engine's handshake status after the last record. */
  HandshakeStatus status() {
    return status;
  }

  /** Returns true if the peer has sent close_notify. */
  boolean hasEnded() {
    return ended;
  }

  /** Notes that the end was reported to the reader. */
  void reportEnd() {
    endIsReported = true;
  }

  long bytesRead() {
    return bytesRead;
  }

  boolean hasPlain() {
    return between.hasRemaining();
  }

  /** Returns true if bytes can be handed out without reading from below. */
  boolean hasMore() {
    return hasPlain() || hasRecord() || (ended && !endIsReported);
  }

  /** Returns true if a whole record has arrived. */
  boolean hasRecord() {
    int bytes = buffer.position() - from;
    return !ended && bytes >= HEADER_BYTES && bytes >= recordBytes();
  }

  /** Returns the length of the record that begins at `from`, its header included. The header must have arrived. */
  int recordBytes() {
    return HEADER_BYTES + Short.toUnsignedInt(buffer.getShort(from + 3));
  }

  /** Refuses bytes that cannot be a record, as soon as the first byte shows it. */
  void requireRecordHeader(Stage stage) throws TlsException {
    int bytes = buffer.position() - from;
    if (bytes == 0) {
      return;
    }
    boolean first = bytesRead == bytes;
    int type = Byte.toUnsignedInt(buffer.get(from));
    boolean known = type >= (first ? ALERT : CHANGE_CIPHER_SPEC) && type <= (first ? HANDSHAKE : APPLICATION_DATA);
    if (!known || (bytes > 1 && buffer.get(from + 1) != MAJOR_VERSION)) {
      if (first && stage == Stage.HANDSHAKE) {
        throw new TlsException(Kind.NOT_TLS, stage, peer,
            "the peer does not speak TLS on this port; its first bytes are"
                + firstBytes(bytes),
            null);
      }
      throw new TlsException(Kind.PROTOCOL, stage, peer, "the peer sent bytes that are no record; they begin with"
          + firstBytes(bytes), null);
    }
    if (bytes >= HEADER_BYTES && recordBytes() > MOST_RECORD_BYTES) {
      throw new TlsException(Kind.PROTOCOL, stage, peer, "the peer announced a record of " + recordBytes()
          + " bytes; the bound is " + MOST_RECORD_BYTES, null);
    }
  }

  private String firstBytes(int bytes) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < Math.min(4, bytes); i++) {
      text.append(String.format(" %02x", buffer.get(from + i)));
    }
    return text.toString();
  }

  /** Reads once from below. Returns bytes read, 0 for none, -1 at the end of the stream. */
  int fill() throws IOException {
    if (from == buffer.position()) {
      from = 0;
      buffer.clear();
    }
    if (filledUp) {
      takeBurst();
    }
    if (from > 0 && buffer.remaining() < MOST_RECORD_BYTES) {
      buffer.limit(buffer.position()).position(from);
      buffer.compact();
      from = 0;
    }
    int read = below.read(buffer);
    filledUp = !buffer.hasRemaining();
    bytesRead += Math.max(0, read);
    return read;
  }

  /** Takes burst memory, with the bytes that have arrived, because there is much to read. */
  private void takeBurst() {
    if (burst == null && mayBurst) {
      PooledBuffer lease = memory.tryLeaseBurst();
      if (lease != null) {
        burst = lease;
        ByteBuffer larger = lease.buffer().clear();
        larger.put(buffer.limit(buffer.position()).position(from));
        buffer = larger;
        from = 0;
      }
    }
  }

  /** Releases memory that an idle connection does not need. */
  void rest() {
    PooledBuffer lease = burst;
    if (lease != null && from == buffer.position()) {
      burst = null;
      buffer = own.clear();
      from = 0;
      filledUp = false;
      memory.releaseBurst(lease);
    }
  }

  /** Copies decrypted bytes from the buffer in between into the target; returns their number. */
  int takePlain(ByteBuffer target) {
    int count = Math.min(between.remaining(), target.remaining());
    target.put(target.position(), between, between.position(), count);
    target.position(target.position() + count);
    between.position(between.position() + count);
    return count;
  }

  /**
   * Decrypts the record that has arrived. Bytes that do not fit in the target wait in the buffer in between. Returns
   * the number of bytes in the target.
   */
  int decrypt(ByteBuffer target) throws IOException {
    int end = buffer.position();
    int before = target.position();
    boolean fits = target.remaining() >= recordBytes();
    buffer.limit(end).position(from);
    targets[0] = target;
    try {
      SSLEngineResult result;
      if (fits) {
        result = engine.unwrap(buffer, targets, 0, 1);
      } else {
        targets[1] = between.clear();
        int inBetween = 0;
        try {
          result = engine.unwrap(buffer, targets, 0, 2);
          inBetween = between.position();
        } finally {
          between.limit(inBetween).position(0);
        }
      }
      status = result.getHandshakeStatus();
      ended |= result.getStatus() == Status.CLOSED;
      if (result.getStatus() == Status.BUFFER_OVERFLOW || result.getStatus() == Status.BUFFER_UNDERFLOW) {
        throw new IllegalStateException("the engine asks for other buffers: " + result.getStatus());
      }
    } finally {
      targets[0] = NOTHING;
      from = buffer.position();
      buffer.limit(buffer.capacity()).position(end);
    }
    return target.position() - before;
  }

  /** Decrypts the record and drops its content with all earlier plain bytes: the stream has failed. */
  void decryptAndDrop() throws IOException {
    try {
      decrypt(between.clear());
    } finally {
      between.limit(0);
    }
  }

  /** Reads once from below and drops these and all earlier bytes; returns false if there are none. */
  boolean dropArrived() throws IOException {
    from = 0;
    return below.read(buffer.clear()) > 0;
  }

  /** Drops all bytes, and releases the memory. */
  void release() {
    from = 0;
    buffer.clear();
    between.limit(0);
    rest();
  }
}
