package dev.decant.kafka.security;

import java.io.IOException;

/**
 * Fetches tokens. Called on a virtual thread, one call at a time for each mechanism; may block. The client keeps a
 * token, and fetches the next one before it expires.
 */
@FunctionalInterface
public interface TokenProvider {
  /**
   * Returns a token that is valid now.
   *
   * @return the token
   * @throws AuthenticationException if the token endpoint refuses the client
   * @throws IOException if no token is available now; the client tries again
   * @throws InterruptedException if the thread was interrupted
   */
  OAuthToken fetch() throws IOException, InterruptedException;

  /**
   * Returns true if there is another token than the one that was fetched last. Called for each connection, on any
   * thread; does not wait.
   *
   * @return false by default
   */
  default boolean hasChanged() {
    return false;
  }
}
