package dev.decant.kafka.security;

import java.io.IOException;

/**
 * Fetches tokens. Called on a virtual thread, one call at a time for a mechanism; may block. The client keeps a token
 * and asks for the next one ahead of its expiry.
 */
@FunctionalInterface
public interface TokenProvider {
  /**
   * A token that is good now.
   *
   * @return the token
   * @throws AuthenticationException if the token endpoint refuses the client
   * @throws IOException if no token can be had now; it is tried again
   * @throws InterruptedException if the thread was interrupted
   */
  OAuthToken fetch() throws IOException, InterruptedException;

  /**
   * Whether there is another token than the one that was fetched last. Called for each connection, any thread; does not
   * wait.
   *
   * @return false by default
   */
  default boolean hasChanged() {
    return false;
  }
}
