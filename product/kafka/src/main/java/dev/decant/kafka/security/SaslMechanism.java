package dev.decant.kafka.security;

import java.io.IOException;

/**
 * A way to prove to a broker who the client is. {@link Sasl} has the mechanisms of Kafka; one of your own works in the
 * same way. Thread-safe: all connections of a client use it.
 */
public interface SaslMechanism {
  /**
   * The name that the broker knows it by.
   *
   * @return such as {@code SCRAM-SHA-512}
   */
  String name();

  /**
   * Whether a peer that overhears the exchange learns the secret, so that the connection should be encrypted.
   *
   * @return false unless the secret itself is sent
   */
  default boolean sendsSecret() {
    return false;
  }

  /**
   * Whether its calls may block while they hold a monitor, as code of other libraries does. They then run on a platform
   * thread of their own, so that no carrier of virtual threads is blocked. The same for all its exchanges.
   *
   * @return false by default
   */
  default boolean needsPlatformThread() {
    return false;
  }

  /**
   * Begins an exchange on a new connection. Called on a virtual thread, or on a platform thread as
   * {@link #needsPlatformThread} says; may block, as to fetch a token.
   *
   * @param peer the broker
   * @return the exchange
   * @throws AuthenticationException if what is configured cannot work
   * @throws IOException if something that is needed cannot be had now; the connection fails, the next one tries again
   * @throws InterruptedException if the connection was given up meanwhile
   */
  SaslExchange begin(SaslPeer peer) throws IOException, InterruptedException;
}
