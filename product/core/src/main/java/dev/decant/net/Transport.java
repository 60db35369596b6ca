package dev.decant.net;

import dev.decant.loop.EventLoop;
import dev.decant.loop.ReadyListener;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A non-blocking byte stream under a {@link Connection}: a socket, a pipe in memory, or a protocol between the two that
 * encrypts or authenticates. Owner of the loop only.
 *
 * <pre>
 *   register -> establish, again whenever the stream is ready -> read, write, flush -> shutdownOutput -> close
 *               (connect, handshake, work on other threads)
 * </pre>
 *
 * <p>A transport may move work to other threads (a handshake's delegated tasks). It takes and gives nothing meanwhile,
 * and calls its listener from a task of the loop when it can continue.
 */
public interface Transport {
  /**
   * Attaches the stream to the loop; from now on readiness is reported to the listener.
   *
   * @param loop the loop
   * @param listener the user of this stream
   * @throws IOException when the stream is broken
   */
  void register(EventLoop loop, ReadyListener listener) throws IOException;

  /**
   * Continues to connect, and continues the handshake if there is one. Reads and writes bytes of its own as far as
   * possible now, and has the listener called when it can continue. Called once after {@link #register} and whenever
   * the listener is called, until it returns true.
   *
   * @return true when the user may read and write, and reports of arriving bytes are on; false when it takes longer
   * @throws IOException when the peer refused, cannot be reached or fails the handshake
   */
  boolean establish() throws IOException;

  /**
   * Reads what is there.
   *
   * @param target direct memory, filled from its position
   * @return bytes read, 0 for none, -1 at the end of the stream
   * @throws IOException when the stream is broken
   */
  int read(ByteBuffer target) throws IOException;

  /**
   * Whether the last read has taken all that was there, so that another one would find nothing until more is reported.
   *
   * @return false if another read may find bytes
   */
  boolean isDrained();

  /**
   * Tells whether the transport holds bytes that it has read and not given out yet, decrypted or not. No report of
   * readiness announces them.
   *
   * @return false for a stream that keeps nothing
   */
  default boolean hasBufferedInput() {
    return false;
  }

  /**
   * Takes as much as it can now, from several buffers in order. The memory of the bytes that it reports may be reused
   * when it returns.
   *
   * @param sources their positions move
   * @param offset first one
   * @param length how many
   * @return bytes taken
   * @throws IOException when the stream is broken
   */
  long write(ByteBuffer[] sources, int offset, int length) throws IOException;

  /**
   * From how many buffers a {@link #write} may take at once: a transport that makes records of bytes takes many, so
   * that small slices fill one.
   *
   * @return 64 by default
   */
  default int maxGathered() {
    return 64;
  }

  /**
   * Writes what the transport itself still holds of bytes that it has taken, and of bytes of its own.
   *
   * @return true if nothing is left; false has the user ask for {@link #wantWritable} and flush again then
   * @throws IOException when the stream is broken
   */
  default boolean flush() throws IOException {
    return true;
  }

  /**
   * Asks for a report when the stream can take bytes again, or no longer.
   *
   * @param wanted true while output is pending
   */
  void wantWritable(boolean wanted);

  /**
   * Asks for reports when bytes arrive (the default), or stops them.
   *
   * @param wanted false to hold the peer back
   */
  void wantReadable(boolean wanted);

  /**
   * Tells the peer that no more bytes come, after all output is flushed. Reading continues.
   *
   * @throws IOException when the stream is broken
   */
  void shutdownOutput() throws IOException;

  /**
   * The user of this stream knows who the peer is, and gives it the means of its own. Bounds for strangers end
   * ({@link Acceptor.Limits}). Does nothing by default, and nothing the second time.
   */
  default void authenticated() {}

  /**
   * Has the listener called when connections of strangers have their turn, if the peer of this stream is one. A
   * transport above asks for it when it can go on for another reason than readiness.
   *
   * @return false if the peer is no stranger: the caller may go on at once
   */
  default boolean awaitTurn() {
    return false;
  }

  /**
   * Leaves the loop: nothing is reported any more, until {@link #register} is called by the owner of another loop. The
   * peer counts as a stranger no longer; {@link #authenticated()} credits it to the {@link Acceptor} when it is called.
   * For an established stream only.
   *
   * @throws UnsupportedOperationException if the stream cannot do that, as by default
   */
  default void leaveLoop() {
    throw new UnsupportedOperationException(getClass().getName() + " stays on its loop");
  }

  /** Closes the stream; does nothing the second time. */
  void close();
}
