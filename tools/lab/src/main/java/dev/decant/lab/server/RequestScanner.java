package dev.decant.lab.server;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Finds the requests in the bytes of a connection: a head without a body, ended by an empty line (RFC 9112, section
 * 2.1). One scanner for each connection, one thread at a time.
 */
final class RequestScanner {
  /** Longest head; longer ones are rejected. */
  static final int CAPACITY = 2048;

  private static final byte[] WORK = ("GET " + LoopbackServer.WORK_PATH).getBytes(StandardCharsets.US_ASCII);
  private static final int END = '\r' << 24 | '\n' << 16 | '\r' << 8 | '\n';

  /** Received bytes that were not scanned yet, from 0 to the position. */
  private final ByteBuffer received;
  private int scanned;
  private int lastFour;
  private boolean work;

  /** Scans a buffer into which the owner reads. */
  RequestScanner(ByteBuffer received) {
    this.received = received;
  }

  ByteBuffer buffer() {
    return received;
  }

  /**
   * Scans the next request.
   *
   * @return false if it is not complete yet
   * @throws IllegalArgumentException if its head is longer than the buffer
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

  /** Returns true if the last scanned request wants a computation. */
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
