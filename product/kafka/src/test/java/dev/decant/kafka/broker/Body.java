package dev.decant.kafka.broker;

import dev.decant.kafka.protocol.ProtocolWriter;

/** Writes the body of an answer; the {@code write} methods of the generated messages fit. */
@FunctionalInterface
public interface Body {
  void write(ProtocolWriter out, short version);
}
