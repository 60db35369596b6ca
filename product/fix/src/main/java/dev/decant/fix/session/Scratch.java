package dev.decant.fix.session;

import java.nio.ByteBuffer;

/**
 * Memory for messages of the session layer while they are made. One for all sessions of an engine: they are made one
 * after the other, by the owner of the loop.
 */
public final class Scratch {
  private final ByteBuffer body;

  /**
   * Makes the memory.
   *
   * @param maxMessageBytes the longest message of any session
   */
  public Scratch(int maxMessageBytes) {
    body = ByteBuffer.allocateDirect(maxMessageBytes);
  }

  ByteBuffer body() {
    return body;
  }
}
