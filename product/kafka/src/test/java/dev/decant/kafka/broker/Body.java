package dev.decant.kafka.broker;

import dev.decant.kafka.protocol.ProtocolWriter;

/** Writes the body of a response. The {@code write} methods of generated messages fit. */
@FunctionalInterface
public interface Body {
  void write(ProtocolWriter out, short version);
}
