package dev.decant.net;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Finds the ends of a protocol's frames. A framing without state may serve any number of connections; a framing with
 * state serves one. Owner of the loop only.
 */
public interface Framing {
  /** Result of {@link #frameBytes} if the bytes so far do not determine the length. */
  long UNKNOWN = Long.MIN_VALUE;

  /**
   * Returns the length of the frame that begins at {@code from}, its header included. It may exceed the bytes that have
   * arrived. The connection then waits for the rest, in memory of the pool if the frame does not fit in the receive
   * buffer.
   *
   * <p>The bytes are hostile. The method returns a length out of bounds, or a negative one, unchanged: the connection
   * refuses it. A frame whose length is still unknown when the receive buffer is full ends the connection.
   *
   * @param in the bytes; its position and limit must not be read or changed
   * @param from index of the first byte of the frame; at least one byte has arrived
   * @param scanned index of the first byte that no earlier call for this frame has seen; a search for a delimiter
   *     resumes there. {@code from} at the first call
   * @param to index after the last byte that has arrived
   * @return bytes, header included; {@link #UNKNOWN} if more bytes are needed
   * @throws IOException if this is no frame of the protocol; the connection ends with it
   */
  long frameBytes(ByteBuffer in, int from, int scanned, int to) throws IOException;

  /**
   * Returns the number of bytes at the start of each frame that are not passed to the handler. They have arrived
   * whenever {@link #frameBytes} returns a length.
   *
   * @return 0 for a handler that gets whole frames
   */
  int headerBytes();
}
