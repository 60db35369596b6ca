package dev.decant.kafka.cluster;

import dev.decant.kafka.protocol.ProtocolWriter;

/** Writes a request's body; the generated messages' {@code write} methods fit. */
@FunctionalInterface
public interface RequestBody {
  /**
   * Writes the body.
   *
   * @param out takes the bytes; a {@link dev.decant.buffer.BufferTooSmallException} makes the caller try with more
   * @param version the negotiated version
   */
  void write(ProtocolWriter out, short version);
}
