package dev.decant.loop;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A non-blocking byte stream under a {@link Connection}: a socket, or a pipe in memory. Owner of the loop only. A write
 * has taken the bytes it reports when it returns: the memory may be reused then.
 */
public interface Transport {
  /**
   * Attaches the stream to the loop; from now on readiness is reported to the connection.
   *
   * @param loop the loop
   * @param connection the user of this stream
   * @throws IOException when the stream is broken
   */
  void register(EventLoop loop, Connection connection) throws IOException;

  /**
   * Finishes connecting.
   *
   * @return true when connected, false when it takes longer
   * @throws IOException when the peer refused or cannot be reached
   */
  boolean finishConnect() throws IOException;

  /**
   * Reads what is there.
   *
   * @param target direct memory, filled from its position
   * @return bytes read, 0 for none, -1 at the end of the stream
   * @throws IOException when the link is broken
   */
  int read(ByteBuffer target) throws IOException;

  /**
   * Writes as much as the link takes now, from several buffers in order.
   *
   * @param sources their positions move
   * @param offset first one
   * @param length how many
   * @return bytes taken
   * @throws IOException when the link is broken
   */
  long write(ByteBuffer[] sources, int offset, int length) throws IOException;

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

  /** Closes the stream; does nothing the second time. */
  void close();
}
