package dev.decant.kafka.broker;

import dev.decant.buffer.BytesWriter;

/** Writes the body of an answer; the {@code write} methods of the generated messages fit. */
@FunctionalInterface
public interface Body {
  void write(BytesWriter out, short version);
}
