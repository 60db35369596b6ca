package dev.decant.kafka.security;

import java.io.IOException;

/**
 * The messages of one authentication, in turns, the client first. Used by one thread at a time; may block. The client
 * owns the arrays that an exchange returns, and writes zeros over them.
 */
public interface SaslExchange extends AutoCloseable {
  /**
   * Returns the first message.
   *
   * @return its bytes; may be empty
   * @throws AuthenticationException if the configuration does not allow one
   * @throws IOException if something that is needed is not available now
   * @throws InterruptedException if the connection was abandoned meanwhile
   */
  byte[] initialResponse() throws IOException, InterruptedException;

  /**
   * Returns the message that follows one of the broker.
   *
   * @param challenge the broker's bytes, at most 512 KiB
   * @return the client's bytes; may be empty. Not sent if {@link #isComplete} then
   * @throws AuthenticationException if the broker's message is wrong, or is a refusal
   * @throws IOException if something that is needed is not available now
   * @throws InterruptedException if the connection was abandoned meanwhile
   */
  byte[] respond(byte[] challenge) throws IOException, InterruptedException;

  /**
   * Returns true if there is no more to send. If the broker ends the exchange earlier, it has not proved its identity.
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
