package dev.decant.net;

import dev.decant.buffer.PooledBuffer;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Cuts the received bytes of a connection into frames. Small frames stay in the receive buffer. A large frame takes
 * memory of the pool, and its remaining bytes are read into that. If a frame is larger than all memory, a handler may
 * take the part that fits in the receive buffer. The remaining bytes are skipped.
 *
 * <pre>
 *   receive buffer
 *   +----------------+---------------------------+------------+
 *   | delivered      | begin of the next frame   | free       |
 *   +----------------+---------------------------+------------+
 *                    parsed                      position
 * </pre>
 *
 * <p>Owner of the loop only.
 */
@SuppressWarnings("ReferenceEquality") // NOTHING is a single object
final class FrameReader {
  static final int RECEIVE_BYTES = FrameMemory.RECEIVE_BYTES;
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final Framing framing;
  /** Source of the receive buffer while the peer is not authenticated; null afterwards. */
  private @Nullable FirstFrameMemory first;
  /** Null while the peer is not authenticated: its frames fit in the receive buffer. */
  private @Nullable FrameMemory memory;
  private int maxFrameBytes;
  private ByteBuffer receive;
  private int parsed;
  /** Bytes of the frame at `parsed` that the framing has searched for its length without success. */
  private int scanned;
  private @Nullable PooledBuffer large;
  private int largeBytes;
  private boolean lacksMemory;
  /** Bytes of an oversized frame that have not arrived yet and will be skipped. */
  private long skipping;
  /** True if the wait for memory has expired: the frame is delivered as an oversized one. */
  private boolean memoryWaitExpired;

  FrameReader(Framing framing, FrameMemory memory, int maxFrameBytes) {
    this.framing = framing;
    this.memory = memory;
    this.receive = memory.lends() ? NOTHING : memory.receiveBuffer();
    this.maxFrameBytes = maxFrameBytes;
  }

  /** Makes a reader for a peer that is not authenticated. {@link #begin} takes its receive buffer. */
  FrameReader(Framing framing, FirstFrameMemory first) {
    this.framing = framing;
    this.first = first;
    this.receive = NOTHING;
    this.maxFrameBytes = first.frameBytes() - framing.headerBytes();
  }

  /** Takes a receive buffer; called when the stream is established. */
  void begin() throws IOException {
    FirstFrameMemory lender = first;
    if (lender != null) {
      ByteBuffer buffer = lender.take();
      if (buffer == null) {
        throw new IOException("all receive buffers for connections that are not authenticated are in use");
      }
      receive = buffer;
    }
  }

  /** Takes memory of the pool for frames from now on. The receive buffer stays until its frames are delivered. */
  void authenticated(FrameMemory known, int maxBytes) {
    memory = known;
    maxFrameBytes = maxBytes;
  }

  /** Returns the memory to read the next bytes into; {@link #rest} follows. */
  ByteBuffer target() {
    PooledBuffer frame = large;
    if (frame != null) {
      return frame.buffer();
    }
    FrameMemory lender = memory;
    if (receive == NOTHING && lender != null) {
      receive = lender.receiveBuffer();
    }
    return receive;
  }

  /** Returns an empty borrowed receive buffer, because the connection waits for more bytes. */
  void rest() {
    FrameMemory lender = memory;
    if (receive != NOTHING && receive.position() == 0 && first == null && lender != null && lender.lends()) {
      lender.giveBack(receive);
      receive = NOTHING;
    }
  }

  /** Returns true if the last {@link #deliverNext} found no memory for a large frame. */
  boolean lacksMemory() {
    return lacksMemory;
  }

  /** Returns true if a large frame has arrived in part, in memory that others could use. */
  boolean holdsMemory() {
    return large != null;
  }

  /** Delivers the next frame if it has arrived. Returns false if more bytes are needed, or memory. */
  boolean deliverNext(Connection.Handler handler) throws IOException {
    lacksMemory = false;
    PooledBuffer frame = large;
    if (frame != null) {
      return !frame.buffer().hasRemaining() && deliverLarge(frame, handler);
    }
    int end = receive.position();
    if (skipping > 0) {
      int skipped = (int) Math.min(skipping, end - parsed);
      skipping -= skipped;
      parsed += skipped;
    }
    if (parsed == end) {
      return false;
    }
    long frameBytes = framing.frameBytes(receive, parsed, parsed + scanned, end);
    if (frameBytes == Framing.UNKNOWN) {
      scanned = end - parsed;
      requireRoom(scanned);
      return false;
    }
    long length = frameBytes - framing.headerBytes();
    if (length < 0 || frameBytes == 0) {
      throw refused(length);
    }
    if (length > maxFrameBytes || (frameBytes > RECEIVE_BYTES && length > largestFrameBytes())) {
      return deliverOversized(length, end, handler);
    }
    if (frameBytes > end - parsed) {
      if (frameBytes <= mostInPlace()) {
        return false;
      }
      if (memoryWaitExpired && handler.takesOversizedFrame(length)) {
        return deliverOversized(length, end, handler);
      }
      beginLarge((int) length, end);
      return false;
    }
    int from = parsed + framing.headerBytes();
    parsed += (int) frameBytes;
    scanned = 0;
    handler.onFrame(receive, from, parsed, null);
    return true;
  }

  /** Returns the size of the longest frame that waits in the receive buffer for its remaining bytes. */
  private int mostInPlace() {
    return memory == null ? receive.capacity() : RECEIVE_BYTES;
  }

  private IOException refused(long length) {
    return new IOException("the peer announced a frame of " + length + " bytes; the bound is "
        + Math.min(maxFrameBytes, largestFrameBytes()));
  }

  private long largestFrameBytes() {
    FrameMemory known = memory;
    return known == null ? maxFrameBytes : known.largestFrameBytes();
  }

  /** Delivers the part of an oversized frame that fits in the receive buffer, once that part has arrived. */
  private boolean deliverOversized(long length, int end, Connection.Handler handler) throws IOException {
    if (memory == null || !handler.takesOversizedFrame(length)) {
      throw refused(length);
    }
    long frameBytes = length + framing.headerBytes();
    int wanted = (int) Math.min(frameBytes, RECEIVE_BYTES);
    if (end - parsed < wanted) {
      return false;
    }
    int from = parsed + framing.headerBytes();
    int to = parsed + wanted;
    parsed = to;
    scanned = 0;
    memoryWaitExpired = false;
    skipping = frameBytes - wanted;
    handler.onOversizedFrame(receive, from, to, length);
    return true;
  }

  private boolean deliverLarge(PooledBuffer frame, Connection.Handler handler) {
    large = null;
    ByteBuffer buffer = frame.buffer().clear();
    try {
      handler.onFrame(buffer, 0, largeBytes, frame);
    } finally {
      frame.release();
    }
    return true;
  }

  /** Refuses a frame of unknown length that fills the receive buffer or exceeds the bound. */
  private void requireRoom(int present) throws IOException {
    long most = Math.min(mostInPlace(), (long) maxFrameBytes + framing.headerBytes());
    if (present >= most) {
      throw new IOException("the peer sent " + present + " bytes without an end of the frame; the bound is " + most);
    }
  }

  /** Takes memory for a frame that does not fit in the receive buffer, and copies the part that has arrived. */
  private void beginLarge(int length, int end) throws IOException {
    FrameMemory known = memory;
    if (known == null) {
      throw refused(length);
    }
    PooledBuffer lease = known.tryLease(length);
    if (lease == null) {
      lacksMemory = true;
      return;
    }
    int from = parsed + framing.headerBytes();
    int present = end - from;
    ByteBuffer target = lease.buffer();
    target.clear().limit(length);
    target.put(0, receive, from, present);
    target.position(present);
    large = lease;
    largeBytes = length;
    parsed = end;
    scanned = 0;
  }

  /** Ends the wait for memory: the frame is delivered as an oversized one. */
  void expireMemoryWait() {
    memoryWaitExpired = true;
  }

  /** Moves undelivered bytes to the start of the receive buffer, to make room behind them. */
  void compact() {
    if (parsed != 0) {
      receive.limit(receive.position()).position(parsed);
      receive.compact();
      parsed = 0;
    }
    if (first != null && memory != null && receive.position() <= RECEIVE_BYTES) {
      moveToOwnBuffer(first, memory);
    }
  }

  private void moveToOwnBuffer(FirstFrameMemory lender, FrameMemory known) {
    ByteBuffer own = NOTHING;
    if (receive.position() > 0 || !known.lends()) {
      own = known.receiveBuffer();
      own.put(receive.flip());
    }
    first = null;
    lender.giveBack(receive);
    receive = own;
  }

  /** Returns a copy of the bytes that have arrived behind the frame being delivered. */
  ByteBuffer copyRest() {
    int bytes = receive.position() - parsed;
    ByteBuffer copy = ByteBuffer.allocate(bytes);
    return copy.put(0, receive, parsed, bytes);
  }

  /** Begins with bytes that another reader has received. */
  void prefill(ByteBuffer arrived) {
    if (arrived.remaining() < RECEIVE_BYTES) {
      target().put(arrived);
    } else { // larger than a receive buffer, with room for the remaining bytes of a frame
      receive = ByteBuffer.allocateDirect(arrived.remaining() + RECEIVE_BYTES).put(arrived);
    }
  }

  /** Discards the received bytes, and releases the memory of an unfinished frame. */
  void discard() {
    receive.clear();
    parsed = 0;
    scanned = 0;
    skipping = 0;
    memoryWaitExpired = false;
    PooledBuffer unfinished = large;
    if (unfinished != null) {
      large = null;
      unfinished.release();
    }
  }

  /** Releases all memory at the end of the connection. */
  void end() {
    discard();
    FirstFrameMemory lender = first;
    if (lender != null) {
      first = null;
      if (receive.capacity() > 0) {
        lender.giveBack(receive);
      }
      receive = NOTHING;
    }
    rest();
  }
}
