package dev.decant.kafka.security;

import java.io.IOException;

/**
 * A way to authenticate the client to a broker. {@link Sasl} has the mechanisms of Kafka; your own works in the same
 * way. Thread-safe: all connections of a client use it.
 */
public interface SaslMechanism {
  /**
   * Returns the name by which brokers know the mechanism.
   *
   * @return for example {@code SCRAM-SHA-512}
   */
  String name();

  /**
   * Returns true if a peer that overhears the exchange learns the secret, so the connection should be encrypted.
   *
   * @return false unless the secret itself is sent
   */
  default boolean sendsSecret() {
    return false;
  }

  /**
   * Returns true if calls may block while they hold a monitor, as code of other libraries does. They then run on a
   * platform thread of their own, so that no carrier of virtual threads is blocked. The value is the same for all
   * exchanges.
   *
   * @return false by default
   */
  default boolean needsPlatformThread() {
    return false;
  }

  /**
   * Begins an exchange on a new connection. Called on a virtual thread, or on a platform thread if {@link
   * #needsPlatformThread}; may block, for example to fetch a token.
   *
   * @param peer the broker
   * @return the exchange
   * @throws AuthenticationException if the configuration cannot work
   * @throws IOException if something that is needed is not available now; the connection fails, and the next one tries
   *     again
   * @throws InterruptedException if the connection was abandoned meanwhile
   */
  SaslExchange begin(SaslPeer peer) throws IOException, InterruptedException;
}
