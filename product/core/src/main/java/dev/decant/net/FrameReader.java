package dev.decant.net;

import dev.decant.buffer.PooledBuffer;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Cuts what a connection receives into frames. Small frames stay in the receive buffer. A large frame gets memory of
 * the pool, and its rest is read into that. Of a frame that is larger than all memory, a handler may want what fits in
 * the receive buffer; the rest is skipped.
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
  /** Where the receive buffer is from while the peer is not authenticated; null afterwards. */
  private @Nullable FirstFrameMemory first;
  /** Null while the peer is not authenticated: its frames fit in the receive buffer. */
  private @Nullable FrameMemory memory;
  private int maxFrameBytes;
  private ByteBuffer receive;
  private int parsed;
  /** Of the frame at `parsed`, what the framing has seen without telling its length. */
  private int scanned;
  private @Nullable PooledBuffer large;
  private int largeBytes;
  private boolean lacksMemory;
  /** Bytes of an oversized frame that have not arrived yet, and that nobody wants. */
  private long skipping;
  /** The frame that memory is lacking for is treated as an oversized one. */
  private boolean gaveUp;

  FrameReader(Framing framing, FrameMemory memory, int maxFrameBytes) {
    this.framing = framing;
    this.memory = memory;
    this.receive = memory.lends() ? NOTHING : memory.receiveBuffer();
    this.maxFrameBytes = maxFrameBytes;
  }

  /** For a peer that is not authenticated; {@link #begin} takes its receive buffer. */
  FrameReader(Framing framing, FirstFrameMemory first) {
    this.framing = framing;
    this.first = first;
    this.receive = NOTHING;
    this.maxFrameBytes = first.frameBytes() - framing.headerBytes();
  }

  /** The stream is there, and may be read from. */
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

  /**
   * Has frames from now on in memory for peers that are known. The receive buffer stays until the frames in it are
   * delivered.
   */
  void authenticated(FrameMemory known, int maxBytes) {
    memory = known;
    maxFrameBytes = maxBytes;
  }

  /** Where the next bytes are to be read to; {@link #rest} follows. */
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

  /** Gives an empty receive buffer back, if it is lent: the connection waits for more bytes. */
  void rest() {
    FrameMemory lender = memory;
    if (receive != NOTHING && receive.position() == 0 && first == null && lender != null && lender.lends()) {
      lender.giveBack(receive);
      receive = NOTHING;
    }
  }

  /** Whether the last {@link #deliverNext} found no memory for a large frame. */
  boolean lacksMemory() {
    return lacksMemory;
  }

  /** Whether a large frame, in memory that others could use, has arrived in part. */
  boolean holdsMemory() {
    return large != null;
  }

  /** Delivers the next frame, if it is there; false if more bytes are needed, or memory. */
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
      if (gaveUp && handler.takesOversizedFrame(length)) {
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

  /** The longest frame that is delivered in the receive buffer, if it does not come all at once. */
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

  /** Hands over what the receive buffer can hold of a frame, once that is there. */
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
    gaveUp = false;
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

  /** A frame whose length does not show must fit in the receive buffer, and be within the bound. */
  private void requireRoom(int present) throws IOException {
    long most = Math.min(mostInPlace(), (long) maxFrameBytes + framing.headerBytes());
    if (present >= most) {
      throw new IOException("the peer sent " + present + " bytes without an end of the frame; the bound is " + most);
    }
  }

  /** Takes memory for a frame that does not fit in the receive buffer, with the part that is there already. */
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

  /** Nobody waits any longer for the memory that was lacking: the frame is handed over as an oversized one. */
  void giveUp() {
    gaveUp = true;
  }

  /** Moves what is not delivered to the start of the receive buffer, to make room behind it. */
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

  /** A copy of what has arrived behind the frame that is being delivered. */
  ByteBuffer copyRest() {
    int bytes = receive.position() - parsed;
    ByteBuffer copy = ByteBuffer.allocate(bytes);
    return copy.put(0, receive, parsed, bytes);
  }

  /** Begins with bytes that another reader has received. */
  void prefill(ByteBuffer arrived) {
    if (arrived.remaining() < RECEIVE_BYTES) {
      target().put(arrived);
    } else { // more than a receive buffer holds, and room for the rest of a frame
      receive = ByteBuffer.allocateDirect(arrived.remaining() + RECEIVE_BYTES).put(arrived);
    }
  }

  /** Forgets what has arrived, and gives the memory of an unfinished frame back. */
  void discard() {
    receive.clear();
    parsed = 0;
    scanned = 0;
    skipping = 0;
    gaveUp = false;
    PooledBuffer unfinished = large;
    if (unfinished != null) {
      large = null;
      unfinished.release();
    }
  }

  /** The connection is closed. */
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
