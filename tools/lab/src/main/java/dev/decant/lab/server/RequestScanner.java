package dev.decant.lab.server;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Finds the requests in what a connection receives: a head without a body, ended by an empty line (RFC 9112, section
 * 2.1). One per connection, used by one thread at a time.
 */
final class RequestScanner {
  /** Longer heads are refused. */
  static final int CAPACITY = 2048;

  private static final byte[] WORK = ("GET " + LoopbackServer.WORK_PATH).getBytes(StandardCharsets.US_ASCII);
  private static final int END = '\r' << 24 | '\n' << 16 | '\r' << 8 | '\n';

  /** Between position 0 and its position: what was received and not yet taken. */
  private final ByteBuffer received;
  private int scanned;
  private int lastFour;
  private boolean work;

  /** Over an empty buffer, into which the owner reads. */
  RequestScanner(ByteBuffer received) {
    this.received = received;
  }

  ByteBuffer buffer() {
    return received;
  }

  /**
   * Takes the next request.
   *
   * @return false if it is not complete yet
   * @throws IllegalArgumentException when its head is longer than the buffer
   */
  boolean next() {
    int end = received.position();
    for (int i = scanned; i < end; i++) {
      lastFour = lastFour << 8 | received.get(i);
      if (lastFour == END) {
        work = startsWithWork();
        received.limit(end).position(i + 1);
        received.compact();
        scanned = 0;
        lastFour = 0;
        return true;
      }
    }
    scanned = end;
    if (end == received.capacity()) {
      throw new IllegalArgumentException("a request head of more than " + end + " bytes");
    }
    return false;
  }

  /** Tells whether the request that was taken last asks for a computation. */
  boolean asksForWork() {
    return work;
  }

  private boolean startsWithWork() {
    for (int i = 0; i < WORK.length; i++) {
      if (received.get(i) != WORK[i]) {
        return false;
      }
    }
    return true;
  }
}
