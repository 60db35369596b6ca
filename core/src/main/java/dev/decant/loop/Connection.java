package dev.decant.loop;

import dev.decant.buffer.PooledBuffer;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A stream of length-prefixed frames over a {@link Transport}.
 *
 * <pre>
 *   0         4                       4 + length
 *   +---------+-----------------------+
 *   | length  | payload               |
 *   +---------+-----------------------+
 *     int32, big endian
 * </pre>
 *
 * <p>Small frames are parsed where they were read, in the receive buffer of the connection. A frame that does not fit
 * there gets memory of its own from the pool, and is read straight into it; while the pool has none, reading stops and
 * the peer is held back. Output is queued as slices and written with gathering writes; who queues a slice leaves its
 * memory alone until {@link #bytesWritten()} has passed it or the connection is closed.
 *
 * <p>Owner of the loop only.
 */
public final class Connection {
  private static final int RECEIVE_BYTES = 64 * 1024;
  private static final int LENGTH_BYTES = 4;
  private static final int READS_PER_ROUND = 16;
  private static final int MAX_GATHERED = 64;
  /** In place of output that is written. */
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  /** What the connection reports to its user, on the owner of the loop. */
  public interface Handler {
    /** The link is up; frames may be sent. */
    void onConnected();

    /**
     * A whole frame has arrived.
     *
     * @param buffer holds the payload; valid during the call, or until {@code lease} is released by who retained it
     * @param from start of the payload
     * @param to end of the payload
     * @param lease the memory of a large frame, to retain by who keeps it; null if the frame lies in the receive buffer
     */
    void onFrame(ByteBuffer buffer, int from, int to, @Nullable PooledBuffer lease);

    /**
     * The connection has ended; called once.
     *
     * @param cause why
     */
    void onClosed(Throwable cause);
  }

  private final EventLoop loop;
  private final Transport transport;
  private final Handler handler;
  private final FrameMemory memory;
  private final int maxFrameBytes;

  private final ByteBuffer receive = ByteBuffer.allocateDirect(RECEIVE_BYTES);
  private int parsed;
  private @Nullable PooledBuffer large;
  private int largeBytes;
  private boolean waitsForMemory;

  private ByteBuffer[] output = new ByteBuffer[64];
  private int outputHead;
  private int outputTail;
  private long bytesQueued;
  private long bytesWritten;

  private boolean connected;
  private boolean closed;

  /**
   * Makes a connection; {@link #open} starts it.
   *
   * @param loop the loop it belongs to
   * @param transport the stream
   * @param handler told of frames and of the end
   * @param memory for frames larger than the receive buffer
   * @param maxFrameBytes a longer inbound frame ends the connection
   */
  public Connection(EventLoop loop, Transport transport, Handler handler, FrameMemory memory, int maxFrameBytes) {
    this.loop = loop;
    this.transport = transport;
    this.handler = handler;
    this.memory = memory;
    this.maxFrameBytes = maxFrameBytes;
  }

  /** Registers with the loop and begins; success or failure is reported to the handler. */
  public void open() {
    try {
      transport.register(loop, this);
      if (transport.finishConnect()) {
        becomeConnected();
      }
    } catch (Throwable e) {
      close(e);
    }
  }

  /**
   * Tells whether frames can be sent.
   *
   * @return true between {@link Handler#onConnected()} and {@link Handler#onClosed}
   */
  public boolean isConnected() {
    return connected && !closed;
  }

  /**
   * Queues a slice of output; {@link #flush()} writes it. A closed connection drops it.
   *
   * @param slice direct memory from position to limit; the object itself is used and its position moves
   */
  public void queue(ByteBuffer slice) {
    if (closed) {
      return;
    }
    if (outputTail == output.length) {
      makeRoomForOutput();
    }
    output[outputTail++] = slice;
    bytesQueued += slice.remaining();
  }

  private void makeRoomForOutput() {
    int pending = outputTail - outputHead;
    if (pending > output.length / 2) {
      output = Arrays.copyOfRange(output, outputHead, outputHead + output.length * 2);
    } else {
      System.arraycopy(output, outputHead, output, 0, pending);
    }
    Arrays.fill(output, pending, output.length, NOTHING);
    outputHead = 0;
    outputTail = pending;
  }

  /**
   * All output ever queued.
   *
   * @return bytes
   */
  public long bytesQueued() {
    return bytesQueued;
  }

  /**
   * All output the transport has taken.
   *
   * @return bytes
   */
  public long bytesWritten() {
    return bytesWritten;
  }

  /**
   * Writes what the link takes now; the rest follows when it is writable. A broken link closes the connection, soon and
   * not here in a {@link EventLoop#visit}: what follows from that is more than a visitor has come for.
   */
  public void flush() {
    if (!connected || closed) {
      return;
    }
    try {
      while (outputHead < outputTail) {
        long written = transport.write(output, outputHead, Math.min(MAX_GATHERED, outputTail - outputHead));
        bytesWritten += written;
        int before = outputHead;
        while (outputHead < outputTail && !output[outputHead].hasRemaining()) {
          output[outputHead++] = NOTHING;
        }
        if (written == 0 && outputHead == before) {
          transport.wantWritable(true);
          return;
        }
      }
      outputHead = 0;
      outputTail = 0;
      transport.wantWritable(false);
    } catch (IOException e) {
      if (loop.isVisit()) {
        loop.execute(() -> close(e));
      } else {
        close(e);
      }
    }
  }

  /**
   * Ends the connection and tells the handler, once.
   *
   * @param cause what the handler is told
   */
  public void close(Throwable cause) {
    if (closed) {
      return;
    }
    closed = true;
    stopWaiting();
    transport.close();
    Arrays.fill(output, outputHead, outputTail, NOTHING);
    outputHead = outputTail;
    PooledBuffer unfinished = large;
    if (unfinished != null) {
      large = null;
      unfinished.release();
    }
    handler.onClosed(cause);
  }

  /**
   * Goes on where the stream is ready; what fails ends this connection and nothing else. Called by the loop, or by a
   * transport that is not a channel.
   *
   * @param ready operations of {@link SelectionKey}, OR-ed
   */
  public void onReady(int ready) {
    try {
      if ((ready & SelectionKey.OP_CONNECT) != 0) {
        if (transport.finishConnect()) {
          becomeConnected();
        }
        return;
      }
      if ((ready & SelectionKey.OP_WRITE) != 0) {
        flush();
      }
      if ((ready & SelectionKey.OP_READ) != 0) {
        onReadable();
      }
    } catch (Throwable e) { // also an error: a lease may find no direct memory left
      close(e);
    }
  }

  private void becomeConnected() {
    connected = true;
    handler.onConnected();
    flush();
  }

  /** Reads what is there and delivers whole frames. */
  private void onReadable() throws IOException {
    for (int i = 0; i < READS_PER_ROUND && !closed && !waitsForMemory; i++) {
      PooledBuffer frame = large;
      ByteBuffer target = frame == null ? receive : frame.buffer();
      int read = transport.read(target);
      if (read < 0) {
        throw new EOFException("the peer closed the connection");
      }
      if (read == 0) {
        return;
      }
      boolean drained = target.hasRemaining();
      if (frame != null) {
        continueLarge(frame);
      } else {
        parse();
      }
      if (drained) {
        return; // a short read: the socket buffer is empty, and a second read would only learn that
      }
    }
  }

  /** Delivers every whole frame in the receive buffer, then moves the rest to its start. */
  private void parse() throws IOException {
    int end = receive.position();
    while (end - parsed >= LENGTH_BYTES && !closed) {
      int length = receive.getInt(parsed);
      if (length < 0 || length > maxFrameBytes) {
        throw new IOException("the peer announced a frame of " + length + " bytes; the bound is " + maxFrameBytes);
      }
      if (end - parsed - LENGTH_BYTES < length) {
        if (length > RECEIVE_BYTES - LENGTH_BYTES && !beginLarge(length, end)) {
          return;
        }
        break;
      }
      int from = parsed + LENGTH_BYTES;
      parsed = from + length;
      handler.onFrame(receive, from, parsed, null);
    }
    if (large == null && !closed) {
      receive.limit(end).position(parsed);
      receive.compact();
      parsed = 0;
    }
  }

  /** Takes memory for a frame that does not fit in the receive buffer, with the part that is there already. */
  private boolean beginLarge(int length, int end) throws IOException {
    if (length > memory.largestLeaseBytes()) {
      throw new IOException("the peer announced a frame of " + length + " bytes; the largest buffer of the pool has "
          + memory.largestLeaseBytes());
    }
    PooledBuffer lease = memory.tryLease(length);
    if (lease == null) {
      waitsForMemory = true;
      memory.enter(this);
      transport.wantReadable(false);
      return false;
    }
    stopWaiting();
    int from = parsed + LENGTH_BYTES;
    int present = end - from;
    ByteBuffer target = lease.buffer();
    target.clear().limit(length);
    target.put(0, receive, from, present);
    target.position(present);
    large = lease;
    largeBytes = length;
    receive.clear();
    parsed = 0;
    return true;
  }

  private void continueLarge(PooledBuffer frame) {
    ByteBuffer buffer = frame.buffer();
    if (buffer.hasRemaining()) {
      return;
    }
    large = null;
    buffer.clear();
    try {
      handler.onFrame(buffer, 0, largeBytes, frame);
    } finally {
      frame.release();
    }
  }

  private void stopWaiting() {
    if (waitsForMemory) {
      waitsForMemory = false;
      memory.leave(this);
    }
  }

  /** Goes on reading after memory has come back to the pool; if it is too little, the place is kept. */
  void memoryAvailable() {
    if (!waitsForMemory || closed) {
      return;
    }
    try {
      parse();
      if (!waitsForMemory) {
        transport.wantReadable(true);
        onReadable();
      }
    } catch (Throwable e) {
      close(e);
    }
  }
}
