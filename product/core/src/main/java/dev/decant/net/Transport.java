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
 * <p>A transport may move work to other threads (a handshake's delegated tasks). Meanwhile it neither reads nor writes,
 * and a task of the loop calls its listener when it can continue.
 */
public interface Transport {
  /**
   * Attaches the stream to the loop. Readiness is reported to the listener from now on.
   *
   * @param listener the user of this stream
   * @throws IOException when the stream is broken
   */
  void register(EventLoop loop, ReadyListener listener) throws IOException;

  /**
   * Continues to connect, and continues the handshake if there is one. Reads and writes bytes of its own as far as
   * possible now, and calls the listener when it can continue. Called once after {@link #register} and whenever the
   * listener is called, until it returns true.
   *
   * @return true when the user may read and write, and arriving bytes are reported; false while the setup continues
   * @throws IOException when the peer refused, cannot be reached or fails the handshake
   */
  boolean establish() throws IOException;

  /**
   * Reads the bytes that are there.
   *
   * @param target direct memory, filled from its position
   * @return bytes read, 0 for none, -1 at the end of the stream
   * @throws IOException when the stream is broken
   */
  int read(ByteBuffer target) throws IOException;

  /**
   * Returns true if the last read took all bytes that were there. Another read would find none until more bytes are
   * reported.
   */
  boolean isDrained();

  /**
   * Returns true if the transport holds bytes, encrypted or decrypted, that it has read and not handed out yet. No
   * report of readiness announces them.
   */
  default boolean hasBufferedInput() {
    return false;
  }

  /**
   * Takes as many bytes as it can now, from several buffers in order. The memory of the bytes that it reports may be
   * reused when it returns.
   *
   * @param sources their positions move
   * @param offset index of the first buffer
   * @param length number of buffers
   * @return bytes taken
   * @throws IOException when the stream is broken
   */
  long write(ByteBuffer[] sources, int offset, int length) throws IOException;

  /**
   * Returns how many buffers one {@link #write} takes at most. A transport that makes records takes many slices, so
   * that small ones fill a record.
   *
   * @return 64 by default
   */
  default int maxGathered() {
    return 64;
  }

  /**
   * Writes bytes that the transport has taken and still holds, and bytes of its own.
   *
   * @return true if nothing is left; after false the user calls {@link #reportWritable}, and flushes again later
   * @throws IOException when the stream is broken
   */
  default boolean flush() throws IOException {
    return true;
  }

  /**
   * Begins or ends reports that the stream can take bytes.
   *
   * @param wanted true while output is pending
   */
  void reportWritable(boolean wanted);

  /**
   * Begins or ends reports of arriving bytes. They are on by default.
   *
   * @param wanted false to hold the peer back
   */
  void reportReadable(boolean wanted);

  /**
   * Tells the peer that no more bytes come, after all output is flushed. Reading continues.
   *
   * @throws IOException when the stream is broken
   */
  void shutdownOutput() throws IOException;

  /**
   * Ends the bounds for unauthenticated peers ({@link Acceptor.Limits}): the user of this stream knows the peer. Has no
   * effect by default, and none the second time.
   */
  default void authenticated() {}

  /**
   * Calls the listener in the turn of unauthenticated connections, if this connection is one. A transport above calls
   * this if it can continue for another reason than readiness.
   *
   * @return false if the peer is authenticated: the caller may continue at once
   */
  default boolean awaitTurn() {
    return false;
  }

  /**
   * Leaves the loop: nothing is reported any more, until the owner of another loop calls {@link #register}. The peer no
   * longer counts as unauthenticated; {@link #authenticated()} credits it to the {@link Acceptor}. For an established
   * stream only.
   *
   * @throws UnsupportedOperationException if the stream cannot leave its loop, as by default
   */
  default void leaveLoop() {
    throw new UnsupportedOperationException(getClass().getName() + " stays on its loop");
  }

  /** Closes the stream. Closing it again has no effect. */
  void close();
}
