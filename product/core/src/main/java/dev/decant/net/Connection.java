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
 * <p>Small frames are parsed where they were read, in a receive buffer of 64 KiB: the connection's own, or one that is
 * lent ({@link FrameMemory#lending}). A larger frame
 * gets memory of its own from the pool and is read straight into it. While the pool has none, reading stops and the
 * peer is held back. Output is queued as slices and written with gathering writes. The memory of a slice must stay
 * untouched until {@link #bytesWritten()} has passed it or the connection is closed.
 *
 * <pre>
 *   open -> (transport establishes) -> onConnected -> onFrame ... -> close or closeAfterOutput -> onClosed
 * </pre>
 *
 * <p>Owner of the loop only.
 */
public final class Connection implements ReadyListener {
  private static final int READS_PER_ROUND = 16;

  /** The reports of a connection to its user, on the owner of the loop. */
  public interface Handler {
    /** The transport is established; frames may be sent. */
    void onConnected();

    /**
     * A whole frame has arrived.
     *
     * @param buffer holds the frame without its header; valid during the call, or until {@code lease} is released by
     *     the last one that retains it
     * @param from start of the frame, after its header
     * @param to end of the frame
     * @param lease the memory of a large frame, to be retained if the frame is kept; null if it lies in the receive
     *     buffer
     */
    void onFrame(ByteBuffer buffer, int from, int to, @Nullable PooledBuffer lease);

    /**
     * A frame is announced that is longer than the bound, or than all memory for frames.
     *
     * @param frameBytes its length, without its header
     * @return true for {@link #onOversizedFrame} with its first bytes; false (the default) to end the connection
     */
    default boolean takesOversizedFrame(long frameBytes) {
      return false;
    }

    /**
     * How long a large frame may wait for memory that others hold. Then it is an oversized one to a handler that takes
     * such frames, so that those behind it do not wait with it.
     *
     * @return nanoseconds; 0 (the default) for as long as it takes
     */
    default long memoryPatienceNanos() {
      return 0;
    }

    /**
     * The first bytes of an oversized frame have arrived, 64 KiB with its header. The others are skipped as they
     * arrive, and the connection goes on behind them. Does nothing by default.
     *
     * @param buffer holds them, during the call
     * @param from start of the frame, after its header
     * @param to end of what is there
     * @param frameBytes the length of the whole frame, without its header
     */
    default void onOversizedFrame(ByteBuffer buffer, int from, int to, long frameBytes) {}

    /**
     * All frames that had arrived together are delivered: what they have made the handler send can leave in one write.
     * Called after at least one {@link #onFrame}. Does nothing by default.
     */
    default void onFramesDelivered() {}

    /**
     * The peer sends nothing more, but may still read.
     *
     * @return true to keep the connection for output, which the handler closes then; false (the default) to end it
     */
    default boolean onEndOfInput() {
      return false;
    }

    /** Output that the transport did not take at once is written, all of it. Does nothing by default. */
    default void onOutputWritten() {}

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
  /** For large frames; null while the peer is not authenticated. */
  private @Nullable FrameMemory memory;

  private final FrameReader input;
  private boolean waitsForMemory;
  private boolean readingIsHeld;
  private boolean inputEnded;
  /** Frames were delivered, and the handler was not told that these are all for now. */
  private boolean framesDelivered;
  /** Due when there may be something to read that the loop does not report. */
  private final Timer readAgain = new Timer(this::readAgain);

  private final OutputQueue output = new OutputQueue();
  /** The transport has not taken all output, and reports when it can. */
  private boolean outputWaits;

  private boolean connected;
  private boolean closed;
  /** What {@link #closeAfterOutput} was given: no frames go in or out any more. */
  private @Nullable Throwable closing;
  private boolean outputIsShut;
  private final Timer closeTimer = new Timer(this::giveUpClosing);
  private final Timer memoryTimer = new Timer(this::giveUpWaiting);

  /**
   * Makes a connection; {@link #open} starts it. From here on the transport belongs to it. It is closed if no
   * connection can be made, for lack of direct memory for the receive buffer.
   *
   * @param loop the loop it belongs to
   * @param transport the stream
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
    } catch (Throwable e) { // nobody else knows of the transport any more
      transport.close();
      throw e;
    }
  }

  /**
   * Makes a connection to a peer that is not authenticated: its frames are small, and in memory of their own. From here
   * on the transport belongs to it. {@link #authenticated} ends this.
   *
   * @param loop the loop it belongs to
   * @param transport the stream
   * @param framing cuts it into frames
   * @param handler called for frames and at the end
   * @param first for the frames; a longer one ends the connection
   */
  public Connection(EventLoop loop, Transport transport, Framing framing, Handler handler, FirstFrameMemory first) {
    this.loop = loop;
    this.transport = transport;
    this.handler = handler;
    this.input = new FrameReader(framing, first);
  }

  /**
   * Gives a connection that was made without it the memory for peers that are known. The bounds for strangers end.
   *
   * @param known for frames larger than the receive buffer
   * @param maxFrameBytes an inbound frame that is longer, without its header, ends the connection
   */
  public void authenticated(FrameMemory known, int maxFrameBytes) {
    if (!isClosing()) {
      memory = known;
      input.authenticated(known, maxFrameBytes);
      transport.authenticated();
      loop.schedule(readAgain, loop.nowNanos()); // it may come later than the frame: the lent buffer goes back now
    }
  }

  /**
   * Takes the transport out of this connection, which ends: nothing is closed, and the handler hears no more of it. The
   * transport has left its loop, and another connection on another loop may take it. Called within
   * {@link Handler#onFrame}, with all output written.
   *
   * @return what has arrived behind the frame, for {@link #takeUp}
   * @throws IllegalStateException if output is not written, or the connection is not open
   */
  public ByteBuffer leave() {
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
   * Goes on with a stream that another connection has left: what has arrived there comes first. Before {@link #open}.
   *
   * @param arrived what {@link #leave} has given
   */
  public void takeUp(ByteBuffer arrived) {
    if (arrived.hasRemaining()) {
      input.prefill(arrived);
      loop.schedule(readAgain, loop.nowNanos());
    }
  }

  /** Registers with the loop and begins; success or failure is reported to the handler. */
  public void open() {
    try {
      transport.register(loop, this);
      establish();
    } catch (Throwable e) {
      close(e);
    }
  }

  /**
   * Tells whether frames can be sent.
   *
   * @return true between {@link Handler#onConnected()} and {@link #close} or {@link #closeAfterOutput}
   */
  public boolean isConnected() {
    return connected && !isClosing();
  }

  private boolean isClosing() {
    return closed || closing != null;
  }

  /**
   * Tells whether a large frame has to wait until others give memory back.
   *
   * @return true while it does; the peer is held back then
   */
  public boolean waitsForMemory() {
    return waitsForMemory;
  }

  /**
   * Tells whether a large frame has arrived in part, in memory that other connections may wait for.
   *
   * @return true from its first bytes to its last one
   */
  public boolean holdsMemory() {
    return input.holdsMemory();
  }

  /**
   * Queues a slice of output; {@link #flush()} writes it. A closed connection drops it.
   *
   * @param slice direct memory from position to limit; the object itself is used and its position moves
   */
  public void queue(ByteBuffer slice) {
    if (!isClosing()) {
      output.add(slice);
    }
  }

  /**
   * All output ever queued.
   *
   * @return bytes
   */
  public long bytesQueued() {
    return output.bytesQueued();
  }

  /**
   * All output the transport has taken.
   *
   * @return bytes
   */
  public long bytesWritten() {
    return output.bytesWritten();
  }

  /**
   * Writes what the transport takes now; the rest follows when it can take more. A broken stream closes the connection.
   * In an inline run ({@link EventLoop#tryRunInline}) the close follows afterwards: inline tasks are short.
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
        transport.wantWritable(true);
      }
    } catch (Throwable e) { // whatever it is, what was written of the slices is not known any more
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
        return; // the owner finds the transport writable, and tells the handler then
      }
      outputWaits = false;
      transport.wantWritable(false);
      handler.onOutputWritten();
    }
    if (closing != null) {
      finishOutput(closing);
    }
  }

  /**
   * Holds the peer back: no frame is delivered until reading resumes, not even one that has arrived already. Does
   * nothing once {@link #closeAfterOutput} was called, which reads to the end.
   *
   * @param held true to stop, false to read on
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
      transport.wantReadable(!waitsForMemory && !readingIsHeld && !inputEnded);
    }
  }

  /**
   * Ends the connection in good order. It writes the queued output, ends the output, discards arriving bytes, and
   * closes when the peer has closed its side. The peer can so read the last bytes. Frames are neither delivered nor
   * queued any more.
   *
   * @param cause goes to the handler at the end
   * @param timeoutNanos how long all this may take; then the connection is closed anyway
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
        transport.wantWritable(true);
        return;
      }
    }
    if (inputEnded) {
      close(cause);
    }
  }

  private void giveUpClosing() {
    Throwable cause = closing;
    if (cause != null) {
      close(cause);
    }
  }

  /**
   * Ends the connection and tells the handler, once.
   *
   * @param cause goes to the handler
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
   * Goes on where the stream is ready; what fails ends this connection and nothing else. Called by the loop, or by a
   * transport that is not a channel.
   *
   * @param operations of {@link SelectionKey}, OR-ed; while the transport is not established, any of them continues its
   *     setup
   * @return 1 if something was done
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
    } catch (Throwable e) { // also an error: a lease may find no direct memory left
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

  /** Reads what is there and delivers whole frames; returns how often there was something. */
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

  /** Delivers the frames that are there; a connection that is closing throws them away. */
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
      return; // a peer that is not authenticated needs none, so it never waits
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

  private void giveUpWaiting() {
    if (waitsForMemory) {
      input.giveUp();
      readAgain();
    }
  }

  /** Goes on reading after memory has come back to the pool; if it is too little, the place is kept. */
  void memoryAvailable() {
    if (waitsForMemory) {
      readAgain();
    }
  }

  /** Delivers what has arrived already, then reads on. */
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
