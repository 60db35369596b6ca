package dev.decant.net;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Tells where a frame of a protocol ends. A framing without state may serve any number of connections; one with state
 * serves one. Owner of the loop only.
 */
public interface Framing {
  /** Of {@link #frameBytes}: the bytes so far do not tell. */
  long UNKNOWN = Long.MIN_VALUE;

  /**
   * The length of the frame that begins at {@code from}, its header included. It may exceed the bytes at hand. The
   * connection then waits for the rest, in memory of the pool if the frame does not fit in the receive buffer.
   *
   * <p>The bytes are hostile. A length out of bounds, a negative one too, is returned as it is: the connection refuses
   * it. A frame whose length is still unknown when the receive buffer is full ends the connection.
   *
   * @param in the bytes; its position and limit are not to be touched
   * @param from index of the first byte of the frame; there is one at least
   * @param scanned index of the first byte that no earlier call for this frame has seen; a search for a delimiter
   *     resumes there. {@code from} at the first call
   * @param to index after the last byte that is there
   * @return bytes, header included; {@link #UNKNOWN} if more bytes are needed to tell
   * @throws IOException if this is no frame of the protocol; the connection ends with it
   */
  long frameBytes(ByteBuffer in, int from, int scanned, int to) throws IOException;

  /**
   * Bytes at the start of each frame that are not handed to the handler. When {@link #frameBytes} tells a length, they
   * are there.
   *
   * @return 0 for a handler that gets whole frames
   */
  int headerBytes();
}
