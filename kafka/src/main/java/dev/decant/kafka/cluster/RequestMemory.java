package dev.decant.kafka.cluster;

import java.nio.ByteBuffer;

/**
 * Where one sender's requests are encoded. It is used again with the next request, so the sender may have one in flight
 * at a time: a link that hands over an answer, or a failure, is done with the request's bytes. Owner of the loop only.
 */
public final class RequestMemory {
  private static final int FIRST_BYTES = 1024;
  private static final int GROWTH = 4;
  private static final int MAX_BYTES = 64 * 1024 * 1024;

  private ByteBuffer buffer = ByteBuffer.allocateDirect(FIRST_BYTES);

  /** Creates memory for a small request; it grows with what is written. */
  public RequestMemory() {}

  ByteBuffer empty() {
    return buffer.clear();
  }

  /** Makes more of it, all empty; false if there is as much as a request may have. */
  boolean grow() {
    int bytes = buffer.capacity();
    if (bytes >= MAX_BYTES) {
      return false;
    }
    buffer = ByteBuffer.allocateDirect(Math.min(MAX_BYTES, bytes * GROWTH));
    return true;
  }

  static int maxBytes() {
    return MAX_BYTES;
  }
}
