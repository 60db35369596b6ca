package dev.decant.kafka.cluster;

import dev.decant.kafka.protocol.ProtocolWriter;

/** Writes the body of a request. The {@code write} methods of generated messages fit. */
@FunctionalInterface
public interface RequestBody {
  /**
   * Writes the body.
   *
   * @param out takes the bytes; on a {@link dev.decant.buffer.BufferTooSmallException} the caller repeats with more
   *     memory
   * @param version the negotiated version
   */
  void write(ProtocolWriter out, short version);
}
