package dev.decant.net;

import dev.decant.buffer.PooledBuffer;
import dev.decant.loop.EventLoop;
import dev.decant.loop.ReadyListener;
import dev.decant.loop.Timer;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import org.jspecify.annotations.Nullable;

/**
 * A stream of frames over a {@link Transport}, cut as a {@link Framing} says.
 *
 * <p>Small frames are parsed in place, in a receive buffer of 64 KiB: the connection's own, or a borrowed one ({@link
 * FrameMemory#lending}). A larger frame takes memory from the pool and is read straight into it. While the pool has
 * none, the connection stops reading, so the peer is held back. Output is queued as slices and written with gathering
 * writes. The memory of a slice must stay untouched until {@link #bytesWritten()} has passed it or the connection is
 * closed.
 *
 * <pre>
 *   open -> (transport establishes) -> onConnected -> onFrame ... -> close or closeAfterOutput -> onClosed
 * </pre>
 *
 * <p>Owner of the loop only.
 */
public final class Connection implements ReadyListener {
  private static final int READS_PER_ROUND = 16;

  /** The user of a connection. All methods are called on the owner of the loop. */
  public interface Handler {
    /** Reports that the transport is established: frames may be sent. */
    void onConnected();

    /**
     * Delivers a whole frame.
     *
     * @param buffer holds the frame without its header; valid during the call, or until {@code lease} is
     *     released by the last holder
     * @param from start of the frame, after its header
     * @param to end of the frame
     * @param lease the memory of a large frame, to be retained if the handler keeps the frame; null if the
     *     frame lies in the receive buffer
     */
    void onFrame(ByteBuffer buffer, int from, int to, @Nullable PooledBuffer lease);

    /**
     * Asks whether to deliver the beginning of a frame that is longer than the bound, or than all memory for frames.
     *
     * @param frameBytes its length, without its header
     * @return true to call {@link #onOversizedFrame} with its first bytes; false (the default) to end the
     *     connection
     */
    default boolean takesOversizedFrame(long frameBytes) {
      return false;
    }

    /**
     * Returns how long a large frame may wait for memory that others hold. A handler that takes oversized frames gets
     * it as one after that time. Without this bound, one large response held up all responses behind it until their
     * requests expired.
     *
     * @return nanoseconds; 0 (the default) for no bound
     */
    default long memoryPatienceNanos() {
      return 0;
    }

    /**
     * Delivers the first bytes of an oversized frame, 64 KiB with its header. The connection skips the other bytes as
     * they arrive, and continues with the next frame. Has no effect by default.
     *
     * @param buffer holds them, during the call
     * @param from start of the frame, after its header
     * @param to end of the bytes that are delivered
     * @param frameBytes the length of the whole frame, without its header
     */
    default void onOversizedFrame(ByteBuffer buffer, int from, int to, long frameBytes) {}

    /**
     * Reports that all frames that arrived together are delivered, so the output that they caused can leave in one
     * write. Called after at least one {@link #onFrame}. Has no effect by default.
     */
    default void onFramesDelivered() {}

    /**
     * Reports that the peer sends nothing more. It may still read.
     *
     * @return true to keep the connection for output, which the handler closes later; false (the default) to end it
     */
    default boolean onEndOfInput() {
      return false;
    }

    /**
     * Reports that the transport has now written all output that it had not accepted at once. Has no effect by default.
     */
    default void onOutputWritten() {}

    /** Reports the end of the connection. Called once. */
    void onClosed(Throwable cause);
  }

  private final EventLoop loop;
  private final Transport transport;
  private final Handler handler;
  /** Memory for large frames; null while the peer is not authenticated. */
  private @Nullable FrameMemory memory;

  private final FrameReader input;
  private boolean waitsForMemory;
  private boolean readingIsHeld;
  private boolean inputEnded;
  /** True while {@link Handler#onFramesDelivered} is due for frames that were delivered. */
  private boolean framesDelivered;
  /** Fires when bytes may be readable that the loop does not report. */
  private final Timer readAgain = new Timer(this::readAgain);

  private final OutputQueue output = new OutputQueue();
  /** True while the transport has not taken all output; it reports when it can take more. */
  private boolean outputWaits;

  private boolean connected;
  private boolean closed;
  /** The cause that {@link #closeAfterOutput} was given; frames are neither delivered nor queued from then on. */
  private @Nullable Throwable closing;
  private boolean outputIsShut;
  private final Timer closeTimer = new Timer(this::closingExpired);
  private final Timer memoryTimer = new Timer(this::memoryWaitExpired);

  /**
   * Makes a connection; {@link #open} starts it. The transport belongs to it from now on, and is closed if there is no
   * direct memory for the receive buffer.
   *
   * @param loop the loop it belongs to
   * @param framing cuts it into frames
   * @param handler called for frames and at the end
   * @param memory for frames larger than the receive buffer
   * @param maxFrameBytes an inbound frame that is longer, without its header, ends the connection
   */
  public Connection(EventLoop loop, Transport transport, Framing framing, Handler handler, FrameMemory memory,
      int maxFrameBytes) {
    this.loop = loop;
    this.transport = transport;
    this.handler = handler;
    this.memory = memory;
    try {
      this.input = new FrameReader(framing, memory, maxFrameBytes);
    } catch (Throwable e) { // the socket would stay open: no other object has a reference to the transport
      transport.close();
      throw e;
    }
  }

  /**
   * Makes a connection to a peer that is not authenticated: its frames are small, and their memory is bounded. The
   * transport belongs to the connection from now on. {@link #authenticated} ends the bound.
   *
   * @param loop the loop it belongs to
   * @param framing cuts it into frames
   * @param handler called for frames and at the end
   * @param first memory for the frames; a longer frame ends the connection
   */
  public Connection(EventLoop loop, Transport transport, Framing framing, Handler handler, FirstFrameMemory first) {
    this.loop = loop;
    this.transport = transport;
    this.handler = handler;
    this.input = new FrameReader(framing, first);
  }

  /**
   * Ends the bounds for an unauthenticated peer: large frames take memory of the pool from now on.
   *
   * @param known memory for frames larger than the receive buffer
   * @param maxFrameBytes an inbound frame that is longer, without its header, ends the connection
   */
  public void authenticated(FrameMemory known, int maxFrameBytes) {
    if (!isClosing()) {
      memory = known;
      input.authenticated(known, maxFrameBytes);
      transport.authenticated();
      // Returns the borrowed buffer now: kept until the next bytes, it was missing for other peers.
      loop.schedule(readAgain, loop.nowNanos());
    }
  }

  /**
   * Detaches the transport from this connection, which ends without closing the stream or calling the handler. The
   * transport has left its loop, and a connection on another loop may take it. Called within {@link Handler#onFrame},
   * with all output written.
   *
   * @return the bytes that have arrived behind the frame, for {@link #resume}
   * @throws IllegalStateException if output is not written, or the connection is not open
   */
  public ByteBuffer detach() {
    if (!connected || isClosing() || output.bytesQueued() != output.bytesWritten()) {
      throw new IllegalStateException("a connection is handed over while it is open and has written all");
    }
    ByteBuffer arrived = input.copyRest();
    closed = true;
    if (waitsForMemory) {
      waitForMemory(false);
    }
    loop.cancel(readAgain);
    input.end();
    transport.leaveLoop();
    return arrived;
  }

  /**
   * Continues a stream that another connection has left, beginning with the bytes that arrived there. Call it before
   * {@link #open}.
   *
   * @param arrived the result of {@link #detach}
   */
  public void resume(ByteBuffer arrived) {
    if (arrived.hasRemaining()) {
      input.prefill(arrived);
      loop.schedule(readAgain, loop.nowNanos());
    }
  }

  /** Registers with the loop and begins to connect. The handler learns of success or failure. */
  public void open() {
    try {
      transport.register(loop, this);
      establish();
    } catch (Throwable e) {
      close(e);
    }
  }

  /**
   * Returns true if frames can be sent: from {@link Handler#onConnected()} until {@link #close} or {@link
   * #closeAfterOutput}.
   */
  public boolean isConnected() {
    return connected && !isClosing();
  }

  private boolean isClosing() {
    return closed || closing != null;
  }

  /** Returns true while a large frame waits for memory that others hold; the peer is held back meanwhile. */
  public boolean waitsForMemory() {
    return waitsForMemory;
  }

  /** Returns true while a large frame has arrived in part, in memory that other connections may wait for. */
  public boolean holdsMemory() {
    return input.holdsMemory();
  }

  /**
   * Queues a slice of output; {@link #flush()} writes it. A closed connection drops it.
   *
   * @param slice direct memory from position to limit; the connection uses this object, and moves its position
   */
  public void queue(ByteBuffer slice) {
    if (!isClosing()) {
      output.add(slice);
    }
  }

  /** Returns the number of bytes ever queued. */
  public long bytesQueued() {
    return output.bytesQueued();
  }

  /** Returns the number of bytes that the transport has taken. */
  public long bytesWritten() {
    return output.bytesWritten();
  }

  /**
   * Writes as much as the transport takes now; the rest follows when it can take more. A broken stream closes the
   * connection. In an inline run ({@link EventLoop#tryRunInline}) the connection closes after the run, because inline
   * tasks are short.
   */
  public void flush() {
    if (!connected || closed || (closing != null && loop.isInlineRun())) {
      return;
    }
    try {
      if (output.writeTo(transport) && transport.flush()) {
        becomeWritten();
      } else {
        outputWaits = true;
        transport.reportWritable(true);
      }
    } catch (Throwable e) { // after any failure the number of bytes written is unknown, so the stream is unusable
      if (loop.isInlineRun()) {
        loop.execute(() -> close(e));
      } else {
        close(e);
      }
    }
  }

  private void becomeWritten() throws IOException {
    if (outputWaits) {
      if (loop.isInlineRun()) {
        return; // the owner will find the transport writable, and calls the handler then
      }
      outputWaits = false;
      transport.reportWritable(false);
      handler.onOutputWritten();
    }
    if (closing != null) {
      finishOutput(closing);
    }
  }

  /**
   * Holds the peer back: no frame is delivered until reading resumes, not even one that has arrived. Has no effect
   * after {@link #closeAfterOutput}: the peer's end would not be seen before the deadline.
   *
   * @param held true to stop reading, false to resume
   */
  public void holdReading(boolean held) {
    if (readingIsHeld != held && !isClosing()) {
      readingIsHeld = held;
      updateReadable();
      if (!held) {
        loop.schedule(readAgain, loop.nowNanos());
      }
    }
  }

  private void updateReadable() {
    if (connected && !closed) {
      transport.reportReadable(!waitsForMemory && !readingIsHeld && !inputEnded);
    }
  }

  /**
   * Ends the connection in order. It writes the queued output, ends the output, discards arriving bytes, and closes
   * when the peer has closed its side. So the peer can read the last bytes. Frames are neither delivered nor queued any
   * more.
   *
   * @param cause passed to the handler at the end
   * @param timeoutNanos when this time is over, the connection is closed in any state
   */
  public void closeAfterOutput(Throwable cause, long timeoutNanos) {
    if (isClosing()) {
      return;
    }
    if (!connected) {
      close(cause);
      return;
    }
    closing = cause;
    loop.schedule(closeTimer, loop.nowNanos() + timeoutNanos);
    if (waitsForMemory) {
      waitForMemory(false);
    }
    input.discard();
    readingIsHeld = false;
    updateReadable();
    loop.schedule(readAgain, loop.nowNanos());
    flush();
  }

  private void finishOutput(Throwable cause) throws IOException {
    if (!outputIsShut) {
      outputIsShut = true;
      transport.shutdownOutput();
      if (!transport.flush()) {
        outputWaits = true;
        transport.reportWritable(true);
        return;
      }
    }
    if (inputEnded) {
      close(cause);
    }
  }

  private void closingExpired() {
    Throwable cause = closing;
    if (cause != null) {
      close(cause);
    }
  }

  /**
   * Closes the stream and calls {@link Handler#onClosed}, once.
   *
   * @param cause passed to the handler
   */
  public void close(Throwable cause) {
    if (closed) {
      return;
    }
    closed = true;
    if (waitsForMemory) {
      waitForMemory(false);
    }
    loop.cancel(readAgain);
    loop.cancel(closeTimer);
    transport.close();
    output.clear();
    input.end();
    handler.onClosed(cause);
  }

  @Override
  public void onLost(Throwable cause) {
    close(cause);
  }

  /**
   * Continues when the stream is ready. A failure ends this connection only. Called by the loop, or by a transport that
   * is not a channel.
   *
   * @param operations of {@link SelectionKey}, OR-ed; while the transport is not established, each of them
   *     continues its setup
   * @return 1 if the connection made progress
   */
  @Override
  public int onReady(int operations) {
    if (closed) {
      return 0;
    }
    long writtenBefore = output.bytesWritten();
    int reads = 0;
    try {
      if (!connected) {
        establish();
      } else {
        if ((operations & SelectionKey.OP_WRITE) != 0) {
          flush();
        }
        if ((operations & SelectionKey.OP_READ) != 0) {
          reads = read();
        }
      }
    } catch (Throwable e) { // also an Error: a lease without direct memory once ended the loop's thread
      close(e);
    }
    return reads > 0 || closed || output.bytesWritten() != writtenBefore ? 1 : 0;
  }

  private void establish() throws IOException {
    if (!transport.establish()) {
      return;
    }
    input.begin();
    connected = true;
    if (readingIsHeld) {
      updateReadable();
    }
    handler.onConnected();
    flush();
    if (transport.hasBufferedInput()) {
      loop.schedule(readAgain, loop.nowNanos());
    }
  }

  /** Reads the bytes that have arrived, and delivers whole frames. Returns the number of reads that found bytes. */
  private int read() throws IOException {
    int reads = readAndDeliver();
    if (framesDelivered) {
      framesDelivered = false;
      handler.onFramesDelivered();
    }
    return reads;
  }

  private int readAndDeliver() throws IOException {
    for (int reads = 0; reads < READS_PER_ROUND; reads++) {
      if (closed || waitsForMemory || readingIsHeld || inputEnded) {
        return reads;
      }
      int read = transport.read(input.target());
      if (read <= 0) {
        input.rest();
      }
      if (read < 0) {
        endInput();
        return reads + 1;
      }
      if (read == 0) {
        return reads;
      }
      boolean drained = transport.isDrained();
      deliver();
      if (drained) {
        return reads + 1;
      }
    }
    if (transport.hasBufferedInput()) {
      loop.schedule(readAgain, loop.nowNanos());
    }
    return READS_PER_ROUND;
  }

  private void endInput() throws IOException {
    inputEnded = true;
    Throwable cause = closing;
    if (cause == null && !handler.onEndOfInput()) {
      close(new EOFException("the peer closed the connection"));
      return;
    }
    updateReadable();
    if (cause != null && outputIsShut && !outputWaits) {
      close(cause);
    }
  }

  /** Delivers the frames that are there. A closing connection discards them. */
  private void deliver() throws IOException {
    while (!isClosing() && !readingIsHeld && input.deliverNext(handler)) {
      framesDelivered = true;
    }
    if (closed) {
      return;
    }
    if (closing != null) {
      input.discard();
      input.rest();
      return;
    }
    input.compact();
    input.rest();
    if (input.lacksMemory() != waitsForMemory) {
      waitForMemory(!waitsForMemory);
    }
  }

  private void waitForMemory(boolean wanted) {
    waitsForMemory = wanted;
    FrameMemory known = memory;
    if (known == null) {
      return; // an unauthenticated peer uses no pool, so it never waits
    }
    long patience = handler.memoryPatienceNanos();
    if (wanted) {
      known.enter(this);
      if (patience > 0) {
        loop.schedule(memoryTimer, loop.nowNanos() + patience);
      }
    } else {
      known.leave(this);
      loop.cancel(memoryTimer);
    }
    updateReadable();
  }

  private void memoryWaitExpired() {
    if (waitsForMemory) {
      input.expireMemoryWait();
      readAgain();
    }
  }

  /**
   * Tries again to read after memory has returned to the pool. If it is too little, the connection keeps its place in
   * the queue.
   */
  void memoryAvailable() {
    if (waitsForMemory) {
      readAgain();
    }
  }

  /** Delivers frames that have arrived already, then continues to read. */
  private void readAgain() {
    if (closed || !connected) {
      return;
    }
    try {
      deliver();
      read();
      if (closing != null) {
        flush();
      }
    } catch (Throwable e) {
      close(e);
    }
  }
}
