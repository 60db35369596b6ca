package dev.decant.kafka.security;

import java.io.IOException;

/**
 * The messages of one authentication, in turns, the client first. Used by one thread at a time; may block. Arrays that
 * it returns are the client's, which writes zeros over them.
 */
public interface SaslExchange extends AutoCloseable {
  /**
   * The first message.
   *
   * @return its bytes; may be empty
   * @throws AuthenticationException if it cannot be made from what is configured
   * @throws IOException if something that is needed cannot be had now
   * @throws InterruptedException if the connection was given up meanwhile
   */
  byte[] initialResponse() throws IOException, InterruptedException;

  /**
   * The message that follows one of the broker.
   *
   * @param challenge the broker's bytes, at most 512 KiB
   * @return the client's bytes; may be empty. Not sent if {@link #isComplete} then
   * @throws AuthenticationException if the broker's message is wrong, or says that it refuses
   * @throws IOException if something that is needed cannot be had now
   * @throws InterruptedException if the connection was given up meanwhile
   */
  byte[] respond(byte[] challenge) throws IOException, InterruptedException;

  /**
   * Whether nothing more is to be sent. A broker that ends the exchange earlier has not proved what it should.
   *
   * @return true after the last message of the broker
   */
  boolean isComplete();

  /**
   * Clears secrets. Does nothing by default. Must not block: the client's loop calls it if the broker refuses, or the
   * connection ends.
   */
  @Override
  default void close() {}
}
