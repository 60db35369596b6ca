package dev.decant.fix.segment;

import java.nio.ByteBuffer;

/** Receives stored messages. */
@FunctionalInterface
public interface MessageHandler {
  /**
   * Receives one message.
   *
   * @param number its MsgSeqNum(34)
   * @param epochNanos when it was first sent, in nanoseconds since the epoch
   * @param buffer holds the message; valid during the call. Its position and limit must not be changed
   * @param from index of its first byte
   * @param to index after its last byte
   * @return true to continue; false to end
   */
  boolean onMessage(long number, long epochNanos, ByteBuffer buffer, int from, int to);
}
