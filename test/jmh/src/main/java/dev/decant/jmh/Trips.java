package dev.decant.jmh;

import java.io.IOException;

/** One way to send 150 bytes to an echo and wait until they are back. Used by one thread. */
interface Trips extends AutoCloseable {
  /** Bytes of a message. */
  int FRAME_BYTES = 150;

  /** Sends a message and waits for it. */
  void trip() throws IOException, InterruptedException;

  @Override
  void close() throws IOException;
}
